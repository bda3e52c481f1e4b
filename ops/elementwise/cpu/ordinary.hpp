// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/kernel/cpu/loops.hpp"
#include "ops/kernel/cpu/vector.hpp"

// Where a function has a dear case, such as angles of more than 2^40, blocks without an element of
// it are computed by a form that leaves it out. All forms give the same bits: the choice, which is
// a whole block's, can't be seen in a result.

namespace skerry::inline SKERRY_TARGET::kernels {

/// The highest bit is set for all but positive normal numbers.
template <class T>
SKERRY_INLINE ops::bits_t<T> no_positive_normal(T x) {
  using limits = std::numeric_limits<T>;
  const ops::bits_t<T> bits = ops::math::to_bits(x);
  return (bits - ops::math::to_bits(limits::min())) | (ops::math::to_bits(limits::max()) - bits);
}

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct OrdinaryForm<ops::exp, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_exponent<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_exp(x); }
};

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct OrdinaryForm<ops::exp2, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_exponent_of_2<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_exp2(x); }
};

template <class T>
  requires ops::math::has_own_functions && ops::same_v<T, float32>
struct OrdinaryForm<ops::tanh, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::own::ordinary_tangent;
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_tanh(x); }
};

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct OrdinaryForm<ops::acosh, T> {
  static constexpr bool exists = true;
  static SKERRY_INLINE ops::bits_t<T> dear(T x) {
    const ops::bits_t<T> bits = ops::math::to_bits(x);
    return (bits - ops::math::to_bits(T(1))) |
           (ops::math::to_bits(ops::math::own::great_root<T>) - bits);
  }
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_acosh(x); }
};

template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct OrdinaryForm<ops::atanh, T> {
  static constexpr bool exists = true;
  static constexpr T most = ops::math::from_bits<T>(ops::math::to_bits(T(1)) - 1);
  SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_atanh(x); }
};

#define SKERRY_ORDINARY_LOGARITHMS(name)                                                 \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::real_floating<T>                       \
  struct OrdinaryForm<ops::name, T> {                                                    \
    static constexpr bool exists = true;                                                 \
    static SKERRY_INLINE ops::bits_t<T> dear(T x) { return no_positive_normal(x); }      \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_##name(x); } \
  };
SKERRY_ORDINARY_LOGARITHMS(log)
SKERRY_ORDINARY_LOGARITHMS(log10)
SKERRY_ORDINARY_LOGARITHMS(log2)
#undef SKERRY_ORDINARY_LOGARITHMS

#define SKERRY_ORDINARY_ANGLES(name)                                                     \
  template <class T>                                                                     \
  struct ordinary_##name {                                                               \
    static constexpr bool exists = true;                                                 \
    static constexpr T most = ops::math::own::ordinary_angle<T>;                         \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::ordinary_##name(x); } \
  };                                                                                     \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::same_v<T, float64>                     \
  struct OrdinaryForm<ops::name, T> : ordinary_##name<T> {};                             \
  template <class T>                                                                     \
    requires ops::math::has_own_functions && ops::same_v<T, float32>                     \
  struct OrdinaryForm<ops::name, T> {                                                    \
    using beyond = ordinary_##name<T>;                                                   \
    static constexpr bool exists = true;                                                 \
    static constexpr T most = ops::math::own::near_angle;                                \
    SKERRY_INLINE T operator()(T x) const { return ops::math::own::near_##name(x); }     \
  };
SKERRY_ORDINARY_ANGLES(cos)
SKERRY_ORDINARY_ANGLES(sin)
SKERRY_ORDINARY_ANGLES(tan)
#undef SKERRY_ORDINARY_ANGLES

/// Of positive normal bases and such exponents that the result is normal and none of a product or
/// quotient.
template <class T>
  requires ops::math::has_own_functions && ops::real_floating<T>
struct OrdinaryForm<ops::pow, T> {
  static constexpr bool exists = true;

  static SKERRY_INLINE ops::bits_t<T> dear(T base, T exponent) {
    constexpr int bits = std::numeric_limits<T>::digits - 1;
    constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    constexpr T origin = ops::math::own::magic<T>;
    // One more than the base's power of 2 is beyond its logarithm.
    const ops::bits_t<T> biased = ops::math::to_bits(base) >> bits;
    const T power = ops::math::from_bits<T>(biased | ops::math::to_bits(origin)) - (origin + bias);
    const T most = (ops::math::fabs(power) + T(1)) * ops::math::fabs(exponent);
    const ops::bits_t<T> beyond = ops::math::to_bits(T(bias - 2)) - ops::math::to_bits(most);
    const bool is_product = (exponent == T(2)) | (exponent == T(3)) | (exponent == T(-1));
    const ops::bits_t<T> outside = no_positive_normal(base) | beyond;
    return is_product ? ops::sign_bit<T> : outside;
  }

  SKERRY_INLINE T operator()(T base, T exponent) const {
    return ops::math::own::ordinary_pow(base, exponent);
  }

#if defined(SKERRY_LOOKS_UP_LANES)
  /// The same with the table's rows found first, as the compiler gathers them from memory.
  static SKERRY_INLINE void run(char* out, const char* base, const char* exponent, int64 n) {
    using bits = typename VectorOf<T>::bits;
    constexpr int64 size = sizeof(T);
    const auto& table = ops::math::own::power_table<T>;
    alignas(vector_bytes) T row[3][ordinary_block];
    for (int64 i = 0; i < n; i += lane_count<T>) {
      const T* const from = reinterpret_cast<const T*>(base) + i;
      const lanes_of<T> x = load_some_lanes<T>(from, least(n - i, lane_count<T>), lanes_of<T>{});
      const bits index =
          (bits(x) - ops::math::own::power_rows_begin<T>) >> ops::math::own::power_row_shift<T>;
      for (int k = 0; k < 3; ++k) store_lanes(row[k] + i, look_up_lanes(table[k], index));
    }
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      const T power =
          ops::math::own::ordinary_pow<T>(load<T>(base + i * size), load<T>(exponent + i * size),
                                          {row[0][i], row[1][i], row[2][i]});
      store<T>(out + i * size, power);
    }
  }
#endif
};

/// Of numbers whose squares, and those of their products, are far within the range.
template <class T>
  requires ops::complex_floating<T>
struct OrdinaryForm<ops::divide, T> {
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
