// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/kernel/cpu/vector.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// What sorting asks of vectors of keys: signed integers, or numbers without NaN, of 4 or 8 bytes.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

#if defined(__AVX2__)

template <class K>
using lanes_of = typename vector_of<K>::type;
template <class K>
inline constexpr int lane_count = vector_of<K>::lanes;

template <class K>
inline constexpr unsigned every_lane = (1u << lane_count<K>)-1;

template <class K>
struct integer_of_lane {
  using type = int64;
};
template <class K>
  requires(sizeof(K) == 4)
struct integer_of_lane<K> {
  using type = int32;
};
template <class K>
using lane_integer = typename integer_of_lane<K>::type;

template <int N>
struct number {
  static constexpr int value = N;
};

template <class F, int... I>
SKERRY_INLINE void for_each_number(std::integer_sequence<int, I...>, [[maybe_unused]] F what) {
  (what(number<I>{}), ...);
}
/// what(number<0>{}), …: loops that must not be loops, since arrays of vectors stay in registers
/// only if all their indices are constants.
template <int Count, class F>
SKERRY_INLINE void repeat(F what) {
  for_each_number(std::make_integer_sequence<int, Count>{}, what);
}

template <class K>
SKERRY_INLINE lanes_of<K> all_lanes(K value) {
  return value - lanes_of<K>{};  // not a sum: that would lose the sign of a zero
}

template <class K>
SKERRY_INLINE lanes_of<K> load_lanes(const K* from) {
  lanes_of<K> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class K>
SKERRY_INLINE void store_lanes(K* to, lanes_of<K> v) {
  __builtin_memcpy(to, &v, sizeof v);
}

#if defined(__AVX512F__)

/// The first `count` from memory, the others from `rest`.
template <class K>
SKERRY_INLINE lanes_of<K> load_some_lanes(const K* from, int64 count, lanes_of<K> rest) {
  const unsigned wanted = (1u << count) - 1;
  if constexpr (sizeof(K) == 4) {
    const auto mask = static_cast<__mmask16>(wanted);
    return lanes_of<K>(_mm512_mask_loadu_epi32(__m512i(rest), mask, from));
  } else {
    const auto mask = static_cast<__mmask8>(wanted);
    return lanes_of<K>(_mm512_mask_loadu_epi64(__m512i(rest), mask, from));
  }
}

template <class K>
SKERRY_INLINE void store_some_lanes(K* to, int64 count, lanes_of<K> v) {
  const unsigned wanted = (1u << count) - 1;
  if constexpr (sizeof(K) == 4) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(wanted), __m512i(v));
  } else {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(wanted), __m512i(v));
  }
}

template <class K>
SKERRY_INLINE lanes_of<K> least_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>)
    return V(_mm512_maskz_min_ps(0xffff, __m512(a), __m512(b)));
  if constexpr (ops::same_v<K, float64>)
    return V(_mm512_maskz_min_pd(0xff, __m512d(a), __m512d(b)));
  if constexpr (ops::same_v<K, int32>)
    return V(_mm512_maskz_min_epi32(0xffff, __m512i(a), __m512i(b)));
  if constexpr (ops::same_v<K, int64>)
    return V(_mm512_maskz_min_epi64(0xff, __m512i(a), __m512i(b)));
}

template <class K>
SKERRY_INLINE lanes_of<K> greatest_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>)
    return V(_mm512_maskz_max_ps(0xffff, __m512(a), __m512(b)));
  if constexpr (ops::same_v<K, float64>)
    return V(_mm512_maskz_max_pd(0xff, __m512d(a), __m512d(b)));
  if constexpr (ops::same_v<K, int32>)
    return V(_mm512_maskz_max_epi32(0xffff, __m512i(a), __m512i(b)));
  if constexpr (ops::same_v<K, int64>)
    return V(_mm512_maskz_max_epi64(0xff, __m512i(a), __m512i(b)));
}

