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

class CopyOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, CopyOn, ::testing::ValuesIn(every_device), device_name);

/// Views of a 3 by 4 array.
std::vector<Layout> layouts_of_twelve_doubles() {
  return {
      {Dims{3, 4}, Dims{32, 8}, 0},     // C
      {Dims{4, 3}, Dims{8, 32}, 0},     // transposed
      {Dims{2, 3}, Dims{32, 8}, 40},    // offset slice
      {Dims{3, 4}, Dims{-32, -8}, 88},  // backwards
      {Dims{2, 2}, Dims{64, 16}, 8},    // stepped
      {Dims{2, 4}, Dims{0, 8}, 32},     // broadcast
      {Dims{}, Dims{}, 24},             // one element
      {Dims{0, 4}, Dims{32, 8}, 0},     // empty
  };
}

TEST_P(CopyOn, copies_every_layout) {
  const NdArray x = array_of(counting<float64>(12), Dims{3, 4}, GetParam());
  for (const Layout& layout : layouts_of_twelve_doubles()) {
    const NdArray view = x.view(layout);
    const NdArray copied_array = copy(view);
    EXPECT_EQ(copied_array.device(), GetParam());
    EXPECT_EQ(copied_array.shape(), view.shape());
    EXPECT_FALSE(may_overlap(copied_array, x));
    EXPECT_EQ(values_of<float64>(copied_array), values_of<float64>(view));
    EXPECT_TRUE(contiguous(view).is_c_contiguous());
    EXPECT_EQ(values_of<float64>(contiguous(view)), values_of<float64>(view));
  }
}

TEST_P(CopyOn, keeps_the_order_of_a_dense_array_unless_c_order_is_requested) {
  const NdArray x = array_of(counting<float64>(12), Dims{3, 4}, GetParam());
  const NdArray t = x.view({Dims{4, 3}, Dims{8, 32}, 0});
  EXPECT_EQ(copy(t).strides(), (Dims{8, 32}));
  EXPECT_TRUE(copy_c_order(t).is_c_contiguous());
  EXPECT_EQ(contiguous(x).memory(), x.memory());
}

TEST_P(CopyOn, casts_every_layout) {
  const NdArray x = array_of(counting<float64>(12), Dims{3, 4}, GetParam());
  for (const Layout& layout : layouts_of_twelve_doubles()) {
    const NdArray view = x.view(layout);
    longs expected;
    for (const float64 value : values_of<float64>(view)) expected.push_back(int64(value));
    EXPECT_EQ(values_of<int64>(astype(view, Dtype::int64, false)), expected);
  }
}

TEST_P(CopyOn, astype_returns_the_array_itself_unless_a_copy_is_requested) {
  const NdArray x = array_of(doubles{1, 2}, GetParam());
  EXPECT_EQ(astype(x, Dtype::float64, false).memory(), x.memory());
  EXPECT_NE(astype(x, Dtype::float64, true).memory(), x.memory());
  EXPECT_THROW((void)astype(astype(x, Dtype::complex128, false), Dtype::float64, false),
               DtypeError);
}

TEST_P(CopyOn, to_device_preserves_dtype_shape_and_values) {
  const NdArray x = array_of(counting<float64>(12), Dims{3, 4}, GetParam());
  for (const Device target : every_device) {
    for (const Layout& layout : layouts_of_twelve_doubles()) {
      const NdArray view = x.view(layout);
      const NdArray device_array = to_device(view, target);
      EXPECT_EQ(device_array.device(), target);
      EXPECT_EQ(device_array.shape(), view.shape());
      EXPECT_EQ(values_of<float64>(device_array), values_of<float64>(view));
      EXPECT_EQ(device_array.memory() == x.memory(), target == GetParam());
    }
  }
}

TEST_P(CopyOn, assigns_arrays_that_broadcast_and_promote) {
  const NdArray x = array_of(doubles(6, 0.0), Dims{2, 3}, GetParam());
  assign(x, array_of(std::vector<float32>{1, 2, 3}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 2, 3, 1, 2, 3}));
  assign(x.view({Dims{2}, Dims{24}, 8}), array_of(doubles{8, 9}, GetParam()));
  EXPECT_EQ(values_of<float64>(x), (doubles{1, 8, 3, 1, 9, 3}));
}

