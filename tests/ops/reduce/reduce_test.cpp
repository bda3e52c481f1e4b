// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce.hpp"

#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "tests/core/refused_mixes.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;
using axes = std::vector<std::int64_t>;

NdArray over(std::string_view op, const NdArray& x, const axes& reduced_axes,
             bool keepdims = false) {
  return reduce(find_reduction(op).value(), x, std::span<const std::int64_t>(reduced_axes), {},
                keepdims);
}
NdArray over_all(std::string_view op, const NdArray& x, std::optional<Dtype> type = {},
                 bool keepdims = false) {
  return reduce(find_reduction(op).value(), x, std::nullopt, type, keepdims);
}

class ReduceOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, ReduceOn, ::testing::ValuesIn(every_device), device_name);

TEST_P(ReduceOn, reduces_over_any_axes) {
  const NdArray x = array_of(counting<float64>(24), Dims{2, 3, 4}, GetParam());
  EXPECT_EQ(over_all("sum", x).device(), GetParam());
  EXPECT_EQ(values_of<float64>(over_all("sum", x)), (doubles{276}));
  EXPECT_EQ(values_of<float64>(over("sum", x, {2})), (doubles{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(values_of<float64>(over("sum", x, {0})),
            (doubles{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(values_of<float64>(over("sum", x, {-2})), (doubles{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(values_of<float64>(over("sum", x, {0, 2})), (doubles{60, 92, 124}));
  EXPECT_EQ(values_of<float64>(over("max", x, {2, 1})), (doubles{11, 23}));
  EXPECT_EQ(values_of<float64>(over("mean", x, {0, 1, 2})), (doubles{11.5}));
}

TEST_P(ReduceOn, keeps_dimensions_on_request) {
  const NdArray x = array_of(counting<float64>(6), Dims{2, 3}, GetParam());
  EXPECT_EQ(over("sum", x, {1}, true).shape(), (Dims{2, 1}));
  EXPECT_EQ(over("sum", x, {1}).shape(), (Dims{2}));
  EXPECT_EQ(over_all("sum", x, {}, true).shape(), (Dims{1, 1}));
}

TEST_P(ReduceOn, over_no_axes_changes_only_the_dtype) {
  const NdArray x = array_of(std::vector<int32>{1, 0, 3}, GetParam());
  EXPECT_EQ(values_of<int64>(over("sum", x, {})), (longs{1, 0, 3}));
  EXPECT_EQ(values_of<int32>(over("max", x, {})), (std::vector<int32>{1, 0, 3}));
  EXPECT_EQ(values_of<bool>(over("any", x, {})), (std::vector<bool>{true, false, true}));
}

TEST_P(ReduceOn, reads_views_in_place) {
  const NdArray x = array_of(counting<float64>(24), Dims{4, 6}, GetParam());
  const Layout views[] = {
      {Dims{6, 4}, Dims{8, 48}, 0},      // transposed
      {Dims{4, 3}, Dims{48, 16}, 8},     // stepped
      {Dims{4, 6}, Dims{-48, -8}, 184},  // backwards
      {Dims{4, 6}, Dims{48, -8}, 40},    // one axis backwards
      {Dims{5, 6}, Dims{0, 8}, 48},      // broadcast
  };
  for (const Layout& layout : views) {
    const NdArray view = x.view(layout);
    const std::int64_t rows = layout.shape[0];
    const std::int64_t columns = layout.shape[1];
    const doubles values = values_of<float64>(view);
    doubles by_row(static_cast<std::size_t>(rows), 0.0);
    doubles by_column(static_cast<std::size_t>(columns), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      by_row[i / static_cast<std::size_t>(columns)] += values[i];
      by_column[i % static_cast<std::size_t>(columns)] += values[i];
      total += values[i];
    }
    EXPECT_EQ(values_of<float64>(over("sum", view, {1})), by_row);
    EXPECT_EQ(values_of<float64>(over("sum", view, {0})), by_column);
    EXPECT_EQ(values_of<float64>(over_all("sum", view)), (doubles{total}));
  }
}

TEST_P(ReduceOn, takes_more_axes_than_fit_its_parameters) {
  // Nine kept and nine reduced axes in turn, so that neither group coalesces in place.
  Dims shape(18, 2);
  axes every_second;
  for (int axis = 1; axis < 18; axis += 2) every_second.push_back(axis);
  const NdArray x = array_of(counting<float64>(1 << 18), shape, GetParam());
  const doubles sums = values_of<float64>(over("sum", x, every_second));
  doubles expected(1 << 9, 0.0);
  for (std::size_t i = 0; i < (1 << 18); ++i) {
    std::size_t output_index = 0;
    for (std::size_t bit = 0; bit < 9; ++bit) output_index |= (i >> (2 * bit + 1) & 1) << bit;
    expected[output_index] += static_cast<double>(i);
  }
  EXPECT_EQ(sums, expected);
}

TEST_P(ReduceOn, gives_the_identity_for_no_elements) {
  const NdArray none = array_of(doubles{}, Dims{0}, GetParam());
  EXPECT_EQ(values_of<float64>(over_all("sum", none)), (doubles{0}));
  EXPECT_EQ(values_of<float64>(over_all("prod", none)), (doubles{1}));
  EXPECT_TRUE(std::isnan(values_of<float64>(over_all("mean", none))[0]));
  EXPECT_EQ(values_of<bool>(over_all("all", none)), (std::vector<bool>{true}));
  EXPECT_EQ(values_of<bool>(over_all("any", none)), (std::vector<bool>{false}));
  EXPECT_THROW((void)over_all("max", none), ValueError);
  EXPECT_THROW((void)over_all("min", none), ValueError);
  const NdArray rows = array_of(doubles{}, Dims{3, 0}, GetParam());
  EXPECT_EQ(values_of<float64>(over("sum", rows, {1})), (doubles{0, 0, 0}));
  EXPECT_EQ(over("max", rows, {0}).shape(), (Dims{0}));
  EXPECT_THROW((void)over("max", rows, {1}), ValueError);
}

TEST_P(ReduceOn, sums_integers_in_64_bits) {
  const NdArray bytes = array_of(std::vector<uint8>{200, 200, 200}, GetParam());
  EXPECT_EQ(values_of<uint64>(over_all("sum", bytes)), (std::vector<uint64>{600}));
  const NdArray flags = array_of(std::vector<bool>{true, true, false}, GetParam());
  EXPECT_EQ(values_of<int64>(over_all("sum", flags)), (longs{2}));
  EXPECT_EQ(values_of<float32>(over_all("sum", array_of(std::vector<float32>{1, 2}, GetParam()))),
            (std::vector<float32>{3}));
}

TEST_P(ReduceOn, casts_to_dtype_before_it_adds) {
  const NdArray x = array_of(longs{100, 100, 100}, GetParam());
  EXPECT_EQ(values_of<int8>(over_all("sum", x, Dtype::int8)), (std::vector<int8>{44}));
  EXPECT_EQ(values_of<float64>(over_all("sum", x, Dtype::float64)), (doubles{300}));
  const NdArray halves = array_of(doubles{0.5, 0.5, 1.5}, GetParam());
  EXPECT_EQ(values_of<int64>(over_all("sum", halves, Dtype::int64)), (longs{1}));
  EXPECT_EQ(values_of<float32>(over_all("prod", halves, Dtype::float32)),
            (std::vector<float32>{0.375F}));
  EXPECT_THROW((void)over_all("sum", halves, Dtype::bool_), DtypeError);
  EXPECT_THROW((void)over_all("max", halves, Dtype::float32), TypeError);
}

TEST_P(ReduceOn, propagates_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const doubles& values : {doubles{nan, 1, 2}, doubles{1, nan, 2}, doubles{1, 2, nan}}) {
    for (const char* op : {"max", "min", "sum", "prod", "mean"}) {
      EXPECT_TRUE(std::isnan(values_of<float64>(over_all(op, array_of(values, GetParam())))[0]));
    }
  }
}

TEST_P(ReduceOn, is_exact_over_long_runs_of_whole_numbers) {
  for (const std::int64_t n : {1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 100003}) {
    const NdArray x = array_of(counting<float64>(n), GetParam());
    const double half = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
    EXPECT_EQ(values_of<float64>(over_all("sum", x)), (doubles{half})) << n;
    EXPECT_EQ(values_of<float64>(over_all("max", x)), (doubles{static_cast<double>(n - 1)})) << n;
  }
}

TEST(reduce, takes_complex_for_sums_and_products_only) {
  const RefusedMixes strict;
  const NdArray x = array_of(std::vector<complex128>{{1, 1}, {2, -1}});
  EXPECT_EQ(values_of<complex128>(over_all("sum", x)), (std::vector<complex128>{{3, 0}}));
  EXPECT_EQ(values_of<complex128>(over_all("prod", x)), (std::vector<complex128>{{3, 1}}));
  EXPECT_EQ(values_of<complex128>(over_all("mean", x)), (std::vector<complex128>{{1.5, 0}}));
  EXPECT_THROW((void)over_all("max", x), DtypeError);
  EXPECT_THROW((void)over_all("sum", x, Dtype::float64), DtypeError);
  EXPECT_THROW((void)over_all("mean", array_of(longs{1, 2})), DtypeError);
}

TEST(reduce, rejects_axes_outside_the_array_and_repeated_ones) {
  const NdArray x = array_of(counting<float64>(6), Dims{2, 3});
  EXPECT_THROW((void)over("sum", x, {2}), AxisError);
  EXPECT_THROW((void)over("sum", x, {-3}), AxisError);
  EXPECT_THROW((void)over("sum", x, {0, -2}), ValueError);
}

}  // namespace
}  // namespace skerry::testing
