// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/copy.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "ops/call/enqueue.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;

class copy_on : public ::testing::TestWithParam<device> {};
INSTANTIATE_TEST_SUITE_P(every_device, copy_on, ::testing::ValuesIn(every_device), device_name);

/// A 3 by 4 array seen in several ways.
std::vector<layout> layouts_of_twelve_doubles() {
  return {
      {dims{3, 4}, dims{32, 8}, 0},     // C
      {dims{4, 3}, dims{8, 32}, 0},     // transposed
      {dims{2, 3}, dims{32, 8}, 40},    // offset slice
      {dims{3, 4}, dims{-32, -8}, 88},  // backwards
      {dims{2, 2}, dims{64, 16}, 8},    // stepped
      {dims{2, 4}, dims{0, 8}, 32},     // broadcast
      {dims{}, dims{}, 24},             // one element
      {dims{0, 4}, dims{32, 8}, 0},     // none
  };
}

TEST_P(copy_on, copies_every_layout) {
  const ndarray x = array_of(counting<float64>(12), dims{3, 4}, GetParam());
  for (const layout& at : layouts_of_twelve_doubles()) {
    const ndarray view = x.view(at);
    const ndarray fresh = copy(view);
    EXPECT_EQ(fresh.device(), GetParam());
    EXPECT_EQ(fresh.shape(), view.shape());
    EXPECT_FALSE(may_overlap(fresh, x));
    EXPECT_EQ(values_of<float64>(fresh), values_of<float64>(view));
    EXPECT_TRUE(contiguous(view).is_c_contiguous());
    EXPECT_EQ(values_of<float64>(contiguous(view)), values_of<float64>(view));
  }
}

TEST_P(copy_on, keeps_the_order_of_a_dense_array_unless_c_order_is_asked_for) {
  const ndarray x = array_of(counting<float64>(12), dims{3, 4}, GetParam());
  const ndarray t = x.view({dims{4, 3}, dims{8, 32}, 0});
  EXPECT_EQ(copy(t).strides(), (dims{8, 32}));
  EXPECT_TRUE(copy_c_order(t).is_c_contiguous());
  EXPECT_EQ(contiguous(x).memory(), x.memory());
}

TEST_P(copy_on, casts_every_layout) {
  const ndarray x = array_of(counting<float64>(12), dims{3, 4}, GetParam());
  for (const layout& at : layouts_of_twelve_doubles()) {
    const ndarray view = x.view(at);
    longs expected;
    for (const float64 value : values_of<float64>(view)) expected.push_back(int64(value));
    EXPECT_EQ(values_of<int64>(astype(view, dtype::int64, false)), expected);
  }
}

TEST_P(copy_on, astype_gives_the_array_itself_unless_a_copy_is_asked_for) {
  const ndarray x = array_of(doubles{1, 2}, GetParam());
  EXPECT_EQ(astype(x, dtype::float64, false).memory(), x.memory());
  EXPECT_NE(astype(x, dtype::float64, true).memory(), x.memory());
  EXPECT_THROW((void)astype(astype(x, dtype::complex128, false), dtype::float64, false),
               dtype_error);
}

TEST_P(copy_on, travels_to_every_device_with_dtype_shape_and_values) {
  const ndarray x = array_of(counting<float64>(12), dims{3, 4}, GetParam());
  for (const device target : every_device) {
    for (const layout& at : layouts_of_twelve_doubles()) {
      const ndarray view = x.view(at);
      const ndarray there = to_device(view, target);
      EXPECT_EQ(there.device(), target);
      EXPECT_EQ(there.shape(), view.shape());
      EXPECT_EQ(values_of<float64>(there), values_of<float64>(view));
      EXPECT_EQ(there.memory() == x.memory(), target == GetParam());
    }
  }
}

TEST_P(copy_on, assigns_arrays_that_broadcast_and_promote) {
  const ndarray x = array_of(doubles(6, 0.0), dims{2, 3}, GetParam());
  assign("x[...] =", x, array_of(std::vector<float32>{1, 2, 3}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 2, 3, 1, 2, 3}));
  assign("x[...] =", x.view({dims{2}, dims{24}, 8}), array_of(doubles{8, 9}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 8, 3, 1, 9, 3}));
}

