// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <type_traits>
#include <utility>

#include "ops/kernel/cpu/vector.hpp"
#include "ops/scan/cpu/carry.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

/// Past the caches, `to` being a multiple of vector_bytes.
template <class Vector>
SKERRY_INLINE void store_past_caches(char* to, const Vector& value) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)value);
#else
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)value);
#endif
}

/// Inclusive scans of the elements of one vector by shifts of 1, 2, 4, ... groups, where a group is
/// `Group` lanes: 2 for the parts of a complex number.
template <class Op, class Lane, int Group>
struct vector_scan {
  static constexpr int lanes = vector_bytes / int(sizeof(Lane));
  typedef Lane vector __attribute__((vector_size(vector_bytes)));

  static SKERRY_INLINE void combine(vector& a, const vector& b) {
    if constexpr (is_sum<Op>) {
      a = a + b;
    } else {
      a = a * b;
    }
  }

  template <int By, int... I>
  static SKERRY_INLINE void add_shifted(vector& x, std::integer_sequence<int, I...>) {
    const vector fill = neutral<Op, Lane>() - (vector){};  // -0 - 0 is -0
    // Lane i of the result is lane i - By of x; `fill` has the lanes from `lanes` on.
    const vector moved = __builtin_shufflevector(x, fill, (I >= By ? I - By : lanes)...);
    combine(x, moved);
  }
  template <int... I>
  static SKERRY_INLINE void spread_last(vector& x, std::integer_sequence<int, I...>) {
    x = __builtin_shufflevector(x, x, (lanes - Group + I % Group)...);
  }

  template <int By = Group>
  static SKERRY_INLINE void scan(vector& x) {
    if constexpr (By < lanes) {
      add_shifted<By>(x, std::make_integer_sequence<int, lanes>{});
      scan<By * 2>(x);
    }
  }
  static SKERRY_INLINE void spread_last(vector& x) {
    spread_last(x, std::make_integer_sequence<int, lanes>{});
  }
  /// The groups of the vector are all `value`.
  template <class Value>
  static SKERRY_INLINE void spread(vector& x, const Value& value) {
    Lane group[Group];
    __builtin_memcpy(group, &value, sizeof group);
    for (int i = 0; i < lanes; ++i) x[i] = group[i % Group];
  }
};

/// int64 is scanned as uint64, which wraps around.
template <class Lane>
struct vector_lane {
  using type = Lane;
};
template <>
struct vector_lane<int64> {
  using type = uint64;
};

/// Elements of T as lanes of `Vector`.
template <class T, class Lane, class Vector>
SKERRY_INLINE void load_lanes(Vector& to, const char* from) {
  using S = ops::real_part_t<T>;
  if constexpr (sizeof(S) == sizeof(Lane)) {  // int64 as uint64 too
    __builtin_memcpy(&to, from, sizeof to);
  } else {
    constexpr int lanes = vector_bytes / int(sizeof(Lane));
    using stored = std::conditional_t<ops::boolean<S>, uint8, S>;
    for (int i = 0; i < lanes; ++i) {
      to[i] = static_cast<Lane>(load<stored>(from + i * int64(sizeof(S))));
    }
    // As bool, lane by lane, it would be no vector.
    if constexpr (ops::boolean<S>) to = (Vector)((to != Vector{}) & 1);
  }
}

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
