// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "core/dtype_list.hpp"

// What the kernels of passes are made of (ops/fuse/source.cpp). For NVRTC alone.

namespace skerry::inline SKERRY_TARGET::fused {

/// The C++ type of a dtype, by its number.
template <int Dtype>
struct numbered;
enum class number {
#define SKERRY_NUMBER(name, type, kind, typestr) name,
  SKERRY_FOR_EACH_DTYPE(SKERRY_NUMBER)
#undef SKERRY_NUMBER
};
#define SKERRY_TYPE(name, cpp_type, kind, typestr)  \
  template <>                                       \
  struct numbered<static_cast<int>(number::name)> { \
    using type = cpp_type;                          \
  };
SKERRY_FOR_EACH_DTYPE(SKERRY_TYPE)
#undef SKERRY_TYPE
template <int Dtype>
using type_t = typename numbered<Dtype>::type;

/// What one instruction moves.
template <int Bytes>
struct word;
template <>
struct word<1> {
  using type = unsigned char;
};
template <>
struct word<2> {
  using type = unsigned short;
};
template <>
struct word<4> {
  using type = unsigned int;
};
template <>
struct word<8> {
  using type = uint2;
};
template <>
struct word<16> {
  using type = uint4;
};

/// What lies in memory: a bool of others may be any byte, and all but 0 are true.
template <class T>
struct stored {
  using type = T;
};
template <>
struct stored<bool> {
  using type = unsigned char;
};

/// N neighbours that go to or from memory in one piece.
template <class T, int N>
struct items {
  typename stored<T>::type item[N];

  __device__ SKERRY_INLINE explicit items(const char* from) {
    using word_type = typename word<sizeof(item)>::type;
    const word_type bits = *reinterpret_cast<const word_type*>(from);
    memcpy(item, &bits, sizeof item);
  }
  items() = default;
  __device__ SKERRY_INLINE T operator[](int n) const { return static_cast<T>(item[n]); }
  __device__ SKERRY_INLINE void put(int n, T value) { item[n] = value; }
  __device__ SKERRY_INLINE void store(char* to) const {
    typename word<sizeof(item)>::type bits;
    memcpy(&bits, item, sizeof item);
    *reinterpret_cast<decltype(bits)*>(to) = bits;
  }
};
template <class T>
__device__ SKERRY_INLINE T load(const char* from) {
  return items<T, 1>(from)[0];
}
template <class T>
__device__ SKERRY_INLINE void store(char* to, T value) {
  items<T, 1> one;
  one.put(0, value);
  one.store(to);
}

/// An element by value, as the host has it.
struct alignas(16) element {
  char bytes[16];

  template <class T>
  __device__ SKERRY_INLINE T as() const {
    return load<T>(bytes);
  }
};

/// Bytes from where each operand begins to its element, of a linear index.
template <class Index, int Rank, int Operands>
__device__ SKERRY_INLINE void locate(Index index, const long (&extent)[Rank],
                                     const long (&stride)[Operands][Rank], long (&at)[Operands]) {
#pragma unroll
  for (int axis = 0; axis < Rank; ++axis) {
    Index position = index;
    if (axis + 1 < Rank) {
      const Index rest = index / static_cast<Index>(extent[axis]);
      position = index - rest * static_cast<Index>(extent[axis]);
      index = rest;
    }
#pragma unroll
    for (int i = 0; i < Operands; ++i) at[i] += static_cast<long>(position) * stride[i][axis];
  }
}

}  // namespace skerry::inline SKERRY_TARGET::fused
