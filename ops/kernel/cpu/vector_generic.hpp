// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"

// Portable versions of the functions of vector_x86.hpp, for architectures without their own file:
// what a port begins with.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class Vector>
SKERRY_INLINE Vector in_register(Vector value) {
  return value;
}

template <class Vector>
SKERRY_INLINE void store_past_caches(char* output, const Vector& v) {
  __builtin_memcpy(output, &v, sizeof v);
}

SKERRY_INLINE void store_line_past_caches(void* line, const void* source) {
  __builtin_memmove(line, source, 64);
}

SKERRY_INLINE void fence_stores() {}

inline constexpr int half_lanes = 1;
SKERRY_INLINE void widen_lanes(float32* output, const char* source) {
  store<float32>(reinterpret_cast<char*>(output), load<float16>(source));
}
SKERRY_INLINE void narrow_lanes(char* output, const float32* source) {
  store(output, float16(*source));
}

inline constexpr bool multiplies_64_bits = true;
template <class V>
  requires(!multiplies_64_bits)
V multiply_low_halves(V a, V b);

SKERRY_INLINE uint32 bytes_unequal_zero(const char* bytes) {
  uint32 set = 0;
  for (int i = 0; i < 32; ++i) set |= uint32{bytes[i] != 0} << i;
  return set;
}

template <int Size>
inline constexpr bool packs_8_items = false;
template <int Size>
void pack_8_items(char* output, const char* source, unsigned set);

SKERRY_INLINE void store_numbers_of_lanes(int64* output, unsigned set, int64 base) {
  for (; set != 0; set &= set - 1) *output++ = base + __builtin_ctz(set);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
