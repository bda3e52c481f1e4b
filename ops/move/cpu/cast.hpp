// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/ieee.hpp"
#include "ops/math/integer.hpp"
#include "ops/math/op_info.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Truncates as the conversion instructions of x86-64 do: the lowest integer for NaN and for values
/// that do not fit. The check makes this defined in C++, and vectorizes.
template <class I, class F>
SKERRY_INLINE I truncate(F x) {
  constexpr F limit = sizeof(I) == 4 ? F(2147483648.0) : F(9223372036854775808.0);
  const bool fits = (x >= -limit) & (x < limit);
  const I value = static_cast<I>(fits ? x : F(0));
  return fits ? value : ops::lowest<I>();
}

/// Converts to integers narrower than 32 bits through int32 and to uint32 through int64, as NumPy
/// does.
template <class I, class F>
SKERRY_INLINE I to_integer(F x) {
  if constexpr (sizeof(I) < 4 || ops::same_v<I, int32>) {
    return static_cast<I>(truncate<int32>(x));
  } else if constexpr (ops::same_v<I, uint64>) {
    constexpr F half = F(9223372036854775808.0);
    const uint64 high = static_cast<uint64>(truncate<int64>(x - half)) ^ (uint64{1} << 63);
    return x >= half ? high : static_cast<uint64>(truncate<int64>(x));
  } else {
    return static_cast<I>(truncate<int64>(x));
  }
}

#if !defined(__AVX512DQ__)
/// Converts with correct rounding: each half becomes the low bits of a double, and their sum is
/// rounded once. x86 has a vector instruction for this only since AVX-512.
template <ops::integral I>
  requires(sizeof(I) == 8)
SKERRY_INLINE float64 to_double(I x) {
  constexpr uint64 flipped = ops::signed_integral<I> ? uint64{1} << 31 : 0;
  constexpr float64 origins = 19342813113834066795298816.0 + 4503599627370496.0;  // 2^84 + 2^52
  constexpr float64 shift = ops::signed_integral<I> ? 9223372036854775808.0 : 0.0;
  const auto bits = static_cast<uint64>(x);
  const uint64 high = ((bits >> 32) ^ flipped) | (uint64{0x453} << 52);
  const uint64 low = (bits & 0xffffffffu) | (uint64{0x433} << 52);
  return (ops::math::from_bits<float64>(high) - (origins + shift)) +
         ops::math::from_bits<float64>(low);
}
#endif

template <class To>
struct convert {
  static constexpr OpInfo info{.name = "cast", .doc = ""};

  template <class From>
  SKERRY_INLINE To operator()(From x) const {
    if constexpr (ops::same_v<To, From>) {
      return x;
    } else if constexpr (ops::boolean<To>) {
      return x != From(0);
    } else if constexpr (ops::complex_floating<To>) {
      if constexpr (ops::complex_floating<From>) {
        return To(x);
      } else {
        return To(static_cast<typename To::value_type>(x));
      }
    } else if constexpr (ops::real_floating<From> && ops::integral<To>) {
      return to_integer<To>(x);
#if !defined(__AVX512DQ__)
    } else if constexpr (ops::same_v<To, float64> && ops::integral<From> && sizeof(From) == 8) {
      return to_double(x);
#endif
    } else {
      return static_cast<To>(x);
    }
  }
};

template <class From, class To>
concept converts = !(ops::complex_floating<From> && ops::real_numeric<To>);

}  // namespace skerry::inline SKERRY_TARGET::kernels
