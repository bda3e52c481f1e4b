// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"

#include <utility>

// Vectors as wide as the level has them, where the compiler makes none by itself: it keeps arrays
// of lanes in memory, and an addition then waits for the store before it.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T>
struct vector_of {
  static constexpr int lanes = vector_bytes / int(sizeof(T));
  typedef T type __attribute__((vector_size(vector_bytes)));
  typedef ops::bits_t<T> bits __attribute__((vector_size(vector_bytes)));
};

template <class Vector>
SKERRY_INLINE void load_vector(Vector& to, const char* from) {
  __builtin_memcpy(&to, from, sizeof to);
}

template <int Distance, class Vector, int... I>
SKERRY_INLINE Vector exchanged(const Vector& a, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, a, (I ^ Distance)...);
}

/// All lanes combined, in each of them: lane by lane would take as many steps as there are lanes.
template <class Vector, class Combine>
SKERRY_INLINE Vector across_lanes(Vector a, Combine combine) {
  constexpr int lanes = int(sizeof(Vector) / sizeof(a[0]));
  constexpr std::make_integer_sequence<int, lanes> all;
  if constexpr (lanes > 32) a = combine(a, exchanged<32>(a, all));
  if constexpr (lanes > 16) a = combine(a, exchanged<16>(a, all));
  if constexpr (lanes > 8) a = combine(a, exchanged<8>(a, all));
  if constexpr (lanes > 4) a = combine(a, exchanged<4>(a, all));
  if constexpr (lanes > 2) a = combine(a, exchanged<2>(a, all));
  return combine(a, exchanged<1>(a, all));
}

template <class Vector>
SKERRY_INLINE bool is_any(const Vector& mask) {
  uint64 words[sizeof(Vector) / 8];
  __builtin_memcpy(words, &mask, sizeof words);
  uint64 all = 0;
  for (const uint64 word : words) all |= word;
  return all != 0;
}

/// Every second lane of two adjacent vectors, from the first or from the second on.
template <int First, class Vector, int... I>
SKERRY_INLINE Vector every_second(const Vector& a, const Vector& b,
                                  std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (2 * I + First)...);
}

/// Two or four columns of a matrix of so many, as many rows as a vector has lanes.
template <class Vector, int Count>
SKERRY_INLINE void load_columns(Vector (&columns)[Count], const char* from) {
  static_assert(Count == 2 || Count == 4);
  constexpr std::make_integer_sequence<int, int(sizeof(Vector) / sizeof(columns[0][0]))> lanes;
  Vector half[Count];
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) load_vector(half[k], from + k * int64(sizeof(Vector)));
  for (int level = 2; level <= Count; level *= 2) {
#pragma GCC unroll 2
    for (int k = 0; k < Count / 2; ++k) {
      columns[k] = every_second<0>(half[2 * k], half[2 * k + 1], lanes);
      columns[k + Count / 2] = every_second<1>(half[2 * k], half[2 * k + 1], lanes);
    }
#pragma GCC unroll 4
    for (int k = 0; k < Count; ++k) half[k] = columns[k];
  }
}

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
