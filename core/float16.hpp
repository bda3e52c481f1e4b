// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "core/stored_float.hpp"

namespace skerry {

namespace detail {

/// Returns the bits of the nearest float16, ties to even; a NaN keeps its sign and becomes quiet.
SKERRY_HD constexpr uint16 narrow_bits(float32 x) {
  const uint32 bits = __builtin_bit_cast(uint32, x);
  const uint32 sign = bits >> 16 & 0x8000u;
  const uint32 magnitude = bits & 0x7fffffffu;
  uint32 result = 0;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above
    result = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // subnormal: the addition rounds to units of 2^-24
    const float32 shifted = __builtin_bit_cast(float32, magnitude) + 0.5f;
    result = __builtin_bit_cast(uint32, shifted) - 0x3f000000u;
  } else {
    result = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  }
  return static_cast<uint16>(sign | result);
}

SKERRY_HD constexpr float32 widened(uint16 half) {
  const uint32 sign = (half & 0x8000u) << 16;
  const uint32 magnitude = half & 0x7fffu;
  uint32 result = 0;
  if (magnitude > 0x7c00u) {
    result = 0x7fc00000u | magnitude << 13;
  } else if (magnitude == 0x7c00u) {
    result = 0x7f800000u;
  } else if (magnitude < 0x400u) {
    result = __builtin_bit_cast(uint32, static_cast<float32>(magnitude) * 0x1p-24f);
  } else {
    result = (magnitude << 13) + 0x38000000u;
  }
  return __builtin_bit_cast(float32, sign | result);
}

}  // namespace detail

/// IEEE 754 binary16, with the layout of NumPy's float16 and CUDA's __half.
struct Binary16 {
  static constexpr float32 max_finite = 65504.0f;

  /// Integers and bools that float32 can't represent exactly exceed the range, so the value is
  /// rounded once.
  template <class T>
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(T x) {
    return static_cast<float32>(x);
  }
  /// Everything below float32's normal range is zero in float16.
  SKERRY_HD static SKERRY_INLINE constexpr float32 rounds_alike(float64 x) {
    return static_cast<float32>(detail::rounded_to_odd(x));
  }

  SKERRY_HD static SKERRY_INLINE constexpr float32 widened(uint16 bits) {
    if (__builtin_is_constant_evaluated()) return detail::widened(bits);
#if defined(__CUDA_ARCH__)
    float32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#elif defined(__F16C__) && !defined(__CUDACC__)
    return __builtin_bit_cast(_Float16, bits);
#elif defined(__aarch64__) && !defined(__CUDACC__)
    return __builtin_bit_cast(__fp16, bits);
#else
    return detail::widened(bits);
#endif
  }

  SKERRY_HD static SKERRY_INLINE constexpr uint16 narrowed(float32 x) {
    if (__builtin_is_constant_evaluated()) return detail::narrow_bits(x);
#if defined(__CUDA_ARCH__)
    uint16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#elif defined(__F16C__) && !defined(__CUDACC__)
    return __builtin_bit_cast(uint16, static_cast<_Float16>(x));
#elif defined(__aarch64__) && !defined(__CUDACC__)
    return __builtin_bit_cast(uint16, static_cast<__fp16>(x));
#else
    return detail::narrow_bits(x);
#endif
  }
};

using float16 = StoredFloat<Binary16>;

static_assert(sizeof(float16) == 2);

}  // namespace skerry
