// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/config.hpp"
#include "ops/math/concepts.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

/// The unsigned integer of T's size where signed ones are treated alike, else T.
template <class T, bool IsUnsigned>
struct stand_in_type {
  using type = T;
};
template <signed_integral T>
struct stand_in_type<T, true> {
  using type = bits_t<T>;
};
template <class T, bool IsUnsigned>
using stand_in_type_t = typename stand_in_type<T, IsUnsigned>::type;

/// The unsigned integer whose kernel runs integers of T's size; other dtypes themselves: a bool is
/// no integer, as memory of others may hold any byte for true.
template <class T>
using unsigned_stand_in_t = stand_in_type_t<T, true>;

/// What lies in memory for a T, and its value: all bytes but 0 are true.
template <class T>
using stored_t = std::conditional_t<boolean<T>, uint8, T>;
template <class T>
SKERRY_HD SKERRY_INLINE T value_of(stored_t<T> x) {
  if constexpr (boolean<T>) {
    return x != 0;
  } else {
    return x;
  }
}

/// The bit of the sign in a number's representation.
template <class T>
inline constexpr bits_t<T> sign_bit = static_cast<bits_t<T>>(uint64{1} << (8 * sizeof(T) - 1));

/// What `extended` takes for elements of T that an unsigned integer stands in for.
template <class T>
inline constexpr uint64 sign_to_extend = 0;
template <signed_integral T>
  requires(sizeof(T) < 8)
inline constexpr uint64 sign_to_extend<T> = sign_bit<T>;

/// An unsigned integer's 64 bits, with the sign extended if it stands for a signed one.
template <class T>
SKERRY_HD SKERRY_INLINE uint64 extended(T x, uint64 sign) {
  return (static_cast<uint64>(x) ^ sign) - sign;
}

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
