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

Scalar whole(std::int64_t value) { return Scalar::from_value(value); }
Scalar real(double value) { return Scalar::from_value(value); }

class CreationOn : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(every_device, CreationOn, ::testing::ValuesIn(every_device), device_name);

TEST_P(CreationOn, full_fills_every_dtype) {
  for (int i = 0; i < dtype_count; ++i) {
    const NdArray x = full(Dims{2, 3}, Scalar::from_value(true), static_cast<Dtype>(i), GetParam());
    EXPECT_EQ(x.device(), GetParam());
    EXPECT_EQ(x.dtype(), static_cast<Dtype>(i));
    const NdArray as_double = kind(x.dtype()) == DtypeKind::complex_floating
                                  ? call("real", astype(x, Dtype::complex128, false))
                                  : astype(x, Dtype::float64, false);
    EXPECT_EQ(values_of<float64>(as_double), doubles(6, 1.0)) << name(x.dtype());
  }
}

TEST_P(CreationOn, arange_of_integers_is_exact) {
  const auto range = [](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return values_of<int64>(arange(whole(start), whole(stop), whole(step), {}, GetParam()));
  };
  EXPECT_EQ(range(0, 5, 1), (longs{0, 1, 2, 3, 4}));
  EXPECT_EQ(range(5, 0, -2), (longs{5, 3, 1}));
  EXPECT_EQ(range(0, 6, 3), (longs{0, 3}));
  EXPECT_EQ(range(5, 0, 1), (longs{}));
  EXPECT_EQ(range(INT64_MIN, INT64_MAX, INT64_MAX), (longs{INT64_MIN, -1, INT64_MAX - 1}));
}

TEST_P(CreationOn, arange_of_uint64_reaches_its_largest_values) {
  const Scalar start = Scalar::of_unsigned(UINT64_MAX - 2);
  const NdArray x =
      arange(start, Scalar::of_unsigned(UINT64_MAX), whole(1), Dtype::uint64, GetParam());
  EXPECT_EQ(values_of<uint64>(x), (std::vector<uint64>{UINT64_MAX - 2, UINT64_MAX - 1}));
  const NdArray down = arange(whole(3), whole(0), whole(-1), Dtype::uint8, GetParam());
  EXPECT_EQ(values_of<uint8>(down), (std::vector<uint8>{3, 2, 1}));
}

