// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cpu/memory.hpp"

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

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