/// The lesser where bit `Distance` of the lane's number is 0, else the greater.
template <int Distance, class K>
SKERRY_INLINE lanes_of<K> ordered_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  constexpr unsigned every[] = {0x5555, 0x3333, 0x0f0f, 0x00ff};
  constexpr unsigned low = every[__builtin_ctz(Distance)];
  const V most = greatest_lanes<K>(a, b);
  if constexpr (ops::same_v<K, float32>) {
    return V(_mm512_mask_min_ps(__m512(most), low, __m512(a), __m512(b)));
  } else if constexpr (ops::same_v<K, float64>) {
    return V(_mm512_mask_min_pd(__m512d(most), low & 0xff, __m512d(a), __m512d(b)));
  } else if constexpr (ops::same_v<K, int32>) {
    return V(_mm512_mask_min_epi32(__m512i(most), low, __m512i(a), __m512i(b)));
  } else {
    return V(_mm512_mask_min_epi64(__m512i(most), low & 0xff, __m512i(a), __m512i(b)));
  }
}

/// Bit i is set if lane i is above the pivot, or equal to it if not `Strict`.
template <bool Strict, class K>
SKERRY_INLINE unsigned lanes_above(lanes_of<K> v, lanes_of<K> pivot) {
  constexpr int how = Strict ? _MM_CMPINT_NLE : _MM_CMPINT_NLT;
  constexpr int than = Strict ? _CMP_GT_OQ : _CMP_GE_OQ;
  if constexpr (ops::same_v<K, float32>) {
    return _mm512_cmp_ps_mask(__m512(v), __m512(pivot), than);
  } else if constexpr (ops::same_v<K, float64>) {
    return _mm512_cmp_pd_mask(__m512d(v), __m512d(pivot), than);
  } else if constexpr (ops::same_v<K, int32>) {
    return _mm512_cmp_epi32_mask(__m512i(v), __m512i(pivot), how);
  } else {
    return _mm512_cmp_epi64_mask(__m512i(v), __m512i(pivot), how);
  }
}

template <class K>
SKERRY_INLINE unsigned lanes_unequal(lanes_of<K> a, lanes_of<K> b) {
  if constexpr (ops::same_v<K, float32>) {
    return _mm512_cmp_ps_mask(__m512(a), __m512(b), _CMP_NEQ_UQ);
  } else if constexpr (ops::same_v<K, float64>) {
    return _mm512_cmp_pd_mask(__m512d(a), __m512d(b), _CMP_NEQ_UQ);
  } else if constexpr (ops::same_v<K, int32>) {
    return _mm512_cmp_epi32_mask(__m512i(a), __m512i(b), _MM_CMPINT_NE);
  } else {
    return _mm512_cmp_epi64_mask(__m512i(a), __m512i(b), _MM_CMPINT_NE);
  }
}

/// The lanes of a set first, in order.
template <class K>
SKERRY_INLINE lanes_of<K> pack_lanes(lanes_of<K> v, unsigned set) {
  if constexpr (sizeof(K) == 4) {
    return lanes_of<K>(_mm512_maskz_compress_epi32(static_cast<__mmask16>(set), __m512i(v)));
  } else {
    return lanes_of<K>(_mm512_maskz_compress_epi64(static_cast<__mmask8>(set), __m512i(v)));
  }
}

#else

template <class K, int... I>
SKERRY_INLINE __m256i first_lanes(int64 count, std::integer_sequence<int, I...>) {
  using bits = typename vector_of<ops::bits_t<K> >::type;
  const typename vector_of<lane_integer<K> >::type lane{I...};
  return __m256i(bits(lane < static_cast<lane_integer<K> >(count)));
}

/// The first `count` from memory, the others from `rest`.
template <class K>
SKERRY_INLINE lanes_of<K> load_some_lanes(const K* from, int64 count, lanes_of<K> rest) {
  const __m256i wanted = first_lanes<K>(count, std::make_integer_sequence<int, lane_count<K> >{});
  __m256i v;
  if constexpr (sizeof(K) == 4) {
    v = _mm256_maskload_epi32(reinterpret_cast<const int*>(from), wanted);
  } else {
    v = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), wanted);
  }
  return lanes_of<K>(_mm256_blendv_epi8(__m256i(rest), v, wanted));
}

