// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.hpp"

namespace skerry {
namespace {

constexpr Dtype b1 = Dtype::bool_;
constexpr Dtype i1 = Dtype::int8;
constexpr Dtype i2 = Dtype::int16;
constexpr Dtype i4 = Dtype::int32;
constexpr Dtype i8 = Dtype::int64;
constexpr Dtype u1 = Dtype::uint8;
constexpr Dtype u2 = Dtype::uint16;
constexpr Dtype u4 = Dtype::uint32;
constexpr Dtype u8 = Dtype::uint64;
constexpr Dtype f2 = Dtype::float16;
constexpr Dtype b2 = Dtype::bfloat16;
constexpr Dtype f4 = Dtype::float32;
constexpr Dtype f8 = Dtype::float64;
constexpr Dtype c8 = Dtype::complex64;
constexpr Dtype cx = Dtype::complex128;
constexpr Dtype no = static_cast<Dtype>(dtype_count);  // the standard defines no common dtype

// clang-format off
constexpr Dtype promotions[dtype_count][dtype_count] = {
    //b1  i1  i2  i4  i8  u1  u2  u4  u8  f2  b2  f4  f8  c8  cx
    {b1, no, no, no, no, no, no, no, no, no, no, no, no, no, no},  // bool
    {no, i1, i2, i4, i8, i2, i4, i8, no, no, no, no, no, no, no},  // int8
    {no, i2, i2, i4, i8, i2, i4, i8, no, no, no, no, no, no, no},  // int16
    {no, i4, i4, i4, i8, i4, i4, i8, no, no, no, no, no, no, no},  // int32
    {no, i8, i8, i8, i8, i8, i8, i8, no, no, no, no, no, no, no},  // int64
    {no, i2, i2, i4, i8, u1, u2, u4, u8, no, no, no, no, no, no},  // uint8
    {no, i4, i4, i4, i8, u2, u2, u4, u8, no, no, no, no, no, no},  // uint16
    {no, i8, i8, i8, i8, u4, u4, u4, u8, no, no, no, no, no, no},  // uint32
    {no, no, no, no, no, u8, u8, u8, u8, no, no, no, no, no, no},  // uint64
    {no, no, no, no, no, no, no, no, no, f2, f4, f4, f8, c8, cx},  // float16
    {no, no, no, no, no, no, no, no, no, f4, b2, f4, f8, c8, cx},  // bfloat16
    {no, no, no, no, no, no, no, no, no, f4, f4, f4, f8, c8, cx},  // float32
    {no, no, no, no, no, no, no, no, no, f8, f8, f8, f8, cx, cx},  // float64
    {no, no, no, no, no, no, no, no, no, c8, c8, c8, cx, c8, cx},  // complex64
    {no, no, no, no, no, no, no, no, no, cx, cx, cx, cx, cx, cx},  // complex128
};
// clang-format on

/// True if the table is symmetric and complete: a missing entry would be 0, which is bool.
constexpr bool is_complete() {
  for (std::size_t a = 0; a < dtype_count; ++a) {
    if (promotions[a][a] != static_cast<Dtype>(a)) return false;
    for (std::size_t b = 0; b < a; ++b) {
      if (promotions[a][b] != promotions[b][a] || promotions[a][b] == b1) return false;
    }
  }
  return true;
}
static_assert(is_complete(), "each dtype has a row and a column in the table");

}  // namespace

const char* name(DtypeKind kind) noexcept {
  switch (kind) {
    case DtypeKind::boolean:
      return "bool";
    case DtypeKind::signed_integer:
      return "signed integer";
    case DtypeKind::unsigned_integer:
      return "unsigned integer";
    case DtypeKind::real_floating:
      return "real floating";
    case DtypeKind::complex_floating:
      return "complex floating";
  }
  __builtin_unreachable();
}

std::optional<Dtype> promote(Dtype a, Dtype b) noexcept {
  const Dtype common = promotions[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
  if (common == no) return std::nullopt;
  return common;
}

std::optional<Dtype> parse_dtype_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < dtype_infos.size(); ++i) {
    if (name == dtype_infos[i].name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::optional<Dtype> parse_typestr(std::string_view typestr) noexcept {
  if (typestr.empty()) return std::nullopt;
  const char order = typestr.front();
  for (std::size_t i = 0; i < dtype_infos.size(); ++i) {
    const std::string_view native = dtype_infos[i].typestr;
    if (typestr.substr(1) != native.substr(1)) continue;
    // The byte order of single bytes is meaningless, and producers write different ones.
    const bool any_order = dtype_infos[i].itemsize == 1 && (order == '<' || order == '>');
    if (order == native.front() || any_order) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

}  // namespace skerry
