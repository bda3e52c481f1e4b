// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/concepts.hpp"
#include "ops/math/stand_in_type.hpp"
#include "ops/reduce/reductions.hpp"

// Which kernel runs a reduction. With some bits of the elements inverted on their way in, and of
// the result on its way out, a minimum is a maximum, `all` is `any`, and int8 is uint8: min(x) =
// ~max(~x). It costs one instruction an element, and halves the kernels, which take seconds each to
// compile. The dtypes of a pair are in one unit (ops/CMakeLists.txt).

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

/// The reduction whose kernel runs Reduction.
template <class Reduction>
struct flipped_reduction {
  using type = Reduction;
};
template <>
struct flipped_reduction<all> {
  using type = any;
};
template <>
struct flipped_reduction<min> {
  using type = max;
};
template <>
struct flipped_reduction<argmin> {
  using type = argmax;
};
template <class Reduction>
using flipped_reduction_t = typename flipped_reduction<Reduction>::type;

/// The dtype whose kernel reduces elements of T: where only the truth counts, bytes do for bools.
template <class Reduction, class T>
using flipped_stand_in_t =
    std::conditional_t<boolean<T> && one_of_v<Reduction, all, any, count_nonzero>, uint8,
                       unsigned_stand_in_t<T>>;

/// Bits that the kernel sees inverted: those that turn T's order into that of unsigned integers
/// (or of floats), or round; for sums and products the sign, see `extended`; for all and any the
/// truth.
template <class Reduction, class T>
[[nodiscard]] constexpr uint64 flipped_bits() {
  constexpr uint64 every = ~uint64{0} >> (64 - 8 * (sizeof(T) > 8 ? 8 : sizeof(T)));
  constexpr uint64 sign = every ^ (every >> 1);
  if constexpr (same_v<Reduction, all>) {
    return 1;
  } else if constexpr (one_of_v<Reduction, max, argmax>) {
    return signed_integral<T> ? sign : 0;
  } else if constexpr (one_of_v<Reduction, min, argmin>) {
    return unsigned_integral<T> ? every : (signed_integral<T> ? every ^ sign : sign);
  } else if constexpr (one_of_v<Reduction, prod, sum>) {
    return sign_to_extend<T>;
  } else {
    return 0;
  }
}

/// x with these bits inverted.
template <class T>
SKERRY_HD SKERRY_INLINE T inverted(T x, uint64 bits) {
  using word = bits_t<T>;
  return __builtin_bit_cast(
      T, static_cast<word>(__builtin_bit_cast(word, x) ^ static_cast<word>(bits)));
}

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
