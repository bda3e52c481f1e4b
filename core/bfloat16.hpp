// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "core/stored_float.hpp"

namespace skerry {

/// The upper half of a float32, with the layout of ml_dtypes' bfloat16 and CUDA's __nv_bfloat16: 8
/// bits of exponent and 7 of fraction.
struct Brain16 {
  static constexpr float32 max_finite = 0x1.fep127f;

  template <class T>
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(T x) {
    return static_cast<float32>(x);
  }
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(int32 x) {
    return rounds_alike(static_cast<float64>(x));
  }
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(uint32 x) {
    return rounds_alike(static_cast<float64>(x));
  }
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(int64 x) {
    return rounds_alike(static_cast<float64>(detail::rounded_to_odd(x)));
  }
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(uint64 x) {
    return rounds_alike(static_cast<float64>(detail::rounded_to_odd(x)));
  }
  /// Below float32's normal range, adding `last_bit` rounds x to a multiple of 2^-133, the unit of
  /// subnormal numbers.
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(float64 x) {
    constexpr uint64 sign_bit = uint64{1} << 63;
    constexpr float64 last_bit = 0x1p-81;
    const uint64 bits = __builtin_bit_cast(uint64, x);
    const auto size = __builtin_bit_cast(float64, bits & ~sign_bit);
    const float64 multiple = (size + last_bit) - last_bit;
    const float64 rounded = size < 0x1p-126 ? multiple : detail::rounded_to_odd(size);
    const uint64 result = __builtin_bit_cast(uint64, rounded) | (bits & sign_bit);
    return static_cast<float32>(__builtin_bit_cast(float64, result));
  }

  SKERRY_HD static SKERRY_INLINE constexpr float32 widened(uint16 bits) {
    return __builtin_bit_cast(float32, uint32{bits} << 16);
  }
  /// Rounds to nearest, ties to even; a NaN keeps its sign and becomes quiet.
  SKERRY_HD static SKERRY_INLINE constexpr uint16 narrowed(float32 x) {
    const uint32 bits = __builtin_bit_cast(uint32, x);
    const uint32 rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    return static_cast<uint16>((x == x ? rounded : bits | 0x400000u) >> 16);
  }
};

using bfloat16 = StoredFloat<Brain16>;

static_assert(sizeof(bfloat16) == 2);

}  // namespace skerry
