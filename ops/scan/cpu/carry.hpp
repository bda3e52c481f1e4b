// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"
#include "ops/scan/scans.hpp"

// What a scan carries from one block to the next. Within a block it computes in the dtype; from
// block to block in twice its precision where that is free, so that the error of the last element
// does not grow with the length of the array.

namespace skerry::inline SKERRY_TARGET::kernels {

template <class Op>
inline constexpr bool is_sum = ops::same_v<typename Op::reduction, ops::sum>;

/// The neutral element: neutral op x = x for every x. For sums it is -0, which keeps the sign of a
/// zero; +0 does not.
template <class Op, class A>
SKERRY_INLINE A neutral() {
  if constexpr (!is_sum<Op>) {
    return A(1);
  } else if constexpr (ops::complex_floating<A>) {
    return {-typename A::value_type(0), -typename A::value_type(0)};
  } else {
    return -A(0);
  }
}

/// The total of what precedes a block. `apply(offset, local)` returns the result of an element
/// whose result within the block is `local`.
template <class Op, class A>
struct ScanCarry {
  using Offset = A;
  A value;

  SKERRY_INLINE void clear() { value = neutral<Op, A>(); }
  SKERRY_INLINE void set(A total) { value = total; }
  SKERRY_INLINE void merge(const ScanCarry& later) {
    value = Op::reduction::combine(value, later.value);
  }
  SKERRY_INLINE Offset get() const { return value; }
  static SKERRY_INLINE A apply(Offset offset, A local) {
    return Op::reduction::combine(offset, local);
  }
};

template <class Op>
struct ScanCarry<Op, float32> {
  using Offset = float32;
  float64 value;

  SKERRY_INLINE void clear() { value = neutral<Op, float64>(); }
  SKERRY_INLINE void set(float32 total) { value = static_cast<float64>(total); }
  SKERRY_INLINE void merge(const ScanCarry& later) {
    value = Op::reduction::combine(value, later.value);
  }
  SKERRY_INLINE Offset get() const { return static_cast<float32>(value); }
  static SKERRY_INLINE float32 apply(Offset offset, float32 local) {
    return Op::reduction::combine(offset, local);
  }
};

/// The sum and its rounding error (Knuth's TwoSum).
template <>
struct ScanCarry<ops::cumulative_sum, float64> {
  using Offset = float64;
  float64 high;
  float64 low;

  SKERRY_INLINE void clear() {
    high = -0.0;
    low = -0.0;
  }
  SKERRY_INLINE void set(float64 total) {
    high = total;
    low = -0.0;
  }
  SKERRY_INLINE void merge(const ScanCarry& later) {
    const float64 total = high + later.high;
    const float64 rounded_addend = total - high;
    const float64 lost = (high - (total - rounded_addend)) + (later.high - rounded_addend);
    const bool is_finite = total - total == 0;
    // A zero rounding error must not change the sign of a zero total.
    low = is_finite && total != 0 ? low + later.low + lost : -0.0;
    high = total;
  }
  SKERRY_INLINE Offset get() const { return high + low; }
  static SKERRY_INLINE float64 apply(Offset offset, float64 local) { return offset + local; }
};

template <class R>
struct ScanCarry<ops::cumulative_sum, complex<R>> {
  using component_carry = ScanCarry<ops::cumulative_sum, R>;
  using Offset = complex<R>;
  component_carry re;
  component_carry im;

  SKERRY_INLINE void clear() {
    re.clear();
    im.clear();
  }
  SKERRY_INLINE void set(complex<R> total) {
    re.set(total.re);
    im.set(total.im);
  }
  SKERRY_INLINE void merge(const ScanCarry& later) {
    re.merge(later.re);
    im.merge(later.im);
  }
  SKERRY_INLINE Offset get() const { return {re.get(), im.get()}; }
  static SKERRY_INLINE complex<R> apply(Offset offset, complex<R> local) { return offset + local; }
};

/// Complex products have no neutral element: (1 + 0i) (inf + yi) is not inf + yi.
template <class R>
struct ScanCarry<ops::cumulative_prod, complex<R>> {
  struct Offset {
    complex<R> value;
    bool is_empty;
  };
  complex128 value;
  bool is_empty;

  SKERRY_INLINE void clear() {
    value = complex128(1);
    is_empty = true;
  }
  SKERRY_INLINE void set(complex<R> total) {
    value = complex128(total.re, total.im);
    is_empty = false;
  }
  SKERRY_INLINE void merge(const ScanCarry& later) {
    if (later.is_empty) return;
    value = is_empty ? later.value : value * later.value;
    is_empty = false;
  }
  SKERRY_INLINE Offset get() const {
    return {{static_cast<R>(value.re), static_cast<R>(value.im)}, is_empty};
  }
  static SKERRY_INLINE complex<R> apply(const Offset& offset, complex<R> local) {
    return offset.is_empty ? local : offset.value * local;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
