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
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct NormalRangeForm<ops::exp, T> {
  static constexpr bool exists = true;
  static constexpr T max_magnitude = ops::math::portable::max_normal_exponent<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_exp(x); }
};

template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct NormalRangeForm<ops::exp2, T> {
  static constexpr bool exists = true;
  static constexpr T max_magnitude = ops::math::portable::max_normal_exponent_of_2<T>;
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_exp2(x); }
};

template <class T>
  requires ops::math::has_portable_functions && ops::same_v<T, float32>
struct NormalRangeForm<ops::tanh, T> {
  static constexpr bool exists = true;
  static constexpr T max_magnitude = ops::math::portable::max_normal_tanh;
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_tanh(x); }
};

template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct NormalRangeForm<ops::acosh, T> {
  static constexpr bool exists = true;
  static SKERRY_INLINE ops::bits_t<T> expensive_bits(T x) {
    const ops::bits_t<T> bits = ops::math::to_bits(x);
    return (bits - ops::math::to_bits(T(1))) |
           (ops::math::to_bits(ops::math::portable::great_root<T>) - bits);
  }
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_acosh(x); }
};

template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct NormalRangeForm<ops::atanh, T> {
  static constexpr bool exists = true;
  static constexpr T max_magnitude = ops::math::from_bits<T>(ops::math::to_bits(T(1)) - 1);
  SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_atanh(x); }
};

#define SKERRY_NORMAL_RANGE_LOGARITHMS(name)                                                      \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::real_floating<T>                           \
  struct NormalRangeForm<ops::name, T> {                                                          \
    static constexpr bool exists = true;                                                          \
    static SKERRY_INLINE ops::bits_t<T> expensive_bits(T x) { return no_positive_normal(x); }     \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_##name(x); } \
  };
SKERRY_NORMAL_RANGE_LOGARITHMS(log)
SKERRY_NORMAL_RANGE_LOGARITHMS(log10)
SKERRY_NORMAL_RANGE_LOGARITHMS(log2)
#undef SKERRY_NORMAL_RANGE_LOGARITHMS

#define SKERRY_NORMAL_RANGE_ANGLES(name)                                                          \
  template <class T>                                                                              \
  struct normal_range_##name {                                                                    \
    static constexpr bool exists = true;                                                          \
    static constexpr T max_magnitude = ops::math::portable::max_normal_angle<T>;                  \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::normal_range_##name(x); } \
  };                                                                                              \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::same_v<T, float64>                         \
  struct NormalRangeForm<ops::name, T> : normal_range_##name<T> {};                               \
  template <class T>                                                                              \
    requires ops::math::has_portable_functions && ops::same_v<T, float32>                         \
  struct NormalRangeForm<ops::name, T> {                                                          \
    using wide_range_form = normal_range_##name<T>;                                               \
    static constexpr bool exists = true;                                                          \
    static constexpr T max_magnitude = ops::math::portable::near_angle;                           \
    SKERRY_INLINE T operator()(T x) const { return ops::math::portable::near_##name(x); }         \
  };
SKERRY_NORMAL_RANGE_ANGLES(cos)
SKERRY_NORMAL_RANGE_ANGLES(sin)
SKERRY_NORMAL_RANGE_ANGLES(tan)
#undef SKERRY_NORMAL_RANGE_ANGLES

/// Of positive normal bases and such exponents that the result is normal and none of a product or
/// quotient.
template <class T>
  requires ops::math::has_portable_functions && ops::real_floating<T>
struct NormalRangeForm<ops::pow, T> {
  static constexpr bool exists = true;

  static SKERRY_INLINE ops::bits_t<T> expensive_bits(T base, T exponent) {
    constexpr int bits = std::numeric_limits<T>::digits - 1;
    constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    constexpr T origin = ops::math::portable::magic<T>;
    // One more than the base's power of 2 is beyond its logarithm.
    const ops::bits_t<T> biased = ops::math::to_bits(base) >> bits;
    const T power = ops::math::from_bits<T>(biased | ops::math::to_bits(origin)) - (origin + bias);
    const T power_bound = (ops::math::fabs(power) + T(1)) * ops::math::fabs(exponent);
    const ops::bits_t<T> excess = ops::math::to_bits(T(bias - 2)) - ops::math::to_bits(power_bound);
    const bool is_product = (exponent == T(2)) | (exponent == T(3)) | (exponent == T(-1));
    const ops::bits_t<T> outside = no_positive_normal(base) | excess;
    return is_product ? ops::sign_bit<T> : outside;
  }

  SKERRY_INLINE T operator()(T base, T exponent) const {
    return ops::math::portable::normal_range_pow(base, exponent);
  }

#if defined(SKERRY_LOOKS_UP_LANES)
  /// The same with the table's rows found first, as the compiler gathers them source memory.
  static SKERRY_INLINE void run(char* out, const char* base, const char* exponent, int64 n) {
    using bits = typename VectorOf<T>::bits;
    constexpr int64 size = sizeof(T);
    const auto& table = ops::math::portable::power_table<T>;
    alignas(vector_bytes) T row[3][normal_range_block];
    for (int64 i = 0; i < n; i += lane_count<T>) {
      const T* const source = reinterpret_cast<const T*>(base) + i;
      const lanes_of<T> x =
          load_some_lanes<T>(source, minimum(n - i, lane_count<T>), lanes_of<T>{});
      const bits index = (bits(x) - ops::math::portable::power_rows_begin<T>) >>
                         ops::math::portable::power_row_shift<T>;
      for (int k = 0; k < 3; ++k) store_lanes(row[k] + i, look_up_lanes(table[k], index));
    }
#pragma GCC ivdep
    for (int64 i = 0; i < n; ++i) {
      const T power = ops::math::portable::normal_range_pow<T>(load<T>(base + i * size),
                                                               load<T>(exponent + i * size),
                                                               {row[0][i], row[1][i], row[2][i]});
      store<T>(out + i * size, power);
    }
  }
#endif
};

/// Of numbers whose squares, and those of their products, are far within the range.
template <class T>
  requires ops::complex_floating<T>
struct NormalRangeForm<ops::divide, T> {
  static constexpr bool exists = true;
  static SKERRY_INLINE uint64 expensive_bits(T x1, T x2) {
    return ops::math::detail::is_extreme(complex128(x1)) |
           ops::math::detail::is_extreme(complex128(x2));
  }
  SKERRY_INLINE T operator()(T x1, T x2) const {
    return T(ops::math::detail::unscaled_quotient(complex128(x1), complex128(x2)));
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
