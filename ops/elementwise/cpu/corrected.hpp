// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/exponential.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Where a quick form is right for all but a few elements, blocks are computed by it, and those
// elements once more, one by one: the operation's own result for each.

namespace skerry::inline SKERRY_TARGET::kernels {

template <ops::real_floating T>
struct quick_form<ops::logaddexp, T> {
  static constexpr bool exists = true;

  SKERRY_INLINE T operator()(T x1, T x2) const { return ops::math::own::quick_logaddexp(x1, x2); }

  /// Whether the greater is in (-3/4, 0), where terms cancel. By its bits: GCC 12 vectorises no
  /// reduction by comparison.
  struct doubt {
    SKERRY_INLINE ops::bits_t<T> operator()(T x1, T x2) const {
      using B = ops::bits_t<T>;
      constexpr B least_negative = (B(1) << (8 * sizeof(B) - 1)) + 1;
      const B above = ops::math::to_bits(x1 > x2 ? x1 : x2) - least_negative;
      return (above - ops::math::to_bits(T(0.75))) & ~above;
    }
  };

  static SKERRY_INLINE T corrected(T x1, T x2, T quick) {
    return ops::math::own::is_cancelled(x1, x2, quick) ? ops::math::own::accurate_logaddexp(x1, x2)
                                                       : quick;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
