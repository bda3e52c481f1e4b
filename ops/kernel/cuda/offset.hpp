// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config.hpp"
#include "core/plan.hpp"

// Converts linear indices to byte offsets. Includes no CUDA headers, so that a host test can
// compare every index with plain division (tests/ops/kernel/cuda_offset_test.cpp).

// The structs below are kernel parameters. Loops over axes are template recursions, and everything
// is inlined: nvcc copies an array to local memory (1.3 KiB per thread, measured) unless its
// indices are constants early.

#if defined(__CUDA_ARCH__)
#define SKERRY_UNROLL_FULLY _Pragma("unroll")
#define SKERRY_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define SKERRY_UNROLL_FULLY
#define SKERRY_DO_NOT_UNROLL
#endif

namespace skerry::native {

namespace detail {
SKERRY_HD inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
SKERRY_HD inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}

/// floor(2^bits * (2^shift - divisor) / divisor) + 1, with shift = ceil(log2(divisor)).
inline std::uint32_t division_magic(std::uint32_t divisor, std::uint32_t shift) {
  const std::uint64_t excess = (std::uint64_t{1} << shift) - divisor;
  return static_cast<std::uint32_t>((excess << 32) / divisor + 1);
}
inline std::uint64_t division_magic(std::uint64_t divisor, std::uint32_t shift) {
  const unsigned __int128 excess = (static_cast<unsigned __int128>(1) << shift) - divisor;
  return static_cast<std::uint64_t>((excess << 64) / divisor + 1);
}
}  // namespace detail

/// Divides by a divisor that the host knows, in one multiplication, one addition and one shift
/// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994, with the
/// sum in one word). Dividend and divisor must be below half of Word's range, so that the sum can't
/// wrap; divisor >= 1.
template <class Word>
struct FastDivider {
  Word divisor = 1;
  Word magic = 1;
  std::uint32_t shift = 0;

  FastDivider() = default;
  explicit FastDivider(Word denominator) : divisor(denominator) {
    while ((Word{1} << shift) < denominator) ++shift;
    magic = detail::division_magic(denominator, shift);
  }
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Word quotient(Word n) const {
    return (detail::multiply_high(n, magic) + n) >> shift;
  }

  struct Result {
    std::int64_t quotient;
    std::int64_t remainder;
  };
  /// Returns quotient and remainder. The dividend must not be negative.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE Result divide(std::int64_t n) const {
    const Word q = quotient(static_cast<Word>(n));
    return {static_cast<std::int64_t>(q), n - static_cast<std::int64_t>(q * divisor)};
  }
};

/// True if all byte offsets of a plan, their partial sums and its indices fit int32.
template <int Operands>
[[nodiscard]] bool fits_32bit(const Plan& plan) {
  constexpr std::int64_t limit = index_limit_32bit;
  if (plan.size >= limit) return false;
  for (int operand = 0; operand < Operands; ++operand) {
    std::int64_t reach = 0;
    for (int axis = 0; axis < plan.rank; ++axis) {
      const std::int64_t stride = plan.strides[operand][axis];
      if (stride >= limit || stride <= -limit) return false;
      reach += (stride < 0 ? -stride : stride) * (plan.shape[axis] - 1);
      if (reach >= limit) return false;
    }
  }
  return true;
}

/// Byte offsets of every operand of a plan that fits 32-bit indexing.
template <int Operands>
struct StridedOffsets {
  /// Coordinates of an index along the first and the last axis.
  struct Ends {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  std::int32_t rank = 0;
  FastDivider<std::uint32_t> extents[Plan::max_axes];
  std::int32_t strides[Operands][Plan::max_axes] = {};

  /// False if `plan` is too large for 32-bit indexing.
  [[nodiscard]] bool assign(const Plan& plan) {
    if (!fits_32bit<Operands>(plan)) return false;
    rank = 0;
    for (int axis = 0; axis < plan.rank; ++axis) append(plan, axis, plan.shape[axis], 1);
    return true;
  }

  /// Appends an axis, with `extent` steps of `step` elements, as the slowest one. If the extent is
  /// 1, the stride is never used, so it may overflow.
  void append(const Plan& plan, int axis, std::int64_t extent, std::int64_t step) {
    extents[rank] = FastDivider<std::uint32_t>(static_cast<std::uint32_t>(extent));
    for (int operand = 0; operand < Operands; ++operand) {
      strides[operand][rank] = static_cast<std::int32_t>(plan.strides[operand][axis] * step);
    }
    ++rank;
  }

  SKERRY_HD SKERRY_INLINE Ends locate(std::uint32_t index,
                                      std::int32_t (&offsets)[Operands]) const {
    SKERRY_UNROLL_FULLY
    for (int operand = 0; operand < Operands; ++operand) offsets[operand] = 0;
    Ends ends;
    add_from<0>(index, offsets, ends);
    return ends;
  }

 private:
  template <int Axis>
  SKERRY_HD SKERRY_INLINE void add_from(std::uint32_t index, std::int32_t (&offsets)[Operands],
                                        Ends& ends) const {
    if (Axis + 1 >= rank) {  // the remaining index is the coordinate: no division
      if constexpr (Axis == 0) ends.first = index;
      ends.last = index;
      add<Axis>(index, offsets);
    } else if constexpr (Axis + 1 < Plan::max_axes) {
      const std::uint32_t quotient = extents[Axis].quotient(index);
      const std::uint32_t coordinate = index - quotient * extents[Axis].divisor;
      if constexpr (Axis == 0) ends.first = coordinate;
      add<Axis>(coordinate, offsets);
      add_from<Axis + 1>(quotient, offsets, ends);
    }
  }
  template <int Axis>
  SKERRY_HD SKERRY_INLINE void add(std::uint32_t coordinate,
                                   std::int32_t (&offsets)[Operands]) const {
    SKERRY_UNROLL_FULLY
    for (int operand = 0; operand < Operands; ++operand) {
      offsets[operand] += static_cast<std::int32_t>(coordinate) * strides[operand][Axis];
    }
  }
};

/// Byte offsets along some axes of an array, axis 0 fastest. 64-bit, since reductions are not
/// split.
struct AxisOffsets {
  std::int32_t rank = 0;
  FastDivider<std::uint64_t> extents[Plan::max_axes];
  std::int64_t strides[Plan::max_axes] = {};

  AxisOffsets() = default;
  AxisOffsets(std::int32_t axes, const std::int64_t* shape, const std::int64_t* stride_bytes)
      : rank(axes) {
    for (int axis = 0; axis < rank; ++axis) {
      // An axis of extent 0 is never indexed.
      extents[axis] =
          FastDivider<std::uint64_t>(shape[axis] > 0 ? static_cast<std::uint64_t>(shape[axis]) : 1);
      strides[axis] = stride_bytes[axis];
    }
  }

  /// Returns the byte offset of element `index` from the first one.
  template <int Axis = 0>
  [[nodiscard]] SKERRY_HD SKERRY_INLINE std::int64_t offset(std::int64_t index) const {
    if constexpr (Axis + 1 < Plan::max_axes) {
      if (Axis + 1 < rank) {
        const auto [quotient, coordinate] = extents[Axis].divide(index);
        return coordinate * strides[Axis] + offset<Axis + 1>(quotient);
      }
    }
    return index * strides[Axis];
  }
};

}  // namespace skerry::native
