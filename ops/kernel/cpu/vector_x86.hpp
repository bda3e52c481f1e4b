// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <utility>

#include "ops/kernel/cpu/memory.hpp"

// Instructions of x86-64 beyond the compiler's vector types: only this file and vector_arm.hpp use
// intrinsics. Another architecture defines the functions of vector_generic.hpp;
// SKERRY_ACCESSES_SOME_LANES with load_some_lanes() and store_some_lanes(); and, if vectorized
// sorts pay there, SKERRY_PACKS_LANES and the functions that follow it here.

namespace skerry::inline SKERRY_TARGET::kernels {

// ---- registers

/// Returns the value in a register, so that the compiler does not reload it at each use.
template <class Vector>
SKERRY_INLINE Vector in_register(Vector value) {
  __asm__("" : "+x"(value));
  return value;
}

// ---- non-temporal stores

/// Stores a vector without reading its line into the caches. `output` must be aligned to the
/// vector's size.
template <class Vector>
SKERRY_INLINE void store_past_caches(char* output, const Vector& v) {
  static_assert(sizeof(Vector) == vector_bytes);
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(output), (__m512i)v);
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(output), (__m256i)v);
#else
  _mm_stream_si128(reinterpret_cast<__m128i*>(output), (__m128i)v);
#endif
}

/// Stores a cache line of 64 bytes in the same way.
SKERRY_INLINE void store_line_past_caches(void* line, const void* source) {
  for (int quarter = 0; quarter < 4; ++quarter) {
    const auto bytes = _mm_loadu_si128(static_cast<const __m128i*>(source) + quarter);
    _mm_stream_si128(static_cast<__m128i*>(line) + quarter, bytes);
  }
}

/// Makes non-temporal stores visible before later stores.
SKERRY_INLINE void fence_stores() { _mm_sfence(); }

// ---- float16

/// Number of elements that widen_lanes() converts from float16 to float32, and narrow_lanes() back.
#if defined(__AVX512F__)
inline constexpr int half_lanes = 16;
SKERRY_INLINE void widen_lanes(float32* output, const char* source) {
  const auto halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
  _mm512_storeu_ps(output, _mm512_maskz_cvtph_ps(0xffff, halves));
}
SKERRY_INLINE void narrow_lanes(char* output, const float32* source) {
  const auto halves =
      _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(source), _MM_FROUND_TO_NEAREST_INT);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(output), halves);
}
#elif defined(__F16C__)
inline constexpr int half_lanes = 8;
SKERRY_INLINE void widen_lanes(float32* output, const char* source) {
  const auto halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
  _mm256_storeu_ps(output, _mm256_cvtph_ps(halves));
}
SKERRY_INLINE void narrow_lanes(char* output, const float32* source) {
  const auto halves = _mm256_cvtps_ph(_mm256_loadu_ps(source), _MM_FROUND_TO_NEAREST_INT);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(output), halves);
}
#else
inline constexpr int half_lanes = 1;
SKERRY_INLINE void widen_lanes(float32* output, const char* source) {
  store<float32>(reinterpret_cast<char*>(output), load<float16>(source));
}
SKERRY_INLINE void narrow_lanes(char* out, const float32* source) { store(out, float16(*source)); }
#endif

// ---- products

#if defined(__AVX512DQ__)
inline constexpr bool multiplies_64_bits = true;
#else
inline constexpr bool multiplies_64_bits = false;
#endif

/// Multiplies the lower halves of 64-bit lanes, for levels without a 64-bit multiplication.
template <class V>
  requires(!multiplies_64_bits)
SKERRY_INLINE V multiply_low_halves(V a, V b) {
#if defined(__AVX2__)
  return V(_mm256_mul_epu32(__m256i(a), __m256i(b)));
#else
  return V(_mm_mul_epu32(__m128i(a), __m128i(b)));
#endif
}

// ---- sets of lanes

/// Returns a mask of 32 bytes: bit i is set if byte i is not 0.
SKERRY_INLINE uint32 bytes_unequal_zero(const char* bytes) {
  const __m128i zero = _mm_setzero_si128();
  const auto low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const auto high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16));
  const auto low_bits = static_cast<uint32>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, zero)));
  const auto high_bits = static_cast<uint32>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, zero)));
  return ~(low_bits | high_bits << 16);
}

