// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/random/words.hpp"

// Unbiased integers below a bound, after D. Lemire, "Fast random integer generation in an interval"
// (2019): the upper half of word * count. Words for which the lower half is below 2^bits mod count
// are rejected and drawn again.

namespace skerry::inline SKERRY_TARGET::ops::random {

template <class W>
struct WideProduct {
  W high;
  W low;
};
SKERRY_HD SKERRY_INLINE WideProduct<uint32> multiply_wide(uint32 a, uint32 b) {
  const uint64 product = uint64{a} * b;
  return {static_cast<uint32>(product >> 32), static_cast<uint32>(product)};
}
SKERRY_HD SKERRY_INLINE WideProduct<uint64> multiply_wide(uint64 a, uint64 b) {
#if defined(__CUDA_ARCH__)
  return {__umul64hi(a, b), a * b};
#else
  __extension__ using uint128 = unsigned __int128;
  const uint128 product = uint128{a} * b;
  return {static_cast<uint64>(product >> 64), static_cast<uint64>(product)};
#endif
}

/// Type in which low + offset is computed; it wraps around as the dtype does.
template <class T>
struct offset_arithmetic {
  using type = uint32;
};
template <class T>
  requires(sizeof(T) == 8)
struct offset_arithmetic<T> {
  using type = uint64;
};
template <class T>
using offset_arithmetic_t = typename offset_arithmetic<T>::type;

/// The number of values (0: all values of a word), and the bound below which lower halves are
/// rejected.
template <class W>
struct integer_range {
  W count;
  W refused_below;

  SKERRY_HD SKERRY_INLINE explicit integer_range(W span)
      : count(span + W(1)), refused_below(count == 0 ? W(0) : W(W(0) - count) % count) {}
};

/// Returns the offset of an element whose first word was rejected, using the same word of the
/// block's next attempts.
template <class W>
SKERRY_HD inline W drawn_again(integer_range<W> range, Attempts attempts, int number) {
  while (true) {
    const WideProduct<W> product = multiply_wide(word_of<W>(attempts.next(), number), range.count);
    if (product.low >= range.refused_below) return product.high;
  }
}

/// Returns the element's offset from the lowest value. `attempts` is at the first attempt of its
/// block.
template <class W>
SKERRY_HD SKERRY_INLINE W bounded(integer_range<W> range, W word, Attempts attempts, int number) {
  if (range.count == 0) return word;
  const WideProduct<W> product = multiply_wide(word, range.count);
  if (product.low >= range.refused_below) return product.high;
  attempts.next();
  return drawn_again(range, attempts, number);
}

}  // namespace skerry::inline SKERRY_TARGET::ops::random
