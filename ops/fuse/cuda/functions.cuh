// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"

// Building blocks of the kernels of passes (ops/fuse/source.cpp). Compiled only by NVRTC.

namespace skerry::inline SKERRY_TARGET::fused {

/// The type in memory: imported bools may be any byte, and all but 0 are true.
template <class T>
struct stored {
  using type = T;
};
template <>
struct stored<bool> {
  using type = uint8;
};

/// N adjacent items, which one instruction loads or stores.
template <class T, int N>
struct alignas(sizeof(T) * N) items {
  typename stored<T>::type item[N];

  __device__ SKERRY_INLINE T operator[](int n) const { return static_cast<T>(item[n]); }
};
template <class T, int N = 1>
__device__ SKERRY_INLINE items<T, N> load(const char* source) {
  return *reinterpret_cast<const items<T, N>*>(source);
}
template <class T, int N>
__device__ SKERRY_INLINE void store(char* destination, const items<T, N>& all) {
  *reinterpret_cast<items<T, N>*>(destination) = all;
}

/// A constant, with the layout of the host's Element.
struct alignas(16) Element {
  char bytes[16];
};

/// Adds the byte offset of each operand's element at a linear index.
template <class Index, int Rank, int Operands>
__device__ SKERRY_INLINE void locate(Index index, const int64 (&extent)[Rank],
                                     const int64 (&stride)[Operands][Rank],
                                     int64 (&offsets)[Operands]) {
#pragma unroll
  for (int axis = 0; axis < Rank; ++axis) {
    const auto length = static_cast<Index>(axis + 1 < Rank ? extent[axis] : 0);
    const Index rest = axis + 1 < Rank ? index / length : 0;
#pragma unroll
    for (int i = 0; i < Operands; ++i) {
      offsets[i] += static_cast<int64>(index - rest * length) * stride[i][axis];
    }
    index = rest;
  }
}

}  // namespace skerry::inline SKERRY_TARGET::fused