/// Returns the indices of the lanes in a set of 8, then those of the other lanes, as bytes.
SKERRY_INLINE __m128i numbers_of_lanes(unsigned set) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes_in_order.of_8[set]));
}

#if defined(__AVX2__)

/// Moves the lanes in a set to the front, in order, followed by the others: eight lanes of 4 bytes,
/// or four of 8.
SKERRY_INLINE __m256i pack_8_lanes(__m256i v, unsigned set) {
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(numbers_of_lanes(set)));
}
SKERRY_INLINE __m256i pack_4_lanes(__m256i v, unsigned set) {
  const auto* order = reinterpret_cast<const __m256i*>(lanes_in_order.of_4[set]);
  return _mm256_permutevar8x32_epi32(v, _mm256_loadu_si256(order));
}

#endif

/// True if pack_8_items<Size> exists.
template <int Size>
inline constexpr bool packs_8_items = Size <= 2
#if defined(__AVX2__)
                                      || Size == 4 || Size == 8
#endif
    ;

/// Stores the items in a set of 8, in order. Always writes 8 items; those after the set are
/// arbitrary.
template <int Size>
SKERRY_INLINE void pack_8_items(char* output, const char* source, unsigned set) {
  static_assert(packs_8_items<Size>);
  if constexpr (Size == 1) {
    const auto items = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(source));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(output),
                     _mm_shuffle_epi8(items, numbers_of_lanes(set)));
  } else if constexpr (Size == 2) {
    const auto items = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
    const __m128i twice = _mm_add_epi8(numbers_of_lanes(set), numbers_of_lanes(set));
    const __m128i bytes = _mm_unpacklo_epi8(twice, _mm_add_epi8(twice, _mm_set1_epi8(1)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(output), _mm_shuffle_epi8(items, bytes));
#if defined(__AVX2__)
  } else if constexpr (Size == 4) {
    const auto items = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(output), pack_8_lanes(items, set));
#endif
#if defined(__AVX512F__)
  } else if constexpr (Size == 8) {
    const auto items = _mm512_loadu_si512(source);
    _mm512_storeu_si512(output, _mm512_maskz_compress_epi64(static_cast<__mmask8>(set), items));
#elif defined(__AVX2__)
  } else if constexpr (Size == 8) {
    const auto low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
    const auto high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + 32));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(output), pack_4_lanes(low, set & 15));
    output += int64{__builtin_popcount(set & 15)} * 8;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(output), pack_4_lanes(high, set >> 4));
#endif
  }
}

/// Stores `base` plus the index of each lane in a set of 8. Always writes 8 numbers; those after
/// the set are arbitrary.
SKERRY_INLINE void store_numbers_of_lanes(int64* output, unsigned set, int64 base) {
#if defined(__AVX2__)
  const __m256i bases = _mm256_set1_epi64x(base);
  const __m128i all = numbers_of_lanes(set);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(output),
                      _mm256_add_epi64(bases, _mm256_cvtepu8_epi64(all)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(output + 4),
                      _mm256_add_epi64(bases, _mm256_cvtepu8_epi64(_mm_srli_epi64(all, 32))));
#else
  for (int i = 0; i < 8; ++i) output[i] = base + lanes_in_order.of_8[set][i];
#endif
}

// ---- vectorized sorts: signed integers, or floats without NaN, of 4 or 8 bytes

#if defined(__AVX512F__)
#define SKERRY_PACKS_LANES 1
#define SKERRY_LOOKS_UP_LANES 1
/// Returns table[index] in each lane; ignores the higher bits of an index.
SKERRY_INLINE lanes_of<float32> look_up_lanes(const float32 (&table)[16],
                                              VectorOf<float32>::bits index) {
  const auto rows = __m512(load_lanes(table));
  return lanes_of<float32>(_mm512_maskz_permutexvar_ps(0xffff, __m512i(index), rows));
}
SKERRY_INLINE lanes_of<float64> look_up_lanes(const float64 (&table)[32],
                                              VectorOf<float64>::bits index) {
  const auto rows = [&](int first) { return __m512d(load_lanes(table + first)); };
  const auto low = _mm512_permutex2var_pd(rows(0), __m512i(index), rows(8));
  const auto high = _mm512_permutex2var_pd(rows(16), __m512i(index), rows(24));
  return (index & 16) != 0 ? lanes_of<float64>(high) : lanes_of<float64>(low);
}

