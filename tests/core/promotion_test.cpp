// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/promotion.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

#include "core/errors.hpp"
#include "core/scalar.hpp"
#include "core/scalar_conversion.hpp"
#include "tests/core/refused_mixes.hpp"

namespace skerry {
namespace {

using enum Dtype;

std::optional<Dtype> promoted_dtype(std::initializer_list<Dtype> types) {
  Promotion all;
  for (const Dtype type : types) all.add(type);
  return all.result();
}

TEST(promotion, keeps_the_precision_of_the_higher_kind) {
  EXPECT_EQ(promoted_dtype({int64, float32}), float32);
  EXPECT_EQ(promoted_dtype({complex64, int32}), complex64);
  EXPECT_EQ(promoted_dtype({bool_, uint8}), uint8);
  EXPECT_EQ(promoted_dtype({int64, float16}), float16);
  EXPECT_EQ(promoted_dtype({int64, bfloat16}), bfloat16);
  EXPECT_EQ(promoted_dtype({bfloat16, bool_, float16}), float32);
  EXPECT_EQ(promoted_dtype({float64, complex64}), complex128);
  EXPECT_EQ(promoted_dtype({int8, uint8}), int16);
  EXPECT_EQ(promote_kinds(bool_, complex128), complex128);
}

TEST(promotion, is_decided_by_the_highest_kind_in_any_order) {
  EXPECT_EQ(promoted_dtype({uint64, int8}), std::nullopt);
  EXPECT_EQ(promoted_dtype({uint64, int8, float32}), float32);
  EXPECT_EQ(promoted_dtype({float32, uint64, int8}), float32);
  EXPECT_EQ(promoted_dtype({uint64, float32, int8, complex64}), complex64);
  EXPECT_EQ(promoted_dtype({}), std::nullopt);
  EXPECT_TRUE(Promotion().is_empty());
}

TEST(promotion, is_the_table_of_the_standard_if_mixed_kinds_are_rejected) {
  const RefusedMixes strict;
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto first = static_cast<Dtype>(a);
      const auto second = static_cast<Dtype>(b);
      EXPECT_EQ(promote_kinds(first, second), promote(first, second));
    }
  }
}

TEST(promotion, uses_the_default_dtype_for_a_scalar_of_a_higher_kind) {
  EXPECT_EQ(promote_scalar(uint8, Scalar::from_value(0.5)), float64);
  EXPECT_EQ(promote_scalar(int8, Scalar::from_value(0.0, 1.0)), complex128);
  EXPECT_EQ(promote_scalar(bool_, Scalar::from_value(std::int64_t{1})), int64);
  EXPECT_EQ(promote_scalar(float32, Scalar::from_value(0.5)), float32);
  EXPECT_EQ(promote_scalar(bfloat16, Scalar::from_value(0.1)), bfloat16);
  EXPECT_EQ(promote_scalar(bfloat16, Scalar::from_value(0.0, 1.0)), complex64);
  EXPECT_EQ(promote_scalar(int8, Scalar::from_value(true)), int8);
  EXPECT_EQ(promote_scalar_kind(uint8, Scalar::from_value(std::int64_t{256})), uint8);
}

TEST(to_element, accepts_exact_values_of_a_higher_kind) {
  EXPECT_EQ(to_element(Scalar::from_value(2.0), int8).as<skerry::int8>(), 2);
  EXPECT_EQ(to_element(Scalar::from_value(0x1p63), uint64).as<skerry::uint64>(), 1ULL << 63);
  EXPECT_EQ(to_element(Scalar::from_value(2.5, 0.0), float32).as<float>(), 2.5F);
  EXPECT_TRUE(to_element(Scalar::from_value(1.0), bool_).as<bool>());
  EXPECT_THROW(static_cast<void>(to_element(Scalar::from_value(300.0), uint8)), OverflowError);
  EXPECT_THROW(static_cast<void>(to_element(Scalar::from_value(0x1p64), uint64)), DtypeError);
}

TEST(cast_scalar, converts_as_astype_does) {
  EXPECT_EQ(cast_scalar(Scalar::from_value(-2.7), int8).integer, -2);
  EXPECT_TRUE(cast_scalar(Scalar::from_value(0.0, 2.0), bool_).boolean);
  EXPECT_THROW(static_cast<void>(cast_scalar(Scalar::from_value(1e30), int64)), OverflowError);
  EXPECT_THROW(static_cast<void>(cast_scalar(Scalar::from_value(0.0, 1.0), float64)), DtypeError);
  const RefusedMixes strict;
  EXPECT_THROW(static_cast<void>(cast_scalar(Scalar::from_value(2.0), int8)), DtypeError);
}

}  // namespace
}  // namespace skerry
