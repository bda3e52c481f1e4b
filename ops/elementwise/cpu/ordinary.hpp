// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/kernel/cpu/loops.hpp"

// Where a function has a dear case, such as angles of more than 2^40, blocks without an element of
// it are computed by a form that leaves it out. All forms give the same bits: the choice, which is
// a whole block's, can't be seen in a result.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct ordinary_form<ops::exp, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_exponent<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_exp(x); }
};

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct ordinary_form<ops::exp2, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_exponent_of_2<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_exp2(x); }
};

#define SKERRY_ORDINARY_ANGLES(name)                                                     \
  template <class T>                                                                     \
  struct ordinary_##name {                                                               \
    static constexpr bool exists = true;                                                 \
    static constexpr T most = ops::math::own::ordinary_angle<T>;                         \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_##name(x); } \
  };                                                                                     \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::same_v<T, float64>                     \
  struct ordinary_form<ops::name, T> : ordinary_##name<T> {};                            \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::same_v<T, float32>                     \
  struct ordinary_form<ops::name, T> {                                                   \
    using beyond = ordinary_##name<T>;                                                   \
    static constexpr bool exists = true;                                                 \
    static constexpr T most = ops::math::own::near_angle;                                \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::near_##name(x); }     \
  };
SKERRY_ORDINARY_ANGLES(cos)
SKERRY_ORDINARY_ANGLES(sin)
SKERRY_ORDINARY_ANGLES(tan)
#undef SKERRY_ORDINARY_ANGLES

/// Of numbers without a sign to be found, and exponents that are no products' or quotients'.
template <class T>
  requires ops::math::has_own_functions && ops::same_v<T, float32>
struct ordinary_form<ops::pow, T> {
  static constexpr bool exists = true;
  static SKERRY_INLINE uint32 dear(T base, T exponent) {
    const uint32 bits = ops::math::to_bits(base);
    const uint32 beyond = ops::math::to_bits(ops::math::own::most_ordinary_power) -
                          (ops::math::to_bits(exponent) & 0x7fffffff);
    const bool is_product = (exponent == T(2)) | (exponent == T(3)) | (exponent == T(-1));
    const uint32 outside = (bits - 0x00800000) | (0x7f7fffff - bits) | beyond;
    return is_product ? 0x80000000 : outside;
  }
  SKERRY_INLINE T operator()(T base, T exponent) const {
    return ops::math::own::ordinary_pow(base, exponent);
  }
};

/// Of numbers whose squares, and those of their products, are far within the range.
template <class T>
  requires ops::complex_floating<T>
struct ordinary_form<ops::divide, T> {
  static constexpr bool exists = true;
  static SKERRY_INLINE uint64 dear(T x1, T x2) {
    return ops::math::detail::is_extreme(complex128(x1)) |
           ops::math::detail::is_extreme(complex128(x2));
  }
  SKERRY_INLINE T operator()(T x1, T x2) const {
    return T(ops::math::detail::plain_quotient(complex128(x1), complex128(x2)));
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
