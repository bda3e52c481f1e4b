// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.hpp"

namespace skerry {
namespace {

constexpr dtype b1 = dtype::bool_;
constexpr dtype i1 = dtype::int8;
constexpr dtype i2 = dtype::int16;
constexpr dtype i4 = dtype::int32;
constexpr dtype i8 = dtype::int64;
constexpr dtype u1 = dtype::uint8;
constexpr dtype u2 = dtype::uint16;
constexpr dtype u4 = dtype::uint32;
constexpr dtype u8 = dtype::uint64;
constexpr dtype f2 = dtype::float16;
constexpr dtype f4 = dtype::float32;
constexpr dtype f8 = dtype::float64;
constexpr dtype c8 = dtype::complex64;
constexpr dtype cx = dtype::complex128;
constexpr dtype no = static_cast<dtype>(dtype_count);  // the standard defines no common dtype

// clang-format off
constexpr dtype promotions[dtype_count][dtype_count] = {
    //b1  i1  i2  i4  i8  u1  u2  u4  u8  f2  f4  f8  c8  cx
    {b1, no, no, no, no, no, no, no, no, no, no, no, no, no},  // bool
    {no, i1, i2, i4, i8, i2, i4, i8, no, no, no, no, no, no},  // int8
    {no, i2, i2, i4, i8, i2, i4, i8, no, no, no, no, no, no},  // int16
    {no, i4, i4, i4, i8, i4, i4, i8, no, no, no, no, no, no},  // int32
    {no, i8, i8, i8, i8, i8, i8, i8, no, no, no, no, no, no},  // int64
    {no, i2, i2, i4, i8, u1, u2, u4, u8, no, no, no, no, no},  // uint8
    {no, i4, i4, i4, i8, u2, u2, u4, u8, no, no, no, no, no},  // uint16
    {no, i8, i8, i8, i8, u4, u4, u4, u8, no, no, no, no, no},  // uint32
    {no, no, no, no, no, u8, u8, u8, u8, no, no, no, no, no},  // uint64
    {no, no, no, no, no, no, no, no, no, f2, f4, f8, c8, cx},  // float16
    {no, no, no, no, no, no, no, no, no, f4, f4, f8, c8, cx},  // float32
    {no, no, no, no, no, no, no, no, no, f8, f8, f8, cx, cx},  // float64
    {no, no, no, no, no, no, no, no, no, c8, c8, cx, c8, cx},  // complex64
    {no, no, no, no, no, no, no, no, no, cx, cx, cx, cx, cx},  // complex128
};
// clang-format on

/// What a row or column that was forgotten breaks, as it would say bool.
constexpr bool is_complete() {
  for (std::size_t a = 0; a < dtype_count; ++a) {
    if (promotions[a][a] != static_cast<dtype>(a)) return false;
    for (std::size_t b = 0; b < a; ++b) {
      if (promotions[a][b] != promotions[b][a] || promotions[a][b] == b1) return false;
    }
  }
  return true;
}
static_assert(is_complete(), "each dtype has a row and a column in the table");

}  // namespace

const char* name(dtype_kind kind) noexcept {
  switch (kind) {
    case dtype_kind::boolean:
      return "bool";
    case dtype_kind::signed_integer:
      return "signed integer";
    case dtype_kind::unsigned_integer:
      return "unsigned integer";
    case dtype_kind::real_floating:
      return "real floating";
    case dtype_kind::complex_floating:
      return "complex floating";
  }
  __builtin_unreachable();
}

std::optional<dtype> promote(dtype a, dtype b) noexcept {
  const dtype common = promotions[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  if (common == no) return std::nullopt;
  return common;
}

std::optional<dtype> parse_dtype_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < dtype_infos.size(); ++i) {
    if (name == dtype_infos[i].name) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

std::optional<dtype> parse_typestr(std::string_view typestr) noexcept {
  if (typestr.empty()) return std::nullopt;
  const char order = typestr.front();
  for (std::size_t i = 0; i < dtype_infos.size(); ++i) {
    const std::string_view native = dtype_infos[i].typestr;
    if (typestr.substr(1) != native.substr(1)) continue;
    // The byte order of a single byte means nothing, and producers differ in what they write.
    const bool any_order = dtype_infos[i].itemsize == 1 && (order == '<' || order == '>');
    if (order == native.front() || any_order) return static_cast<dtype>(i);
  }
  return std::nullopt;
}

}  // namespace skerry
