// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/ndarray.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/core/index_traversal.hpp"

namespace skerry {
namespace {

using namespace testing_traversal;

/// Storage that counts its live instances.
class CountedStorage final : public Storage {
 public:
  CountedStorage(std::size_t nbytes, Device device, bool read_only = false)
      : Storage(new char[nbytes], nbytes, device, read_only) {
    ++alive;
  }
  static inline int alive = 0;

 private:
  void destroy() noexcept override {
    --alive;
    delete[] data();
    delete this;
  }
};

StorageRef memory_of(std::size_t nbytes, Device device = {}) {
  return StorageRef(new CountedStorage(nbytes, device));
}

NdArray floats(const StorageRef& memory, Layout layout) {
  return {memory, std::move(layout), Dtype::float32};
}

TEST(ndarray, describes_itself_by_dtype_shape_and_device) {
  const auto memory = memory_of(48, {DeviceKind::cpu, 1});
  EXPECT_EQ(describe(floats(memory, c_layout(Dims{3, 4}, 4))), "float32 (3, 4) on cpu:1");
  EXPECT_EQ(describe({memory_of(1), c_layout(Dims{}, 1), Dtype::bool_}), "bool () on cpu:0");
}

TEST(ndarray, shares_memory_and_releases_it_with_the_last_view) {
  {
    const NdArray array = floats(memory_of(24), c_layout(Dims{2, 3}, 4));
    EXPECT_EQ(CountedStorage::alive, 1);
    NdArray view = array.view({Dims{3}, Dims{4}, 12});
    EXPECT_EQ(view.data(), array.data() + 12);
    EXPECT_EQ(array.memory()->references(), 2);
    const NdArray copy = view;
    view = NdArray();
    EXPECT_EQ(array.memory()->references(), 2);
  }
  EXPECT_EQ(CountedStorage::alive, 0);
}

TEST(ndarray, stays_read_only_through_views) {
  const StorageRef fixed(new CountedStorage(8, {}, true));
  EXPECT_TRUE(floats(fixed, c_layout(Dims{2}, 4)).read_only());
  const NdArray array = floats(memory_of(8), c_layout(Dims{2}, 4));
  EXPECT_FALSE(array.read_only());
  EXPECT_TRUE(array.read_only_view().read_only());
  EXPECT_TRUE(array.read_only_view().view(c_layout(Dims{1}, 4)).read_only());
  EXPECT_FALSE(array.view(c_layout(Dims{1}, 4)).read_only());
}

bool share_a_byte(const NdArray& a, const NdArray& b) {
  std::set<std::intptr_t> bytes;
  for (const std::int64_t offset : offsets_of(a.layout())) {
    for (std::int64_t i = 0; i < a.itemsize(); ++i) {
      bytes.insert(reinterpret_cast<std::intptr_t>(a.memory()->data()) + offset + i);
    }
  }
  for (const std::int64_t offset : offsets_of(b.layout())) {
    for (std::int64_t i = 0; i < b.itemsize(); ++i) {
      const auto base = reinterpret_cast<std::intptr_t>(b.memory()->data());
      if (bytes.contains(base + offset + i)) return true;
    }
  }
  return false;
}

TEST(may_overlap, never_misses_a_shared_byte) {
  const auto memory = memory_of(1 << 12);
  random_source random(11);
  int disjoint_count = 0;
  int together = 0;
  const Dtype types[] = {Dtype::int8, Dtype::int16, Dtype::float32, Dtype::complex64};
  for (int i = 0; i < 4000; ++i) {
    const auto some = [&] {
      const Dtype type = types[between(random, 0, 3)];
      const int rank = static_cast<int>(between(random, 0, 2));
      const Dims shape = random_shape(random, rank, 0, 4);
      Layout layout = random_layout(random, shape, itemsize(type), true);
      layout.offset += between(random, 0, 64);
      return NdArray(memory, layout, type);
    };
    const NdArray a = some();
    const NdArray b = some();
    const bool shared = share_a_byte(a, b);
    if (shared) {
      ASSERT_TRUE(may_overlap(a, b));
      ++together;
    }
    ASSERT_EQ(may_overlap(a, b), may_overlap(b, a));
    disjoint_count += may_overlap(a, b) ? 0 : 1;
  }
  EXPECT_GT(disjoint_count, 100);
  EXPECT_GT(together, 100);
}

TEST(may_overlap, is_false_for_disjoint_interleaved_and_empty_arrays) {
  const auto memory = memory_of(400);
  const NdArray whole = floats(memory, c_layout(Dims{10}, 4));
  const NdArray even = floats(memory, {Dims{5}, Dims{8}, 0});
  const NdArray odd = floats(memory, {Dims{5}, Dims{-8}, 36});
  EXPECT_TRUE(may_overlap(whole, whole));
  EXPECT_TRUE(may_overlap(whole, even));
  EXPECT_FALSE(may_overlap(even, odd));
  EXPECT_FALSE(may_overlap(whole, floats(memory, {Dims{5}, Dims{4}, 40})));
  EXPECT_TRUE(may_overlap(whole, floats(memory, {Dims{5}, Dims{4}, 39})));
  EXPECT_FALSE(may_overlap(whole, floats(memory, {Dims{0}, Dims{4}, 8})));
  EXPECT_FALSE(may_overlap(whole, floats(memory_of(40), c_layout(Dims{10}, 4))));
}

TEST(same_elements, requires_equal_memory_shape_strides_and_dtype) {
  const auto memory = memory_of(64);
  const NdArray array = floats(memory, c_layout(Dims{1, 4}, 4));
  EXPECT_TRUE(same_elements(array, array));
  EXPECT_TRUE(same_elements(array, floats(memory, {Dims{1, 4}, Dims{99, 4}, 0})));
  EXPECT_FALSE(same_elements(array, floats(memory, c_layout(Dims{4}, 4))));
  EXPECT_FALSE(same_elements(array, floats(memory, {Dims{1, 4}, Dims{16, 8}, 0})));
  EXPECT_FALSE(same_elements(array, floats(memory, {Dims{1, 4}, Dims{16, 4}, 4})));
  EXPECT_FALSE(same_elements(array, {memory, array.layout(), Dtype::int32}));
  EXPECT_FALSE(same_elements(array, floats(memory_of(64), array.layout())));
}

}  // namespace
}  // namespace skerry
