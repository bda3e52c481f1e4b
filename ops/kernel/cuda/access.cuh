// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/config.hpp"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/math/concepts.hpp"

namespace skerry::native {

// A load from an address that is not a multiple of its size faults, and the CUDA context is lost.
// Imported arrays may be misaligned (a field of a record, complex numbers aligned like their
// parts), so the strided kernels get a flag, the same for all threads, that makes them move single
// bytes. The loops over bytes are not unrolled: they rarely run, and should take few instructions
// and no local memory.

/// A T aligned to its size, so that load() and store() move it in one instruction. A complex number
/// would otherwise be moved part by part.
template <class T>
struct alignas(sizeof(T)) whole {
  T value;
};

/// The type in memory for a T, and below its value: imported bools may be any byte, and all but 0
/// are true.
template <class T>
using stored_t = std::conditional_t<ops::boolean<T>, ops::bits_t<bool>, T>;
template <class T>
SKERRY_HD SKERRY_INLINE T value_of(stored_t<T> x) {
  if constexpr (ops::boolean<T>) {
    return x != 0;
  } else {
    return x;
  }
}

/// 16 bytes of any dtype, with the alignment of complex128.
struct TwoWords {
  std::uint64_t word[2];
};

template <class T>
SKERRY_HD SKERRY_INLINE T load(const char* source, bool is_aligned) {
  if constexpr (sizeof(T) > 1) {
    if (!is_aligned) {
      constexpr int words = sizeof(T) > 8 ? static_cast<int>(sizeof(T) / 8) : 1;
      constexpr int bytes = static_cast<int>(sizeof(T)) / words;
      struct alignas(16) {
        std::uint64_t word[words];
      } bits;
      SKERRY_UNROLL_FULLY
      for (int w = 0; w < words; ++w) {
        bits.word[w] = 0;
        SKERRY_DO_NOT_UNROLL
        for (int b = 0; b < bytes; ++b) {
          const auto byte = static_cast<unsigned char>(source[w * bytes + b]);
          bits.word[w] |= static_cast<std::uint64_t>(byte) << (8 * b);
        }
      }
      T value;
      __builtin_memcpy(&value, &bits, sizeof value);
      return value;
    }
  }
  // Reads the whole struct: if only its member is read, nvcc generates a load per part.
  const whole<stored_t<T>> item = *reinterpret_cast<const whole<stored_t<T>>*>(source);
  return value_of<T>(item.value);
}

template <class T>
SKERRY_HD SKERRY_INLINE void store(char* destination, T value, bool is_aligned) {
  if constexpr (sizeof(T) > 1) {
    if (!is_aligned) {
      constexpr int words = sizeof(T) > 8 ? static_cast<int>(sizeof(T) / 8) : 1;
      constexpr int bytes = static_cast<int>(sizeof(T)) / words;
      struct alignas(16) {
        std::uint64_t word[words] = {};
      } bits;
      __builtin_memcpy(&bits, &value, sizeof value);
      SKERRY_UNROLL_FULLY
      for (int w = 0; w < words; ++w) {
        SKERRY_DO_NOT_UNROLL
        for (int b = 0; b < bytes; ++b) {
          destination[w * bytes + b] = static_cast<char>(bits.word[w] >> (8 * b));
        }
      }
      return;
    }
  }
  *reinterpret_cast<whole<T>*>(destination) = {value};
}

/// True if `address`, or a stride in bytes, is a multiple of T's alignment.
template <class T>
[[nodiscard]] bool is_aligned_for(std::intptr_t address) {
  return address % static_cast<std::intptr_t>(alignof(T)) == 0;
}

/// The same for `whole<T>`.
template <class T>
[[nodiscard]] bool is_aligned_for_whole(std::intptr_t address) {
  return is_aligned_for<whole<T>>(address);
}

}  // namespace skerry::native
