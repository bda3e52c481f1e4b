// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/complex.hpp"
#include "core/dtype.hpp"

namespace skerry {

enum class scalar_kind : std::uint8_t { boolean, integer, real, complex };

/// A Python scalar on its way into an array: it has no dtype and no device of its own ("weak").
struct scalar {
  scalar_kind kind = scalar_kind::boolean;
  bool boolean = false;
  /// For integers: the value if it fits int64; `as_unsigned` if it is in [2^63, 2^64)
  /// (`is_unsigned`); neither if `out_of_range`, where `real` is the nearest float64.
  std::int64_t integer = 0;
  std::uint64_t as_unsigned = 0;
  bool is_unsigned = false;
  bool out_of_range = false;
  double real = 0;
  double imag = 0;

  static scalar of(bool value) { return {.kind = scalar_kind::boolean, .boolean = value}; }
  static scalar of(std::int64_t value) { return {.kind = scalar_kind::integer, .integer = value}; }
  static scalar of_unsigned(std::uint64_t value);  ///< scalar_kind::integer, either range
  /// An integer below -2^63 or from 2^64 on: it fits floating dtypes only. `nearest` is infinite
  /// where not even those.
  static scalar of_out_of_range(double nearest) {
    return {.kind = scalar_kind::integer, .out_of_range = true, .real = nearest};
  }
  static scalar of(double value) { return {.kind = scalar_kind::real, .real = value}; }
  static scalar of(double real, double imag) {
    return {.kind = scalar_kind::complex, .real = real, .imag = imag};
  }
};

/// One element of any dtype by value, as kernels take it. Not initialised: a plan has room for
/// four.
struct alignas(16) element {
  unsigned char bytes[16];

  template <class T>
  static element of(T value) {
    element result{};
    __builtin_memcpy(result.bytes, &value, sizeof value);
    return result;
  }
  template <class T>
  [[nodiscard]] T as() const {
    if constexpr (std::is_same_v<T, bool>) {
      return bytes[0] != 0;  // read from memory of others, it may be any byte
    } else {
      T value;
      __builtin_memcpy(&value, bytes, sizeof value);
      return value;
    }
  }
};
static_assert(std::is_trivially_default_constructible_v<element>);

/// The dtype that an array of `array` gets when combined with `value` (array API 2025.12, "mixing
/// arrays with Python scalars"): the array's own, or the complex one of its width for a complex
/// scalar with a real floating array. What the standard leaves open: a scalar of a higher kind
/// gives its default dtype, one of a lower kind changes nothing. Throws dtype_error where such a
/// mix is refused (promotion_is_strict()), overflow_error for an integer outside the dtype. Prefix
/// `op: `.
[[nodiscard]] dtype promote_scalar(const char* op, dtype array, const scalar& value);
/// The same before it is known what is computed in: any integer goes with an integer dtype.
[[nodiscard]] dtype promote_scalar_kind(const char* op, dtype array, const scalar& value);

/// `value` as an element of `type`, if nothing is lost: a value of a higher kind must be one that
/// `type` has, as 2.0 for an integer dtype, and is refused where promotion_is_strict(). Throws
/// overflow_error for a Python int out of range, dtype_error for what would be lost.
[[nodiscard]] element to_element(const char* op, const scalar& value, dtype type);

/// `value` for to_element(), in a dtype that the caller asked for, converted as astype does: floats
/// are truncated, and the truth of numbers goes into bool. Throws overflow_error for what integers
/// of 64 bits can't hold, dtype_error for complex values in real dtypes, and as to_element() does
/// where promotion_is_strict().
[[nodiscard]] scalar cast_scalar(const char* op, const scalar& value, dtype type);

/// The default dtype of a lone scalar: bool, int64, float64, complex128.
[[nodiscard]] dtype default_dtype(scalar_kind kind);

}  // namespace skerry
