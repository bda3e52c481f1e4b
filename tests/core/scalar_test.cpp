// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/errors.hpp"
#include "core/scalar_conversion.hpp"
#include "tests/core/refused_mixes.hpp"

namespace skerry {
namespace {

using enum Dtype;

const Scalar a_bool = Scalar::from_value(true);
const Scalar an_int = Scalar::from_value(std::int64_t{7});
const Scalar a_float = Scalar::from_value(1.5);
const Scalar a_complex = Scalar::from_value(1.5, -2.0);

template <class Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of the expected type was thrown";
  return "";
}

TEST(promote_scalar, keeps_the_dtype_of_the_array_where_the_standard_allows_the_mix) {
  EXPECT_EQ(promote_scalar(bool_, a_bool), bool_);
  for (const Dtype type : {int8, int16, int32, int64, uint8, uint16, uint32, uint64}) {
    EXPECT_EQ(promote_scalar(type, an_int), type);
  }
  for (const Dtype type : {float32, float64, complex64, complex128}) {
    EXPECT_EQ(promote_scalar(type, an_int), type);
    EXPECT_EQ(promote_scalar(type, a_float), type);
  }
  EXPECT_EQ(promote_scalar(complex64, a_complex), complex64);
  EXPECT_EQ(promote_scalar(complex128, a_complex), complex128);
}

TEST(promote_scalar, makes_real_arrays_complex_of_their_width) {
  EXPECT_EQ(promote_scalar(float32, a_complex), complex64);
  EXPECT_EQ(promote_scalar(float64, a_complex), complex128);
}

TEST(promote_scalar, rejects_every_other_mix) {
  const RefusedMixes strict;
  for (const Scalar& value : {an_int, a_float, a_complex}) {
    EXPECT_THROW(static_cast<void>(promote_scalar(bool_, value)), DtypeError);
  }
  for (const Dtype type : {int8, int16, int32, int64, uint8, uint16, uint32, uint64}) {
    for (const Scalar& value : {a_bool, a_float, a_complex}) {
      EXPECT_THROW(static_cast<void>(promote_scalar(type, value)), DtypeError);
    }
  }
  for (const Dtype type : {float32, float64, complex64, complex128}) {
    EXPECT_THROW(static_cast<void>(promote_scalar(type, a_bool)), DtypeError);
  }
}

TEST(promote_scalar, names_operation_dtype_and_remedy) {
  const RefusedMixes strict;
  EXPECT_EQ(message_of<DtypeError>([] { static_cast<void>(promote_scalar(int32, a_float)); }),
            "int32 array and Python float have no common dtype; convert the array first, for "
            "example to float64 with astype");
  EXPECT_EQ(
      message_of<DtypeError>([] { static_cast<void>(promote_scalar(int32, a_bool)); }),
      "int32 array and Python bool have no common dtype; a bool combines only with bool arrays; "
      "use 0 or 1");
}

TEST(promote_scalar, rejects_ints_outside_the_dtype) {
  EXPECT_EQ(promote_scalar(uint8, Scalar::from_value(std::int64_t{255})), uint8);
  const std::string text = message_of<OverflowError>(
      [] { static_cast<void>(promote_scalar(uint8, Scalar::from_value(std::int64_t{300}))); });
  EXPECT_EQ(text, "int out of range of uint8: 300 is not in 0 to 255");
}

template <class T>
void expect_bounds() {
  constexpr Dtype type = dtype_of<T>;
  SCOPED_TRACE(name(type));
  constexpr auto low = static_cast<std::int64_t>(std::numeric_limits<T>::min());
  constexpr auto high = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  EXPECT_EQ(to_element(Scalar::from_value(low), type).as<T>(), std::numeric_limits<T>::min());
  EXPECT_EQ(to_element(Scalar::of_unsigned(high), type).as<T>(), std::numeric_limits<T>::max());
  const auto rejected = [&](const Scalar& value) {
    const std::string text =
        message_of<OverflowError>([&] { static_cast<void>(to_element(value, type)); });
    EXPECT_NE(text.find(name(type)), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(std::numeric_limits<T>::min())), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(std::numeric_limits<T>::max())), std::string::npos) << text;
  };
  if constexpr (low > INT64_MIN) rejected(Scalar::from_value(low - 1));
  if constexpr (high < UINT64_MAX) rejected(Scalar::of_unsigned(high + 1));
  if (low == 0) rejected(Scalar::from_value(INT64_MIN));
  if (high < UINT64_MAX) rejected(Scalar::of_unsigned(UINT64_MAX));
  rejected(Scalar::of_out_of_range(1e30));
  rejected(Scalar::of_out_of_range(-1e30));
}

TEST(to_element, accepts_exactly_the_range_of_each_integer_dtype) {
  expect_bounds<skerry::int8>();
  expect_bounds<skerry::int16>();
  expect_bounds<skerry::int32>();
  expect_bounds<skerry::int64>();
  expect_bounds<skerry::uint8>();
  expect_bounds<skerry::uint16>();
  expect_bounds<skerry::uint32>();
  expect_bounds<skerry::uint64>();
}