TEST_P(CopyOn, assigns_overlapping_views_as_if_copied) {
  constexpr std::int64_t n = 5000;  // more than any kernel copies at a time
  const doubles original_values = counting<float64>(n, 1.0);
  const auto new_array = [&] { return array_of(original_values, GetParam()); };

  const NdArray shifted = new_array();
  assign(shifted.view({Dims{n - 1}, Dims{8}, 8}), shifted.view({Dims{n - 1}, Dims{8}, 0}));
  doubles expected = original_values;
  std::copy(original_values.begin(), original_values.end() - 1, expected.begin() + 1);
  EXPECT_EQ(values_of<float64>(shifted), expected);

  const NdArray reversed = new_array();
  assign(reversed, reversed.view({Dims{n}, Dims{-8}, 8 * (n - 1)}));
  EXPECT_EQ(values_of<float64>(reversed),
            doubles(original_values.rbegin(), original_values.rend()));

  const NdArray repeated = new_array();
  assign(repeated, repeated.view({Dims{1}, Dims{8}, 8}));
  EXPECT_EQ(values_of<float64>(repeated), doubles(n, 2.0));
}

TEST_P(CopyOn, fills_every_layout) {
  for (const Layout& layout : layouts_of_twelve_doubles()) {
    if (overlaps_itself(layout, 8)) continue;
    const NdArray x = array_of(doubles(12, 0.0), Dims{3, 4}, GetParam());
    const NdArray view = x.view(layout);
    fill(view, Scalar::from_value(std::int64_t{7}));
    EXPECT_EQ(values_of<float64>(view), doubles(static_cast<std::size_t>(view.size()), 7.0));
    double sum = 0;
    for (const double value : values_of<float64>(x)) sum += value;
    EXPECT_EQ(sum, 7.0 * static_cast<double>(view.size()));  // the rest is still 0
  }
}

TEST_P(CopyOn, rejected_assignments_change_nothing) {
  const NdArray x = array_of(longs{1, 2, 3}, GetParam());
  const Device elsewhere = GetParam() == cuda1 ? cpu0 : cuda1;
  EXPECT_THROW(assign(x, array_of(longs{9}, elsewhere)), DeviceMismatchError);
  EXPECT_THROW(assign(x, array_of(doubles{9}, GetParam())), DtypeError);
  EXPECT_THROW(assign(x, array_of(longs{9, 9}, GetParam())), ShapeError);
  EXPECT_THROW(assign(x, array_of(longs{9}, Dims{1, 1}, GetParam())), ShapeError);
  EXPECT_THROW(assign(x.read_only_view(), x), ReadOnlyError);
  EXPECT_THROW(fill(x, Scalar::from_value(0.5)), DtypeError);
  EXPECT_THROW(fill(x.read_only_view(), Scalar::from_value(std::int64_t{1})), ReadOnlyError);
  EXPECT_THROW(fill(x.view({Dims{2, 3}, Dims{0, 8}, 0}), Scalar::from_value(std::int64_t{1})),
               ReadOnlyError);
  EXPECT_EQ(values_of<int64>(x), (longs{1, 2, 3}));
}

TEST(copy, rejects_devices_that_do_not_exist) {
  const NdArray x = array_of(doubles{1});
  EXPECT_THROW((void)to_device(x, Device{DeviceKind::cpu, 9}), DeviceUnavailableError);
  EXPECT_THROW((void)to_device(x, Device{cuda_kind, 9}), DeviceUnavailableError);
}

TEST(copy, cuda_copy_in_parts_copies_every_element) {
  const NdArray x = array_of(counting<float64>(1000), Dims{20, 50}, cuda0);
  set_index_limit(300);
  const NdArray copied_array = copy_c_order(x.view({Dims{50, 20}, Dims{8, 400}, 0}));
  set_index_limit(index_limit_32bit);
  EXPECT_EQ(values_of<float64>(copied_array),
            values_of<float64>(x.view({Dims{50, 20}, Dims{8, 400}, 0})));
}

}  // namespace
}  // namespace skerry::testing