template <class K>
SKERRY_INLINE void store_some_lanes(K* to, int64 count, lanes_of<K> v) {
  const __m256i wanted = first_lanes<K>(count, std::make_integer_sequence<int, lane_count<K> >{});
  if constexpr (sizeof(K) == 4) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(to), wanted, __m256i(v));
  } else {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), wanted, __m256i(v));
  }
}

template <class K>
SKERRY_INLINE lanes_of<K> least_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>) return V(_mm256_min_ps(__m256(a), __m256(b)));
  if constexpr (ops::same_v<K, float64>) return V(_mm256_min_pd(__m256d(a), __m256d(b)));
  if constexpr (ops::same_v<K, int32>) return V(_mm256_min_epi32(__m256i(a), __m256i(b)));
  if constexpr (ops::same_v<K, int64>) return a < b ? a : b;
}

template <class K>
SKERRY_INLINE lanes_of<K> greatest_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>) return V(_mm256_max_ps(__m256(a), __m256(b)));
  if constexpr (ops::same_v<K, float64>) return V(_mm256_max_pd(__m256d(a), __m256d(b)));
  if constexpr (ops::same_v<K, int32>) return V(_mm256_max_epi32(__m256i(a), __m256i(b)));
  if constexpr (ops::same_v<K, int64>) return a < b ? b : a;
}

template <int Distance, class V, int... I>
SKERRY_INLINE V choose_lanes(V low, V high, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(low, high, ((I & Distance) != 0 ? I + int(sizeof...(I)) : I)...);
}

template <int Distance, class K>
SKERRY_INLINE lanes_of<K> ordered_lanes(lanes_of<K> a, lanes_of<K> b) {
  return choose_lanes<Distance>(least_lanes<K>(a, b), greatest_lanes<K>(a, b),
                                std::make_integer_sequence<int, lane_count<K> >{});
}

/// For each set of lanes the numbers of its lanes, then those of the others; as lanes of 4 bytes.
struct lane_orders {
  uint8 of_8[256][8];
  int32 of_4[16][8];
};

consteval lane_orders make_lane_orders() {
  lane_orders orders{};
  for (int set = 0; set < 256; ++set) {
    int place = 0;
    for (int wanted = 1; wanted >= 0; --wanted) {
      for (int lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1) == wanted) orders.of_8[set][place++] = static_cast<uint8>(lane);
      }
    }
  }
  for (int set = 0; set < 16; ++set) {
    int place = 0;
    for (int wanted = 1; wanted >= 0; --wanted) {
      for (int lane = 0; lane < 4; ++lane) {
        if ((set >> lane & 1) != wanted) continue;
        orders.of_4[set][place++] = 2 * lane;
        orders.of_4[set][place++] = 2 * lane + 1;
      }
    }
  }
  return orders;
}

inline constexpr lane_orders lanes_in_order = make_lane_orders();

template <class K>
SKERRY_INLINE lanes_of<K> pack_lanes(lanes_of<K> v, unsigned set) {
  __m256i order;
  if constexpr (sizeof(K) == 4) {
    const auto* bytes = reinterpret_cast<const __m128i*>(lanes_in_order.of_8[set]);
    order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes));
  } else {
    order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes_in_order.of_4[set]));
  }
  return lanes_of<K>(_mm256_permutevar8x32_epi32(__m256i(v), order));
}

template <class K, class V>
SKERRY_INLINE unsigned set_of_lanes(V all_ones_if_in) {
  if constexpr (sizeof(K) == 4) {
    return static_cast<unsigned>(_mm256_movemask_ps(__m256(all_ones_if_in)));
  } else {
    return static_cast<unsigned>(_mm256_movemask_pd(__m256d(all_ones_if_in)));
  }
}

template <bool Strict, class K>
SKERRY_INLINE unsigned lanes_above(lanes_of<K> v, lanes_of<K> pivot) {
  return set_of_lanes<K>(Strict ? v > pivot : v >= pivot);
}

template <class K>
SKERRY_INLINE unsigned lanes_unequal(lanes_of<K> a, lanes_of<K> b) {
  return set_of_lanes<K>(a != b);
}

#endif  // AVX-512 or AVX2

#endif  // AVX2

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
