// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/math/concepts.hpp"

// Kernel units are compiled once per CPU level, so everything in them is in the inline namespace
// of the level, or always inlined. They use no standard containers or algorithms: the linker merges
// the instantiations of all levels, and an older machine could run code of a newer level.

/// Marks a long function that several callers call once per block: inlining it would only lengthen
/// compilation.
#define SKERRY_SHARED __attribute__((noinline)) SKERRY_NOCLONE

namespace skerry::inline SKERRY_TARGET::kernels {

/// Reads an element that may be misaligned: complex128 arrays of other libraries may be aligned to
/// only 8 bytes.
template <class T>
SKERRY_INLINE T load(const char* source) {
  if constexpr (ops::complex_floating<T>) {
    using R = typename T::value_type;
    return {load<R>(source), load<R>(source + sizeof(R))};
  } else if constexpr (ops::boolean<T>) {
    return load<uint8>(source) != 0;  // imported bools may be any byte; all but 0 are true
  } else {
    T value;
    __builtin_memcpy(&value, source, sizeof value);
    return value;
  }
}

template <class T>
SKERRY_INLINE void store(char* destination, T value) {
  if constexpr (ops::complex_floating<T>) {
    store(destination, value.re);
    store(destination + sizeof(value.re), value.im);
  } else {
    __builtin_memcpy(destination, &value, sizeof value);
  }
}

typedef uint64 item_of_16_bytes __attribute__((vector_size(16)));
template <int Size>
struct item {
  using type = ops::bits_t<char[Size]>;
};
template <>
struct item<16> {
  using type = item_of_16_bytes;
};
/// The type that represents all dtypes of a size where items are only moved.
template <int Size>
using item_t = typename item<Size>::type;

SKERRY_INLINE void prefetch(const char* source, int64 nbytes) {
  for (int64 byte = 0; byte < nbytes; byte += 64) __builtin_prefetch(source + byte);
}

SKERRY_INLINE constexpr int64 minimum(int64 a, int64 b) { return a < b ? a : b; }
SKERRY_INLINE constexpr int64 maximum(int64 a, int64 b) { return a > b ? a : b; }
SKERRY_INLINE constexpr int64 ceil_div(int64 a, int64 b) { return (a + b - 1) / b; }
SKERRY_INLINE constexpr int64 magnitude(int64 a) { return a < 0 ? -a : a; }

}  // namespace skerry::inline SKERRY_TARGET::kernels
