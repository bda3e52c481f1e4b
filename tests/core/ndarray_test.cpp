// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/ndarray.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/core/index_walk.hpp"

namespace skerry {
namespace {

using namespace testing_walk;

/// Memory that says when it goes.
class counted_storage final : public storage {
 public:
  counted_storage(std::size_t nbytes, device where, bool read_only = false)
      : storage(new char[nbytes], nbytes, where, read_only) {
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

storage_ref memory_of(std::size_t nbytes, device where = {}) {
  return storage_ref(new counted_storage(nbytes, where));
}

ndarray floats(const storage_ref& memory, layout at) {
  return {memory, std::move(at), dtype::float32};
}

TEST(ndarray, describes_itself_by_dtype_shape_and_device) {
  const auto memory = memory_of(48, {device_kind::cpu, 1});
  EXPECT_EQ(describe(floats(memory, c_layout(dims{3, 4}, 4))), "float32 (3, 4) on cpu:1");
  EXPECT_EQ(describe({memory_of(1), c_layout(dims{}, 1), dtype::bool_}), "bool () on cpu:0");
}

TEST(ndarray, shares_memory_and_gives_it_back_with_the_last_view) {
  {
    const ndarray array = floats(memory_of(24), c_layout(dims{2, 3}, 4));
    EXPECT_EQ(counted_storage::alive, 1);
    ndarray view = array.view({dims{3}, dims{4}, 12});
    EXPECT_EQ(view.data(), array.data() + 12);
    EXPECT_EQ(array.memory()->references(), 2);
    const ndarray copy = view;
    view = ndarray();
    EXPECT_EQ(array.memory()->references(), 2);
  }
  EXPECT_EQ(counted_storage::alive, 0);
}

TEST(ndarray, stays_read_only_through_views) {
  const storage_ref fixed(new counted_storage(8, {}, true));
  EXPECT_TRUE(floats(fixed, c_layout(dims{2}, 4)).read_only());
  const ndarray array = floats(memory_of(8), c_layout(dims{2}, 4));
  EXPECT_FALSE(array.read_only());
  EXPECT_TRUE(array.read_only_view().read_only());
  EXPECT_TRUE(array.read_only_view().view(c_layout(dims{1}, 4)).read_only());
  EXPECT_FALSE(array.view(c_layout(dims{1}, 4)).read_only());
}

bool share_a_byte(const ndarray& a, const ndarray& b) {
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
  int apart = 0;
  int together = 0;
  const dtype types[] = {dtype::int8, dtype::int16, dtype::float32, dtype::complex64};
  for (int i = 0; i < 4000; ++i) {
    const auto some = [&] {
      const dtype type = types[between(random, 0, 3)];
      const int rank = static_cast<int>(between(random, 0, 2));
      const dims shape = random_shape(random, rank, 0, 4);
      layout at = random_layout(random, shape, itemsize(type), true);
      at.offset += between(random, 0, 64);
      return ndarray(memory, at, type);
    };
    const ndarray a = some();
    const ndarray b = some();
    const bool shared = share_a_byte(a, b);
    if (shared) {
      ASSERT_TRUE(may_overlap(a, b));
      ++together;
    }
    ASSERT_EQ(may_overlap(a, b), may_overlap(b, a));
    apart += may_overlap(a, b) ? 0 : 1;
  }
  EXPECT_GT(apart, 100);
  EXPECT_GT(together, 100);
}

TEST(may_overlap, tells_apart_disjoint_interleaved_and_empty_arrays) {
  const auto memory = memory_of(400);
  const ndarray whole = floats(memory, c_layout(dims{10}, 4));
  const ndarray even = floats(memory, {dims{5}, dims{8}, 0});
  const ndarray odd = floats(memory, {dims{5}, dims{-8}, 36});
  EXPECT_TRUE(may_overlap(whole, whole));
  EXPECT_TRUE(may_overlap(whole, even));
  EXPECT_FALSE(may_overlap(even, odd));
  EXPECT_FALSE(may_overlap(whole, floats(memory, {dims{5}, dims{4}, 40})));
  EXPECT_TRUE(may_overlap(whole, floats(memory, {dims{5}, dims{4}, 39})));
  EXPECT_FALSE(may_overlap(whole, floats(memory, {dims{0}, dims{4}, 8})));
  EXPECT_FALSE(may_overlap(whole, floats(memory_of(40), c_layout(dims{10}, 4))));
}

TEST(same_elements, asks_for_memory_shape_strides_and_dtype) {
  const auto memory = memory_of(64);
  const ndarray array = floats(memory, c_layout(dims{1, 4}, 4));
  EXPECT_TRUE(same_elements(array, array));
  EXPECT_TRUE(same_elements(array, floats(memory, {dims{1, 4}, dims{99, 4}, 0})));
  EXPECT_FALSE(same_elements(array, floats(memory, c_layout(dims{4}, 4))));
  EXPECT_FALSE(same_elements(array, floats(memory, {dims{1, 4}, dims{16, 8}, 0})));
  EXPECT_FALSE(same_elements(array, floats(memory, {dims{1, 4}, dims{16, 4}, 4})));
  EXPECT_FALSE(same_elements(array, {memory, array.layout(), dtype::int32}));
  EXPECT_FALSE(same_elements(array, floats(memory_of(64), array.layout())));
}

}  // namespace
}  // namespace skerry
