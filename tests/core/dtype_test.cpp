// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace skerry {
namespace {

using enum Dtype;

/// The standard's tables (type promotion rules, 2025.12), with one row per pair of dtypes; pairs
/// not listed have no common dtype.
const std::map<std::pair<Dtype, Dtype>, Dtype> standard_table = {
    {{bool_, bool_}, bool_},
    // signed with signed
    {{int8, int8}, int8},
    {{int8, int16}, int16},
    {{int8, int32}, int32},
    {{int8, int64}, int64},
    {{int16, int16}, int16},
    {{int16, int32}, int32},
    {{int16, int64}, int64},
    {{int32, int32}, int32},
    {{int32, int64}, int64},
    {{int64, int64}, int64},
    // unsigned with unsigned
    {{uint8, uint8}, uint8},
    {{uint8, uint16}, uint16},
    {{uint8, uint32}, uint32},
    {{uint8, uint64}, uint64},
    {{uint16, uint16}, uint16},
    {{uint16, uint32}, uint32},
    {{uint16, uint64}, uint64},
    {{uint32, uint32}, uint32},
    {{uint32, uint64}, uint64},
    {{uint64, uint64}, uint64},
    // signed with unsigned
    {{int8, uint8}, int16},
    {{int8, uint16}, int32},
    {{int8, uint32}, int64},
    {{int16, uint8}, int16},
    {{int16, uint16}, int32},
    {{int16, uint32}, int64},
    {{int32, uint8}, int32},
    {{int32, uint16}, int32},
    {{int32, uint32}, int64},
    {{int64, uint8}, int64},
    {{int64, uint16}, int64},
    {{int64, uint32}, int64},
    // floating; the standard has no float16 and no bfloat16
    {{float16, float16}, float16},
    {{float16, float32}, float32},
    {{float16, float64}, float64},
    {{float16, complex64}, complex64},
    {{float16, complex128}, complex128},
    {{bfloat16, bfloat16}, bfloat16},
    {{bfloat16, float16}, float32},
    {{bfloat16, float32}, float32},
    {{bfloat16, float64}, float64},
    {{bfloat16, complex64}, complex64},
    {{bfloat16, complex128}, complex128},
    {{float32, float32}, float32},
    {{float32, float64}, float64},
    {{float32, complex64}, complex64},
    {{float32, complex128}, complex128},
    {{float64, float64}, float64},
    {{float64, complex64}, complex128},
    {{float64, complex128}, complex128},
    {{complex64, complex64}, complex64},
    {{complex64, complex128}, complex128},
    {{complex128, complex128}, complex128},
};

TEST(dtype, promotes_as_the_tables_of_the_standard_in_both_orders) {
  int defined = 0;
  for (int i = 0; i < dtype_count; ++i) {
    for (int j = 0; j < dtype_count; ++j) {
      const auto a = static_cast<Dtype>(i);
      const auto b = static_cast<Dtype>(j);
      auto row = standard_table.find({a, b});
      if (row == standard_table.end()) row = standard_table.find({b, a});
      const std::optional<Dtype> common = promote(a, b);
      SCOPED_TRACE(std::string(name(a)) + " with " + name(b));
      if (row == standard_table.end()) {
        EXPECT_EQ(common, std::nullopt);
      } else {
        EXPECT_EQ(common, row->second);
        ++defined;
      }
    }
  }
  EXPECT_EQ(defined, 1 + 16 + 16 + 2 * 12 + 36);
}

TEST(dtype, reads_the_names_of_dtypes_only) {
  EXPECT_EQ(parse_dtype_name("bool"), bool_);
  EXPECT_EQ(parse_dtype_name("int8"), int8);
  EXPECT_EQ(parse_dtype_name("uint64"), uint64);
  EXPECT_EQ(parse_dtype_name("bfloat16"), bfloat16);
  EXPECT_EQ(parse_dtype_name("float32"), float32);
  EXPECT_EQ(parse_dtype_name("complex128"), complex128);
  for (const char* text : {"", "bool_", "int", "float", "bfloat", "Float32", " int8", "int8 "}) {
    EXPECT_EQ(parse_dtype_name(text), std::nullopt) << text;
  }
  for (int i = 0; i < dtype_count; ++i) {
    EXPECT_EQ(parse_dtype_name(name(static_cast<Dtype>(i))), static_cast<Dtype>(i));
  }
}

TEST(dtype, reads_the_type_strings_of_native_byte_order) {
  const std::pair<const char*, Dtype> type_strings[] = {
      {"|b1", bool_},   {"|i1", int8},      {"<i2", int16},      {"<i4", int32},
      {"<i8", int64},   {"|u1", uint8},     {"<u2", uint16},     {"<u4", uint32},
      {"<u8", uint64},  {"<f2", float16},   {"<V2", bfloat16},   {"<f4", float32},
      {"<f8", float64}, {"<c8", complex64}, {"<c16", complex128}};
  for (const auto& [text, type] : type_strings) {
    EXPECT_EQ(parse_typestr(text), type);
    EXPECT_STREQ(info(type).typestr, text);
  }
  EXPECT_EQ(parse_typestr("<u1"), uint8);
  EXPECT_EQ(parse_typestr(">i1"), int8);
  EXPECT_EQ(parse_typestr("<b1"), bool_);
}

TEST(dtype, rejects_other_type_strings) {
  for (const char* text : {"", "<", "f4", ">f4", "|f4", "=f4", ">f2", "<f16", "<i16", "<c32", "<c",
                           "<U4", "|V8", "|V2", "|O", "<M8[ns]", "<i4 ", "xb1"}) {
    EXPECT_EQ(parse_typestr(text), std::nullopt) << text;
  }
}

TEST(dtype, has_sizes_and_kinds) {
  const int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  for (int i = 0; i < dtype_count; ++i) EXPECT_EQ(itemsize(static_cast<Dtype>(i)), sizes[i]);
  EXPECT_TRUE(is_integer(uint8) && is_integer(int64));
  EXPECT_FALSE(is_integer(bool_) || is_integer(float32));
  EXPECT_TRUE(is_floating(float32) && is_floating(complex64));
  EXPECT_FALSE(is_floating(bool_) || is_floating(int8));
  EXPECT_EQ(real_part(complex64), float32);
  EXPECT_EQ(real_part(complex128), float64);
  EXPECT_EQ(real_part(int8), int8);
  EXPECT_EQ(complex_of(float16), complex64);
  EXPECT_EQ(complex_of(bfloat16), complex64);
  EXPECT_EQ(complex_of(float32), complex64);
  EXPECT_EQ(complex_of(float64), complex128);
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    EXPECT_EQ(computed_in(type), type == float16 || type == bfloat16 ? float32 : type);
  }
}

TEST(dtype, visit_passes_the_type_of_the_dtype) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<Dtype>(i);
    EXPECT_EQ(visit(type, []<class T>(type_identity<T>) { return dtype_of<T>; }), type);
    EXPECT_EQ(visit(type, []<class T>(type_identity<T>) { return sizeof(T); }),
              static_cast<std::size_t>(itemsize(type)));
  }
}

}  // namespace
}  // namespace skerry
