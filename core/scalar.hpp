// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/complex.hpp"
#include "core/dtype.hpp"

namespace skerry {

enum class ScalarKind : std::uint8_t { boolean, integer, real, complex };

/// A Python scalar to be converted to an element: it has no dtype and no device ("weak").
struct Scalar {
  ScalarKind kind = ScalarKind::boolean;
  bool boolean = false;
  /// An int is stored here if it fits int64, or in `as_unsigned` (with `is_unsigned` set) if it is
  /// in [2^63, 2^64). For any other int, `out_of_range` is set and `real` is the nearest float64.
  std::int64_t integer = 0;
  std::uint64_t as_unsigned = 0;
  bool is_unsigned = false;
  bool out_of_range = false;
  double real = 0;
  double imag = 0;

  static Scalar from_value(bool value) { return {.kind = ScalarKind::boolean, .boolean = value}; }
  static Scalar from_value(std::int64_t value) {
    return {.kind = ScalarKind::integer, .integer = value};
  }
  static Scalar of_unsigned(std::uint64_t value);  ///< an int, below 2^63 or above
  /// An integer below -2^63 or at least 2^64: it fits floating dtypes only. `nearest` is infinite
  /// if it does not fit those either.
  static Scalar of_out_of_range(double nearest) {
    return {.kind = ScalarKind::integer, .out_of_range = true, .real = nearest};
  }
  static Scalar from_value(double value) { return {.kind = ScalarKind::real, .real = value}; }
  static Scalar from_value(double real, double imag) {
    return {.kind = ScalarKind::complex, .real = real, .imag = imag};
  }
};

/// An element of any dtype by value, as kernels take it. Uninitialized by default: a plan holds
/// four.
struct alignas(16) Element {
  unsigned char bytes[16];

  template <class T>
  static Element from_value(T value) {
    Element result{};
    __builtin_memcpy(result.bytes, &value, sizeof value);
    return result;
  }
  template <class T>
  [[nodiscard]] T as() const {
    if constexpr (std::is_same_v<T, bool>) {
      return bytes[0] != 0;  // foreign memory may hold any byte
    } else {
      T value;
      __builtin_memcpy(&value, bytes, sizeof value);
      return value;
    }
  }
};
static_assert(std::is_trivially_default_constructible_v<Element>);

/// Returns the default dtype of a scalar without an array: bool, int64, float64, complex128.
[[nodiscard]] Dtype default_dtype(ScalarKind kind);

}  // namespace skerry