TEST_P(copy_on, assigns_overlapping_views_as_if_copied) {
  constexpr std::int64_t n = 5000;  // more than any kernel moves at a time
  const doubles before = counting<float64>(n, 1.0);
  const auto fresh = [&] { return array_of(before, GetParam()); };

  const ndarray shifted = fresh();
  assign("x[1:] =", shifted.view({dims{n - 1}, dims{8}, 8}),
         shifted.view({dims{n - 1}, dims{8}, 0}));
  doubles expected = before;
  std::copy(before.begin(), before.end() - 1, expected.begin() + 1);
  EXPECT_EQ(values_of<float64>(shifted), expected);

  const ndarray reversed = fresh();
  assign("x[...] =", reversed, reversed.view({dims{n}, dims{-8}, 8 * (n - 1)}));
  EXPECT_EQ(values_of<float64>(reversed), doubles(before.rbegin(), before.rend()));

  const ndarray repeated = fresh();
  assign("x[...] =", repeated, repeated.view({dims{1}, dims{8}, 8}));
  EXPECT_EQ(values_of<float64>(repeated), doubles(n, 2.0));
}

TEST_P(copy_on, fills_every_layout) {
  for (const layout& at : layouts_of_twelve_doubles()) {
    if (overlaps_itself(at, 8)) continue;
    const ndarray x = array_of(doubles(12, 0.0), dims{3, 4}, GetParam());
    const ndarray view = x.view(at);
    fill("x[...] =", view, scalar::of(std::int64_t{7}));
    EXPECT_EQ(values_of<float64>(view), doubles(static_cast<std::size_t>(view.size()), 7.0));
    double sum = 0;
    for (const double value : values_of<float64>(x)) sum += value;
    EXPECT_EQ(sum, 7.0 * static_cast<double>(view.size()));  // and nothing else
  }
}

TEST_P(copy_on, rejected_assignments_change_nothing) {
  const ndarray x = array_of(longs{1, 2, 3}, GetParam());
  const device elsewhere = GetParam() == cuda1 ? cpu0 : cuda1;
  EXPECT_THROW(assign("x[...] =", x, array_of(longs{9}, elsewhere)), device_mismatch_error);
  EXPECT_THROW(assign("x[...] =", x, array_of(doubles{9}, GetParam())), dtype_error);
  EXPECT_THROW(assign("x[...] =", x, array_of(longs{9, 9}, GetParam())), shape_error);
  EXPECT_THROW(assign("x[...] =", x, array_of(longs{9}, dims{1, 1}, GetParam())), shape_error);
  EXPECT_THROW(assign("x[...] =", x.read_only_view(), x), read_only_error);
  EXPECT_THROW(fill("x[...] =", x, scalar::of(0.5)), dtype_error);
  EXPECT_THROW(fill("x[...] =", x.read_only_view(), scalar::of(std::int64_t{1})), read_only_error);
  EXPECT_THROW(fill("x[...] =", x.view({dims{2, 3}, dims{0, 8}, 0}), scalar::of(std::int64_t{1})),
               read_only_error);
  EXPECT_EQ(values_of<int64>(x), (longs{1, 2, 3}));
}

TEST(copy, rejects_devices_that_do_not_exist) {
  const ndarray x = array_of(doubles{1});
  EXPECT_THROW((void)to_device(x, device{device_kind::cpu, 9}), device_unavailable_error);
  EXPECT_THROW((void)to_device(x, device{cuda_kind, 9}), device_unavailable_error);
}

TEST(copy, a_split_cuda_copy_is_a_whole_copy) {
  const ndarray x = array_of(counting<float64>(1000), dims{20, 50}, cuda0);
  set_index_limit(300);
  const ndarray fresh = copy_c_order(x.view({dims{50, 20}, dims{8, 400}, 0}));
  set_index_limit(index_limit_32bit);
  EXPECT_EQ(values_of<float64>(fresh), values_of<float64>(x.view({dims{50, 20}, dims{8, 400}, 0})));
}

}  // namespace
}  // namespace skerry::testing