TEST_P(CreationOn, arange_of_floats_has_the_rounded_up_number_of_elements) {
  const auto range = [](double start, double stop, double step) {
    return values_of<float64>(arange(real(start), real(stop), real(step), {}, GetParam()));
  };
  EXPECT_EQ(range(0, 1, 0.25), (doubles{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(range(0, 1.1, 0.5), (doubles{0, 0.5, 1}));
  EXPECT_EQ(range(1, 0, 0.5), (doubles{}));
  const NdArray floats = arange(whole(0), whole(3), whole(1), Dtype::float32, GetParam());
  EXPECT_EQ(values_of<float32>(floats), (std::vector<float32>{0, 1, 2}));
}

TEST_P(CreationOn, linspace_ends_are_exact) {
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

TEST_P(CreationOn, linspace_without_endpoint_equals_a_longer_one_bit_for_bit) {
  for (const std::int64_t num : {1, 2, 3, 7, 49, 1000}) {
    for (const Dtype type : {Dtype::float32, Dtype::float64}) {
      const NdArray open = linspace(real(-0.3), real(1.7), num, type, GetParam(), false);
      const NdArray closed = linspace(real(-0.3), real(1.7), num + 1, type, GetParam(), true);
      doubles longer = values_of<float64>(astype(closed, Dtype::float64, false));
      longer.pop_back();
      EXPECT_EQ(values_of<float64>(astype(open, Dtype::float64, false)), longer) << num;
    }
  }
}

TEST_P(CreationOn, linspace_accepts_complex_endpoints) {
  const NdArray x =
      linspace(Scalar::from_value(0.0, 0.0), Scalar::from_value(2.0, 4.0), 3, {}, GetParam(), true);
  EXPECT_EQ(values_of<complex128>(x), (std::vector<complex128>{{0, 0}, {1, 2}, {2, 4}}));
}

TEST_P(CreationOn, eye_has_ones_on_one_diagonal) {
  EXPECT_EQ(values_of<float64>(eye(2, 3, 0, Dtype::float64, GetParam())),
            (doubles{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(values_of<int64>(eye(2, 3, 1, Dtype::int64, GetParam())), (longs{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(values_of<int64>(eye(2, 2, -1, Dtype::int64, GetParam())), (longs{0, 0, 1, 0}));
  EXPECT_EQ(values_of<bool>(eye(1, 1, 0, Dtype::bool_, GetParam())), (std::vector<bool>{true}));
  for (const std::int64_t k : {std::int64_t{9}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(values_of<int64>(eye(2, 2, k, Dtype::int64, GetParam())), (longs{0, 0, 0, 0}));
  }
  EXPECT_EQ(eye(0, 3, 0, Dtype::float64, GetParam()).shape(), (Dims{0, 3}));
}

TEST_P(CreationOn, tril_and_triu_keep_their_part_of_every_matrix_of_a_stack) {
  const NdArray x = array_of(counting<int64>(8, 1), Dims{2, 2, 2}, GetParam());
  EXPECT_EQ(values_of<int64>(tril(x, 0)), (longs{1, 0, 3, 4, 5, 0, 7, 8}));
  EXPECT_EQ(values_of<int64>(triu(x, 0)), (longs{1, 2, 0, 4, 5, 6, 0, 8}));
  EXPECT_EQ(values_of<int64>(tril(x, -1)), (longs{0, 0, 3, 0, 0, 0, 7, 0}));
  EXPECT_EQ(values_of<int64>(triu(x, INT64_MIN)), values_of<int64>(x));
  const NdArray mask = array_of(std::vector<bool>{true, true, true, true}, Dims{2, 2}, GetParam());
  EXPECT_EQ(values_of<bool>(tril(mask, 0)), (std::vector<bool>{true, false, true, true}));
  EXPECT_THROW((void)tril(array_of(longs{1, 2}, GetParam()), 0), ShapeError);
}

TEST_P(CreationOn, tril_drops_nan_instead_of_multiplying_it) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NdArray x = array_of(doubles{1, nan, 2, 3}, Dims{2, 2}, GetParam());
  EXPECT_EQ(values_of<float64>(tril(x, 0)), (doubles{1, 0, 2, 3}));
}

TEST_P(CreationOn, meshgrid_supports_both_indexings_and_broadcasts_read_only) {
  const NdArray arrays[] = {array_of(longs{1, 2, 3}, GetParam()),
                            array_of(longs{7, 8}, GetParam())};
  const std::vector<NdArray> xy = meshgrid(arrays, true);
  EXPECT_EQ(xy[0].shape(), (Dims{2, 3}));
  EXPECT_EQ(values_of<int64>(xy[0]), (longs{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(values_of<int64>(xy[1]), (longs{7, 7, 7, 8, 8, 8}));
  const std::vector<NdArray> ij = meshgrid(arrays, false);
  EXPECT_EQ(ij[0].shape(), (Dims{3, 2}));
  EXPECT_EQ(values_of<int64>(ij[0]), (longs{1, 1, 2, 2, 3, 3}));
  EXPECT_TRUE(ij[0].read_only());
}

TEST(meshgrid, takes_any_number_of_at_most_one_dimensional_arrays_on_one_device) {
  EXPECT_TRUE(meshgrid({}, true).empty());
  const NdArray one[] = {array_of(longs{1, 2})};
  EXPECT_EQ(values_of<int64>(meshgrid(one, true)[0]), (longs{1, 2}));
  const NdArray zero_d[] = {array_of(longs{5}, Dims{}), array_of(longs{1, 2})};
  EXPECT_EQ(meshgrid(zero_d, true)[0].shape(), (Dims{2, 1}));
  const NdArray matrix[] = {array_of(longs{1, 2}, Dims{1, 2})};
  EXPECT_THROW((void)meshgrid(matrix, true), ShapeError);
  const NdArray mixed_arrays[] = {array_of(longs{1}), array_of(longs{1}, cpu1)};
  EXPECT_TRUE(mentions(thrown_by<DeviceMismatchError>([&] { (void)meshgrid(mixed_arrays, true); }),
                       "arrays[1]"));
}

TEST(creation, rejects_bad_shapes_before_it_allocates) {
  const std::int64_t huge = std::int64_t{1} << 62;
  const std::vector<std::size_t> bytes_before = live_bytes();
  EXPECT_THROW((void)empty(Dims{-1}, Dtype::float64, cpu0), ShapeError);
  EXPECT_THROW((void)empty(Dims{huge, huge}, Dtype::float64, cpu0), ShapeError);
  EXPECT_THROW((void)empty(Dims(65, 1), Dtype::float64, cpu0), ShapeError);
  EXPECT_THROW((void)eye(-1, 2, 0, Dtype::float64, cpu0), ShapeError);
  EXPECT_THROW((void)arange(whole(0), whole(huge), whole(1), {}, cpu0), ShapeError);
  EXPECT_THROW((void)arange(real(0), real(1e300), real(1), {}, cpu0), ShapeError);
  EXPECT_THROW((void)linspace(real(0), real(1), huge, {}, cpu0, true), ShapeError);
  EXPECT_EQ(live_bytes(), bytes_before);
}

TEST(creation, rejects_values_that_give_no_sequence) {
  const RefusedMixes strict;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)arange(whole(0), whole(5), whole(0), {}, cpu0), ValueError);
  EXPECT_THROW((void)arange(real(0), real(nan), real(1), {}, cpu0), ValueError);
  EXPECT_THROW((void)arange(whole(0), whole(300), whole(1), Dtype::uint8, cpu0), OverflowError);
  EXPECT_THROW((void)arange(whole(-1), whole(3), whole(1), Dtype::uint8, cpu0), OverflowError);
  EXPECT_THROW((void)arange(real(0.5), real(3), real(1), Dtype::int64, cpu0), DtypeError);
  EXPECT_THROW((void)arange(whole(0), whole(3), whole(1), Dtype::bool_, cpu0), DtypeError);
  EXPECT_THROW((void)arange(Scalar::from_value(0.0, 1.0), whole(3), whole(1), {}, cpu0), TypeError);
  EXPECT_THROW((void)linspace(real(0), real(1), -1, {}, cpu0, true), ValueError);
  EXPECT_THROW((void)linspace(real(0), real(1), 3, Dtype::int64, cpu0, true), DtypeError);
  EXPECT_THROW((void)linspace(Scalar::from_value(0.0, 1.0), real(1), 3, Dtype::float64, cpu0, true),
               DtypeError);
  EXPECT_THROW((void)full(Dims{2}, real(0.5), Dtype::int64, cpu0), DtypeError);
  EXPECT_THROW((void)full(Dims{2}, whole(256), Dtype::uint8, cpu0), OverflowError);
}

TEST(creation, rejects_devices_that_do_not_exist) {
  EXPECT_THROW((void)empty(Dims{2}, Dtype::float64, Device{DeviceKind::cpu, 7}),
               DeviceUnavailableError);
}

}  // namespace
}  // namespace skerry::testing