/// Loads the first `count` lanes; the others are those of `rest`.
template <class K>
SKERRY_INLINE lanes_of<K> load_some_lanes(const K* source, int64 count, lanes_of<K> rest) {
  const unsigned lane_bits = (1u << count) - 1;
  if constexpr (sizeof(K) == 4) {
    const auto mask = static_cast<__mmask16>(lane_bits);
    return lanes_of<K>(_mm512_mask_loadu_epi32(__m512i(rest), mask, source));
  } else {
    const auto mask = static_cast<__mmask8>(lane_bits);
    return lanes_of<K>(_mm512_mask_loadu_epi64(__m512i(rest), mask, source));
  }
}

template <class K>
SKERRY_INLINE void store_some_lanes(K* output, int64 count, lanes_of<K> v) {
  const unsigned lane_bits = (1u << count) - 1;
  if constexpr (sizeof(K) == 4) {
    _mm512_mask_storeu_epi32(output, static_cast<__mmask16>(lane_bits), __m512i(v));
  } else {
    _mm512_mask_storeu_epi64(output, static_cast<__mmask8>(lane_bits), __m512i(v));
  }
}

template <class K>
SKERRY_INLINE lanes_of<K> min_lanes(lanes_of<K> a, lanes_of<K> b) {
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
SKERRY_INLINE lanes_of<K> max_lanes(lanes_of<K> a, lanes_of<K> b) {
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

/// Returns the lesser where bit `Distance` of the lane's index is 0, else the greater.
template <int Distance, class K>
SKERRY_INLINE lanes_of<K> ordered_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  constexpr unsigned every[] = {0x5555, 0x3333, 0x0f0f, 0x00ff};
  constexpr unsigned low = every[__builtin_ctz(Distance)];
  const V greater = max_lanes<K>(a, b);
  if constexpr (ops::same_v<K, float32>) {
    return V(_mm512_mask_min_ps(__m512(greater), low, __m512(a), __m512(b)));
  } else if constexpr (ops::same_v<K, float64>) {
    return V(_mm512_mask_min_pd(__m512d(greater), low & 0xff, __m512d(a), __m512d(b)));
  } else if constexpr (ops::same_v<K, int32>) {
    return V(_mm512_mask_min_epi32(__m512i(greater), low, __m512i(a), __m512i(b)));
  } else {
    return V(_mm512_mask_min_epi64(__m512i(greater), low & 0xff, __m512i(a), __m512i(b)));
  }
}

/// Bit i is set if lane i is above the pivot, or equal to it if not `Strict`.
template <bool Strict, class K>
SKERRY_INLINE unsigned lanes_above(lanes_of<K> v, lanes_of<K> pivot) {
  constexpr int comparison = Strict ? _MM_CMPINT_NLE : _MM_CMPINT_NLT;
  constexpr int than = Strict ? _CMP_GT_OQ : _CMP_GE_OQ;
  if constexpr (ops::same_v<K, float32>) {
    return _mm512_cmp_ps_mask(__m512(v), __m512(pivot), than);
  } else if constexpr (ops::same_v<K, float64>) {
    return _mm512_cmp_pd_mask(__m512d(v), __m512d(pivot), than);
  } else if constexpr (ops::same_v<K, int32>) {
    return _mm512_cmp_epi32_mask(__m512i(v), __m512i(pivot), comparison);
  } else {
    return _mm512_cmp_epi64_mask(__m512i(v), __m512i(pivot), comparison);
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

/// Packs the lanes of a set to the front, in order.
template <class K>
SKERRY_INLINE lanes_of<K> pack_lanes(lanes_of<K> v, unsigned set) {
  if constexpr (sizeof(K) == 4) {
    return lanes_of<K>(_mm512_maskz_compress_epi32(static_cast<__mmask16>(set), __m512i(v)));
  } else {
    return lanes_of<K>(_mm512_maskz_compress_epi64(static_cast<__mmask8>(set), __m512i(v)));
  }
}

#elif defined(__AVX2__)
#define SKERRY_PACKS_LANES 1
template <class K, int... I>
SKERRY_INLINE __m256i first_lanes(int64 count, std::integer_sequence<int, I...>) {
  using bits = typename VectorOf<ops::bits_t<K> >::type;
  const typename VectorOf<lane_integer<K> >::type lane{I...};
  return __m256i(bits(lane < static_cast<lane_integer<K> >(count)));
}

/// Loads the first `count` lanes; the others are those of `rest`.
template <class K>
SKERRY_INLINE lanes_of<K> load_some_lanes(const K* source, int64 count, lanes_of<K> rest) {
  const __m256i mask = first_lanes<K>(count, std::make_integer_sequence<int, lane_count<K> >{});
  __m256i v;
  if constexpr (sizeof(K) == 4) {
    v = _mm256_maskload_epi32(reinterpret_cast<const int*>(source), mask);
  } else {
    v = _mm256_maskload_epi64(reinterpret_cast<const long long*>(source), mask);
  }
  return lanes_of<K>(_mm256_blendv_epi8(__m256i(rest), v, mask));
}

template <class K>
SKERRY_INLINE void store_some_lanes(K* output, int64 count, lanes_of<K> v) {
  const __m256i mask = first_lanes<K>(count, std::make_integer_sequence<int, lane_count<K> >{});
  if constexpr (sizeof(K) == 4) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(output), mask, __m256i(v));
  } else {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(output), mask, __m256i(v));
  }
}

