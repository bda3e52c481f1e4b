// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

namespace skerry {

namespace detail {

/// Rounds x to odd at the last bit of a float32 in its normal range: truncates, and sets that bit
/// if anything was cut off. The result then rounds to the value of a shorter format nearest to x,
/// and is a tie only if x is one.
SKERRY_HD SKERRY_INLINE constexpr float64 rounded_to_odd(float64 x) {
  constexpr uint64 cut = (uint64{1} << 29) - 1;
  const uint64 bits = __builtin_bit_cast(uint64, x);
  const uint64 sticky = (bits & cut) != 0 ? cut + 1 : 0;
  return __builtin_bit_cast(float64, (bits & ~cut) | sticky);
}

/// Rounds x to odd at the last bit of a float64, which then holds it exactly.
template <class I>
SKERRY_HD SKERRY_INLINE constexpr I rounded_to_odd(I x) {
  static_assert(sizeof(I) == 8);
  constexpr I max_exact = I{1} << 53;
  constexpr I cut = (I{1} << 11) - 1;
  const bool is_exact = (x < max_exact) & (I(-1) > 0 || x > static_cast<I>(-max_exact));
  const I odd = (x & cut) != 0 ? cut + 1 : 0;
  return is_exact ? x : static_cast<I>((x & ~cut) | odd);
}

}  // namespace detail

/// A floating-point number of 16 bits. A storage type: operators convert to float32, and results
/// are rounded when stored (ops/math/concepts.hpp). `Format` converts between its bits and float32,
/// and other numbers to a float32 that rounds to the value nearest to them.
template <class Format>
class StoredFloat {
 public:
  constexpr StoredFloat() = default;
  SKERRY_HD constexpr explicit StoredFloat(float32 x) : bits_(Format::narrowed(x)) {}
  template <class T>
  SKERRY_HD constexpr explicit StoredFloat(T x) : StoredFloat(rounds_alike(x)) {}

  SKERRY_HD SKERRY_INLINE constexpr operator float32() const {  // NOLINT: loses nothing
    return Format::widened(bits_);
  }

  /// Returns a float32 that rounds to the value nearest to x. The nearest float32 may not: it can
  /// be a tie where x is none.
  template <class T>
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(T x) {
    return Format::rounds_alike(x);
  }

  static constexpr float32 max_finite = Format::max_finite;

 private:
  uint16 bits_ = 0;
};

}  // namespace skerry
