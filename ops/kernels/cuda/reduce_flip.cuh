// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/concepts.hpp"
#include "ops/kernels/reduce.hpp"
#include "ops/kernels/stand_in_type.hpp"

#include <cstdint>

// Which kernel runs a reduction. With some bits of the elements inverted on their way in, and of
// the result on its way out, a minimum is a maximum, `all` is `any`, and int8 is uint8: min(x) =
// ~max(~x). It costs one instruction an element, the same for all threads, and halves the kernels,
// which take seconds each to compile. The dtypes of a pair are in one unit (ops/CMakeLists.txt).

namespace skerry {
namespace native {

/// The reduction whose kernel runs Reduction.
template <class Reduction>
struct flipped_reduction {
  using type = ops::kernel_of_t<Reduction>;
};
template <>
struct flipped_reduction<ops::all> {
  using type = ops::any;
};
template <>
struct flipped_reduction<ops::min> {
  using type = ops::max;
};
template <>
struct flipped_reduction<ops::argmin> {
  using type = ops::argmax;
};
template <class Reduction>
using flipped_reduction_t = typename flipped_reduction<Reduction>::type;

/// Bits that the kernel sees inverted: those that turn T's order into that of unsigned integers
/// (or of floats), or round; for sums and products the sign, see flip; for all and any the truth.
template <class Reduction, class T>
[[nodiscard]] constexpr std::uint64_t flipped_bits() {
  using ops::one_of_v;
  constexpr std::uint64_t every = ~std::uint64_t{0} >> (64 - 8 * (sizeof(T) > 8 ? 8 : sizeof(T)));
  constexpr std::uint64_t sign = every ^ (every >> 1);
  if constexpr (ops::same_v<Reduction, ops::all>) {
    return 1;
  } else if constexpr (one_of_v<Reduction, ops::max, ops::argmax>) {
    return ops::signed_integral<T> ? sign : 0;
  } else if constexpr (one_of_v<Reduction, ops::min, ops::argmin>) {
    return ops::unsigned_integral<T> ? every : (ops::signed_integral<T> ? every ^ sign : sign);
  } else if constexpr (one_of_v<Reduction, ops::prod, ops::sum>) {
    return ops::sign_to_extend<T>;
  } else {
    return 0;
  }
}

/// Elements of T on their way into the kernel of Reduction, and results on their way out.
template <class Reduction, class T>
struct flip {
  using accumulator = ops::accumulator_t<Reduction, T>;
  static constexpr bool is_truth = ops::same_v<Reduction, ops::any>;
  static constexpr bool is_order = ops::one_of_v<Reduction, ops::max, ops::argmax>;
  static constexpr bool is_integer_sum = ops::same_v<Reduction, ops::sum> && ops::integral<T>;
  static constexpr bool is_integer_prod = ops::same_v<Reduction, ops::prod> && ops::integral<T>;

  std::uint64_t bits;

  SKERRY_HD SKERRY_INLINE accumulator in(T x, std::int64_t index) const {
    if constexpr (is_truth) {
      return Reduction::load(x) != (bits != 0);
    } else if constexpr (is_integer_prod) {
      return ops::extended(x, bits);
    } else if constexpr (is_order || is_integer_sum) {
      return ops::load_at<Reduction>(inverted(x), index);
    } else {
      return ops::load_at<Reduction>(x, index);
    }
  }

  SKERRY_HD SKERRY_INLINE auto out(accumulator a, const ops::reduced& of) const {
    const auto result = Reduction::finish(a, of);
    if constexpr (is_truth) {
      return result != (bits != 0);
    } else if constexpr (ops::same_v<Reduction, ops::max>) {
      return inverted(result);
    } else if constexpr (is_integer_sum) {
      // A sum takes all signs off at its end: x with its sign extended is (x ^ sign) - sign.
      return result - static_cast<std::uint64_t>(of.count) * bits;
    } else {
      return result;
    }
  }

 private:
  SKERRY_HD SKERRY_INLINE T inverted(T x) const {
    using word = ops::bits_t<T>;
    return __builtin_bit_cast(
        T, static_cast<word>(__builtin_bit_cast(word, x) ^ static_cast<word>(bits)));
  }
};

}  // namespace native
}  // namespace skerry