template <class K>
SKERRY_INLINE lanes_of<K> min_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>) return V(_mm256_min_ps(__m256(a), __m256(b)));
  if constexpr (ops::same_v<K, float64>) return V(_mm256_min_pd(__m256d(a), __m256d(b)));
  if constexpr (ops::same_v<K, int32>) return V(_mm256_min_epi32(__m256i(a), __m256i(b)));
  if constexpr (ops::same_v<K, int64>) return a < b ? a : b;
}

template <class K>
SKERRY_INLINE lanes_of<K> max_lanes(lanes_of<K> a, lanes_of<K> b) {
  using V = lanes_of<K>;
  if constexpr (ops::same_v<K, float32>) return V(_mm256_max_ps(__m256(a), __m256(b)));
  if constexpr (ops::same_v<K, float64>) return V(_mm256_max_pd(__m256d(a), __m256d(b)));
  if constexpr (ops::same_v<K, int32>) return V(_mm256_max_epi32(__m256i(a), __m256i(b)));
  if constexpr (ops::same_v<K, int64>) return a < b ? b : a;
}

/// Returns the lesser where bit `Distance` of the lane's index is 0, else the greater.
template <int Distance, class K>
SKERRY_INLINE lanes_of<K> ordered_lanes(lanes_of<K> a, lanes_of<K> b) {
  return choose_lanes<Distance>(min_lanes<K>(a, b), max_lanes<K>(a, b));
}

/// Packs the lanes of a set to the front, in order, followed by arbitrary ones.
template <class K>
SKERRY_INLINE lanes_of<K> pack_lanes(lanes_of<K> v, unsigned set) {
  return lanes_of<K>(sizeof(K) == 4 ? pack_8_lanes(__m256i(v), set)
                                    : pack_4_lanes(__m256i(v), set));
}

template <class K, class V>
SKERRY_INLINE unsigned set_of_lanes(V all_ones_if_in) {
  if constexpr (sizeof(K) == 4) {
    return static_cast<unsigned>(_mm256_movemask_ps(__m256(all_ones_if_in)));
  } else {
    return static_cast<unsigned>(_mm256_movemask_pd(__m256d(all_ones_if_in)));
  }
}

/// Bit i is set if lane i is above the pivot, or equal to it if not `Strict`.
template <bool Strict, class K>
SKERRY_INLINE unsigned lanes_above(lanes_of<K> v, lanes_of<K> pivot) {
  return set_of_lanes<K>(Strict ? v > pivot : v >= pivot);
}

template <class K>
SKERRY_INLINE unsigned lanes_unequal(lanes_of<K> a, lanes_of<K> b) {
  return set_of_lanes<K>(a != b);
}

#endif  // AVX-512 or AVX2

}  // namespace skerry::inline SKERRY_TARGET::kernels

/// Defined if load_some_lanes() and store_some_lanes() exist.
#if defined(SKERRY_PACKS_LANES)
#define SKERRY_ACCESSES_SOME_LANES 1
#endif