TEST(to_element, names_the_value_that_does_not_fit) {
  const auto text = [](const Scalar& value) {
    return message_of<OverflowError>([&] { static_cast<void>(to_element(value, int64)); });
  };
  EXPECT_NE(text(Scalar::of_unsigned(std::uint64_t{1} << 63)).find("9223372036854775808"),
            std::string::npos);
  EXPECT_NE(text(Scalar::of_out_of_range(1e30)).find("1e+30"), std::string::npos);
}

TEST(to_element, rounds_ints_to_floating_dtypes) {
  EXPECT_EQ(to_element(an_int, float32).as<float>(), 7.0F);
  EXPECT_EQ(to_element(Scalar::from_value((std::int64_t{1} << 24) + 1), float32).as<float>(),
            16777216.0F);
  EXPECT_EQ(to_element(Scalar::of_unsigned(UINT64_MAX), float64).as<double>(), 0x1p64);
  EXPECT_EQ(to_element(Scalar::of_out_of_range(1e30), float64).as<double>(), 1e30);
  EXPECT_EQ(
      to_element(Scalar::of_out_of_range(1e30), skerry::Dtype::complex64).as<skerry::complex64>(),
      skerry::complex64(1e30F));
  EXPECT_THROW(static_cast<void>(to_element(
                   Scalar::of_out_of_range(std::numeric_limits<double>::infinity()), float64)),
               OverflowError);
}

TEST(to_element, keeps_floats_and_their_special_values) {
  EXPECT_EQ(to_element(a_float, float64).as<double>(), 1.5);
  EXPECT_EQ(to_element(a_float, float32).as<float>(), 1.5F);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_element(Scalar::from_value(-infinity), float32).as<float>(), -infinity);
  EXPECT_TRUE(std::isnan(to_element(Scalar::from_value(std::nan("")), float32).as<float>()));
  EXPECT_TRUE(std::signbit(to_element(Scalar::from_value(-0.0), float32).as<float>()));
}

TEST(to_element, fills_both_parts_of_complex_dtypes) {
  EXPECT_EQ(to_element(a_complex, Dtype::complex64).as<skerry::complex64>(),
            skerry::complex64(1.5F, -2.0F));
  EXPECT_EQ(to_element(a_complex, Dtype::complex128).as<skerry::complex128>(),
            skerry::complex128(1.5, -2.0));
  EXPECT_EQ(to_element(a_float, Dtype::complex128).as<skerry::complex128>(),
            skerry::complex128(1.5, 0.0));
  EXPECT_EQ(to_element(an_int, Dtype::complex64).as<skerry::complex64>(),
            skerry::complex64(7.0F, 0.0F));
}

TEST(to_element, converts_bool_to_every_dtype) {
  EXPECT_TRUE(to_element(a_bool, bool_).as<bool>());
  EXPECT_FALSE(to_element(Scalar::from_value(false), bool_).as<bool>());
  EXPECT_EQ(to_element(a_bool, uint64).as<skerry::uint64>(), 1U);
  EXPECT_EQ(to_element(a_bool, float32).as<float>(), 1.0F);
}

TEST(to_element, rejects_values_of_a_higher_kind) {
  const RefusedMixes strict;
  EXPECT_THROW(static_cast<void>(to_element(an_int, bool_)), DtypeError);
  EXPECT_THROW(static_cast<void>(to_element(a_float, bool_)), DtypeError);
  EXPECT_THROW(static_cast<void>(to_element(a_float, int64)), DtypeError);
  EXPECT_THROW(static_cast<void>(to_element(a_complex, uint8)), DtypeError);
  EXPECT_THROW(static_cast<void>(to_element(a_complex, float64)), DtypeError);
  EXPECT_EQ(
      message_of<DtypeError>([] { static_cast<void>(to_element(a_float, int8)); }),
      "Python float for int8: a scalar converts only to the same or a higher kind (bool, int, "
      "float, complex); write int(value), or cast the array with astype");
}

TEST(scalar, of_unsigned_uses_int64_where_it_fits) {
  const Scalar small = Scalar::of_unsigned(INT64_MAX);
  EXPECT_FALSE(small.is_unsigned);
  EXPECT_EQ(small.integer, INT64_MAX);
  const Scalar large = Scalar::of_unsigned(std::uint64_t{INT64_MAX} + 1);
  EXPECT_TRUE(large.is_unsigned);
  EXPECT_EQ(large.as_unsigned, std::uint64_t{1} << 63);
}

TEST(default_dtype, is_the_64_bit_dtype_of_the_kind) {
  EXPECT_EQ(default_dtype(ScalarKind::boolean), bool_);
  EXPECT_EQ(default_dtype(ScalarKind::integer), int64);
  EXPECT_EQ(default_dtype(ScalarKind::real), float64);
  EXPECT_EQ(default_dtype(ScalarKind::complex), Dtype::complex128);
}

}  // namespace
}  // namespace skerry
