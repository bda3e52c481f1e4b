// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/create/create.hpp"

#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "tests/core/refused_mixes.hpp"
#include "tests/ops/arrays.hpp"

namespace skerry::testing {
namespace {

using doubles = std::vector<float64>;
using longs = std::vector<int64>;

scalar whole(std::int64_t value) { return scalar::of(value); }
scalar real(double value) { return scalar::of(value); }

class creation_on : public ::testing::TestWithParam<device> {};
INSTANTIATE_TEST_SUITE_P(every_device, creation_on, ::testing::ValuesIn(every_device), device_name);

TEST_P(creation_on, full_fills_every_dtype) {
  for (int i = 0; i < dtype_count; ++i) {
    const ndarray x = full(dims{2, 3}, scalar::of(true), static_cast<dtype>(i), GetParam());
    EXPECT_EQ(x.device(), GetParam());
    EXPECT_EQ(x.dtype(), static_cast<dtype>(i));
    const ndarray as_double = kind(x.dtype()) == dtype_kind::complex_floating
                                  ? call("real", astype(x, dtype::complex128, false))
                                  : astype(x, dtype::float64, false);
    EXPECT_EQ(values_of<float64>(as_double), doubles(6, 1.0)) << name(x.dtype());
  }
}

TEST_P(creation_on, arange_of_integers_is_exact) {
  const auto range = [](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return values_of<int64>(arange(whole(start), whole(stop), whole(step), {}, GetParam()));
  };
  EXPECT_EQ(range(0, 5, 1), (longs{0, 1, 2, 3, 4}));
  EXPECT_EQ(range(5, 0, -2), (longs{5, 3, 1}));
  EXPECT_EQ(range(0, 6, 3), (longs{0, 3}));
  EXPECT_EQ(range(5, 0, 1), (longs{}));
  EXPECT_EQ(range(INT64_MIN, INT64_MAX, INT64_MAX), (longs{INT64_MIN, -1, INT64_MAX - 1}));
}

TEST_P(creation_on, arange_of_unsigned_integers_reaches_their_end) {
  const scalar start = scalar::of_unsigned(UINT64_MAX - 2);
  const ndarray x =
      arange(start, scalar::of_unsigned(UINT64_MAX), whole(1), dtype::uint64, GetParam());
  EXPECT_EQ(values_of<uint64>(x), (std::vector<uint64>{UINT64_MAX - 2, UINT64_MAX - 1}));
  const ndarray down = arange(whole(3), whole(0), whole(-1), dtype::uint8, GetParam());
  EXPECT_EQ(values_of<uint8>(down), (std::vector<uint8>{3, 2, 1}));
}

TEST_P(creation_on, arange_of_floats_has_the_rounded_up_number_of_elements) {
  const auto range = [](double start, double stop, double step) {
    return values_of<float64>(arange(real(start), real(stop), real(step), {}, GetParam()));
  };
  EXPECT_EQ(range(0, 1, 0.25), (doubles{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(range(0, 1.1, 0.5), (doubles{0, 0.5, 1}));
  EXPECT_EQ(range(1, 0, 0.5), (doubles{}));
  const ndarray floats = arange(whole(0), whole(3), whole(1), dtype::float32, GetParam());
  EXPECT_EQ(values_of<float32>(floats), (std::vector<float32>{0, 1, 2}));
}

TEST_P(creation_on, linspace_ends_are_exact) {
  const doubles values =
      values_of<float64>(linspace(real(0.1), real(0.7), 7, {}, GetParam(), true));
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values.front(), 0.1);
  EXPECT_EQ(values.back(), 0.7);
  // 49 * (1 / 49) is less than 1.
  EXPECT_EQ(values_of<float64>(linspace(real(0), real(1), 50, {}, GetParam(), true)).back(), 1.0);
  EXPECT_EQ(values_of<float64>(linspace(real(3), real(9), 1, {}, GetParam(), true)), (doubles{3}));
  EXPECT_EQ(values_of<float64>(linspace(real(3), real(9), 0, {}, GetParam(), true)), (doubles{}));
}

TEST_P(creation_on, linspace_without_the_end_has_the_bits_of_one_with_it) {
  for (const std::int64_t num : {1, 2, 3, 7, 49, 1000}) {
    for (const dtype type : {dtype::float32, dtype::float64}) {
      const ndarray open = linspace(real(-0.3), real(1.7), num, type, GetParam(), false);
      const ndarray closed = linspace(real(-0.3), real(1.7), num + 1, type, GetParam(), true);
      doubles longer = values_of<float64>(astype(closed, dtype::float64, false));
      longer.pop_back();
      EXPECT_EQ(values_of<float64>(astype(open, dtype::float64, false)), longer) << num;
    }
  }
}

TEST_P(creation_on, linspace_takes_complex_ends) {
  const ndarray x = linspace(scalar::of(0.0, 0.0), scalar::of(2.0, 4.0), 3, {}, GetParam(), true);
  EXPECT_EQ(values_of<complex128>(x), (std::vector<complex128>{{0, 0}, {1, 2}, {2, 4}}));
}

TEST_P(creation_on, eye_has_ones_on_one_diagonal) {
  EXPECT_EQ(values_of<float64>(eye(2, 3, 0, dtype::float64, GetParam())),
            (doubles{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(values_of<int64>(eye(2, 3, 1, dtype::int64, GetParam())), (longs{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values_of<int64>(eye(2, 2, -1, dtype::int64, GetParam())), (longs{0, 0, 1, 0}));
  EXPECT_EQ(values_of<bool>(eye(1, 1, 0, dtype::bool_, GetParam())), (std::vector<bool>{true}));
  for (const std::int64_t k : {std::int64_t{9}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(values_of<int64>(eye(2, 2, k, dtype::int64, GetParam())), (longs{0, 0, 0, 0}));
  }
  EXPECT_EQ(eye(0, 3, 0, dtype::float64, GetParam()).shape(), (dims{0, 3}));
}

TEST_P(creation_on, tril_and_triu_keep_their_part_of_every_matrix_of_a_stack) {
  const ndarray x = array_of(counting<int64>(8, 1), dims{2, 2, 2}, GetParam());
  EXPECT_EQ(values_of<int64>(tril(x, 0)), (longs{1, 0, 3, 4, 5, 0, 7, 8}));
  EXPECT_EQ(values_of<int64>(triu(x, 0)), (longs{1, 2, 0, 4, 5, 6, 0, 8}));
  EXPECT_EQ(values_of<int64>(tril(x, -1)), (longs{0, 0, 3, 0, 0, 0, 7, 0}));
  EXPECT_EQ(values_of<int64>(triu(x, INT64_MIN)), values_of<int64>(x));
  const ndarray mask = array_of(std::vector<bool>{true, true, true, true}, dims{2, 2}, GetParam());
  EXPECT_EQ(values_of<bool>(tril(mask, 0)), (std::vector<bool>{true, false, true, true}));
  EXPECT_THROW((void)tril(array_of(longs{1, 2}, GetParam()), 0), shape_error);
}

TEST_P(creation_on, tril_drops_nan_instead_of_multiplying_it) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ndarray x = array_of(doubles{1, nan, 2, 3}, dims{2, 2}, GetParam());
  EXPECT_EQ(values_of<float64>(tril(x, 0)), (doubles{1, 0, 2, 3}));
}

TEST_P(creation_on, meshgrid_follows_both_indexings_and_repeats_read_only) {
  const ndarray arrays[] = {array_of(longs{1, 2, 3}, GetParam()),
                            array_of(longs{7, 8}, GetParam())};
  const std::vector<ndarray> xy = meshgrid(arrays, true);
  EXPECT_EQ(xy[0].shape(), (dims{2, 3}));
  EXPECT_EQ(values_of<int64>(xy[0]), (longs{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(values_of<int64>(xy[1]), (longs{7, 7, 7, 8, 8, 8}));
  const std::vector<ndarray> ij = meshgrid(arrays, false);
  EXPECT_EQ(ij[0].shape(), (dims{3, 2}));
  EXPECT_EQ(values_of<int64>(ij[0]), (longs{1, 1, 2, 2, 3, 3}));
  EXPECT_TRUE(ij[0].read_only());
}

TEST(meshgrid, takes_any_number_of_at_most_one_dimensional_arrays_on_one_device) {
  EXPECT_TRUE(meshgrid({}, true).empty());
  const ndarray one[] = {array_of(longs{1, 2})};
  EXPECT_EQ(values_of<int64>(meshgrid(one, true)[0]), (longs{1, 2}));
  const ndarray zero_d[] = {array_of(longs{5}, dims{}), array_of(longs{1, 2})};
  EXPECT_EQ(meshgrid(zero_d, true)[0].shape(), (dims{2, 1}));
  const ndarray matrix[] = {array_of(longs{1, 2}, dims{1, 2})};
  EXPECT_THROW((void)meshgrid(matrix, true), shape_error);
  const ndarray apart[] = {array_of(longs{1}), array_of(longs{1}, cpu1)};
  EXPECT_TRUE(mentions(thrown_by<device_mismatch_error>([&] { (void)meshgrid(apart, true); }),
                       "arrays[1]"));
}

TEST(creation, rejects_bad_shapes_before_it_allocates) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<std::size_t> before = live_bytes();
  EXPECT_THROW((void)empty(dims{-1}, dtype::float64, cpu0), shape_error);
  EXPECT_THROW((void)empty(dims{huge, huge}, dtype::float64, cpu0), shape_error);
  EXPECT_THROW((void)empty(dims(65, 1), dtype::float64, cpu0), shape_error);
  EXPECT_THROW((void)eye(-1, 2, 0, dtype::float64, cpu0), shape_error);
  EXPECT_THROW((void)arange(whole(0), whole(huge), whole(1), {}, cpu0), shape_error);
  EXPECT_THROW((void)arange(real(0), real(1e300), real(1), {}, cpu0), shape_error);
  EXPECT_THROW((void)linspace(real(0), real(1), huge, {}, cpu0, true), shape_error);
  EXPECT_EQ(live_bytes(), before);
}

TEST(creation, rejects_values_that_give_no_sequence) {
  const refused_mixes strict;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)arange(whole(0), whole(5), whole(0), {}, cpu0), value_error);
  EXPECT_THROW((void)arange(real(0), real(nan), real(1), {}, cpu0), value_error);
  EXPECT_THROW((void)arange(whole(0), whole(300), whole(1), dtype::uint8, cpu0), overflow_error);
  EXPECT_THROW((void)arange(whole(-1), whole(3), whole(1), dtype::uint8, cpu0), overflow_error);
  EXPECT_THROW((void)arange(real(0.5), real(3), real(1), dtype::int64, cpu0), dtype_error);
  EXPECT_THROW((void)arange(whole(0), whole(3), whole(1), dtype::bool_, cpu0), dtype_error);
  EXPECT_THROW((void)arange(scalar::of(0.0, 1.0), whole(3), whole(1), {}, cpu0), dtype_error);
  EXPECT_THROW((void)linspace(real(0), real(1), -1, {}, cpu0, true), value_error);
  EXPECT_THROW((void)linspace(real(0), real(1), 3, dtype::int64, cpu0, true), dtype_error);
  EXPECT_THROW((void)linspace(scalar::of(0.0, 1.0), real(1), 3, dtype::float64, cpu0, true),
               dtype_error);
  EXPECT_THROW((void)full(dims{2}, real(0.5), dtype::int64, cpu0), dtype_error);
  EXPECT_THROW((void)full(dims{2}, whole(256), dtype::uint8, cpu0), overflow_error);
}

TEST(creation, rejects_devices_that_do_not_exist) {
  EXPECT_THROW((void)empty(dims{2}, dtype::float64, device{device_kind::cpu, 7}),
               device_unavailable_error);
}

}  // namespace
}  // namespace skerry::testing
