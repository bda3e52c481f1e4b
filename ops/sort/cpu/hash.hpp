// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"
#include "ops/sort/sort_key.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// What is equal for equal items, and all ones for a number that is or has NaN.
template <class T>
struct HashKey {
  using type = typename SortKey<T>::type;

  static SKERRY_INLINE type load_key(const char* item) {
    return SortKey<T>::encode(load<type>(item), type{0});
  }
  static SKERRY_INLINE uint64 hash(type key) { return uint64{key} * 0x9e3779b97f4a7c15u; }
};

struct TwoWords {
  uint64 first, second;

  friend SKERRY_INLINE bool operator==(TwoWords a, TwoWords b) {
    return ((a.first ^ b.first) | (a.second ^ b.second)) == 0;
  }
};

template <>
struct HashKey<complex128> {
  using type = TwoWords;
  using component_key = SortKey<float64>;

  static SKERRY_INLINE type load_key(const char* item) {
    const uint64 re = load<uint64>(item);
    const uint64 im = load<uint64>(item + 8);
    if (component_key::is_nan(re) || component_key::is_nan(im)) return {~uint64{0}, ~uint64{0}};
    return {component_key::encode(re, 0), component_key::encode(im, 0)};
  }
  static SKERRY_INLINE uint64 hash(type key) {
    const uint64 first = key.first * 0x9e3779b97f4a7c15u;
    return (first ^ first >> 32 ^ key.second) * 0x9e3779b97f4a7c15u;
  }
};

template <class T>
SKERRY_INLINE typename HashKey<T>::type all_ones() {
  if constexpr (sizeof(T) == 16) {
    return {~uint64{0}, ~uint64{0}};
  } else {
    return static_cast<typename HashKey<T>::type>(~typename HashKey<T>::type{0});
  }
}

/// Whether a key is that of a number that is or has NaN.
template <class T>
SKERRY_INLINE bool equals_nothing(typename HashKey<T>::type key) {
  return ops::floating<T> && key == all_ones<T>();
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
