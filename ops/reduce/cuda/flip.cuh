// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/concepts.hpp"
#include "ops/reduce/flipped_reduction.hpp"
#include "ops/reduce/kernels.hpp"

#include <cstdint>

namespace skerry {
namespace native {

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
      return ops::load_at<Reduction>(ops::inverted(x, bits), index);
    } else {
      return ops::load_at<Reduction>(x, index);
    }
  }

  SKERRY_HD SKERRY_INLINE auto out(accumulator a, const ops::reduced& of) const {
    const auto result = Reduction::finish(a, of);
    if constexpr (is_truth) {
      return result != (bits != 0);
    } else if constexpr (ops::same_v<Reduction, ops::max>) {
      return ops::inverted(result, bits);
    } else if constexpr (is_integer_sum) {
      // A sum takes all signs off at its end: x with its sign extended is (x ^ sign) - sign.
      return result - static_cast<std::uint64_t>(of.count) * bits;
    } else {
      return result;
    }
  }
};

}  // namespace native
}  // namespace skerry
