// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/math/concepts.hpp"
#include "ops/sort/cuda/order.cuh"

#include <cstdint>

namespace skerry::native {

/// Maps codes to ranks of the same order, in which codes that must compare equal share a rank: zero
/// and zero + 1, and all from `last` on.
template <class Key>
struct CodeOrder {
  Key zero = ~Key{0};
  Key last = ~Key{0};

  __device__ SKERRY_INLINE Key rank(Key code) const {
    const Key merged = code - static_cast<Key>(code > zero ? 1 : 0);
    return merged < last ? merged : last;
  }
};

/// Encodes items as unsigned integers in the requested order, and decodes them. -0 and +0 are
/// adjacent, and all NaNs are at the end: CodeOrder makes them equal. The dtype is a run-time
/// value, so that dtypes share kernels.
template <class Key>
struct RowCode {
  Key top;     ///< sign bit
  Key all;     ///< all bits of an item
  Key turn;    ///< XOR mask for integers
  Key hidden;  ///< number of NaNs with a sign; 0 if not floating
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
    const Key infinity = static_cast<Key>(format.infinity);
    hidden = top - 1 - infinity;
    order = {.zero = static_cast<Key>(top - 1 - hidden),
             .last = static_cast<Key>((infinity ^ top) - hidden)};
  }

  __device__ SKERRY_INLINE Key encode(Key bits) const {
    if (hidden != 0) {
      const Key straight = (bits & top) != 0 ? bits ^ all : bits ^ top;
      // NaNs with a sign, which would sort first, wrap around to the end.
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
