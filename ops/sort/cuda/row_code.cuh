// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/sort_key.hpp"

#include <cstdint>

namespace skerry::native {

/// Numbers whose order is that of codes but for those that are to count as equal: codes zero and
/// zero + 1, and all behind `last`.
template <class Key>
struct CodeOrder {
  Key zero = ~Key{0};
  Key last = ~Key{0};

  __device__ SKERRY_INLINE Key rank(Key code) const {
    const Key merged = code - static_cast<Key>(code > zero ? 1 : 0);
    return merged < last ? merged : last;
  }
};

/// Items as unsigned integers in the order in which they are to come, from which the items are had
/// back. -0 and +0 are next to each other, and all NaNs are at the end: CodeOrder makes them
/// equal. What the dtype is is told at run time, so that dtypes share kernels.
template <class Key>
struct RowCode {
  Key top;     ///< the sign's bit
  Key all;     ///< the bits of an item
  Key turn;    ///< by which integers are to be xored
  Key hidden;  ///< how many NaNs have a sign, 0 for what is no floating-point number
  CodeOrder<Key> order;
  bool is_boolean;
  bool descending;

  explicit RowCode(const RowFormat& format)
      : top(Key{1} << (8 * format.width - 1)),
        all(static_cast<Key>(top - 1 + top)),
        turn(static_cast<Key>((format.kind == RowItems::signed_integers ? top : 0) ^
                              (format.descending ? all : 0))),
        hidden(0),
        is_boolean(format.kind == RowItems::booleans),
        descending(format.descending) {
    if (format.kind != RowItems::floating) return;
    const Key infinity = static_cast<Key>(kernels::infinity_bits(format.width));
    hidden = top - 1 - infinity;
    order = {.zero = static_cast<Key>(top - 1 - hidden),
             .last = static_cast<Key>((infinity ^ top) - hidden)};
  }

  __device__ SKERRY_INLINE Key encode(Key bits) const {
    if (hidden != 0) {
      const Key straight = (bits & top) != 0 ? bits ^ all : bits ^ top;
      // The NaNs with a sign, which would be the first, come round to the end.
      const Key code = (straight - hidden) & all;
      return reversed(code);
    }
    if (is_boolean) bits = bits != 0 ? 1 : 0;
    return bits ^ turn;
  }

  __device__ SKERRY_INLINE Key decode(Key code) const {
    if (hidden != 0) {
      const Key straight = (reversed(code) + hidden) & all;
      return (straight & top) != 0 ? straight ^ top : straight ^ all;
    }
    return is_boolean ? (code ^ turn) & 1 : code ^ turn;
  }

 private:
  __device__ SKERRY_INLINE Key reversed(Key code) const {
    return descending && code <= order.last ? order.last - code : code;
  }
};

}  // namespace skerry::native
