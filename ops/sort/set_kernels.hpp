// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Finds the distinct items of a contiguous array in ascending order (complex: by real part, then
/// imaginary); the first of equal items represents them. -0 equals +0; every NaN is distinct and
/// sorts last. `values` has room for `size` items, `indices` and `counts` for distinct_capacity();
/// `*distinct` of them are written.
struct UniqueParams {
  InputPointer<char> input;
  std::int64_t size;  ///< at least 1
  OutputPointer<char> values;
  OptionalOutputPointer<std::int64_t> indices;  ///< of the items in the input
  /// For each item of the input, the index of its value.
  OptionalOutputPointer<std::int64_t> inverse;
  OptionalOutputPointer<std::int64_t> counts;
  OutputPointer<std::int64_t> distinct;
  WorkspacePointer<char> scratch;  ///< unique_scratch() bytes
};

/// Capacity for one entry per distinct item: small integer dtypes have few values. The CPU kernels
/// write one entry past the last.
[[nodiscard]] constexpr std::int64_t distinct_capacity(std::int64_t size, Dtype type) {
  if (itemsize(type) > 2 || is_floating(type)) return size;
  const std::int64_t all = (std::int64_t{1} << (8 * itemsize(type))) + 1;
  return size < all ? size : all;
}

/// True if sorting the values alone is enough.
[[nodiscard]] constexpr bool unique_by_values(Dtype type, bool indices, bool inverse) {
  return !indices && !inverse && kind(type) != DtypeKind::complex_floating;
}

[[nodiscard]] constexpr std::int64_t unique_scratch(std::int64_t size, Dtype type, bool indices,
                                                    bool inverse) {
  return size * (unique_by_values(type, indices, inverse) ? itemsize(type) : 16);
}

/// output[i] = (x[i] is one of `test_elements`) != invert. Arrays are contiguous.
struct IsinParams {
  InputPointer<char> x;
  std::int64_t size;
  InputPointer<char> test_elements;
  std::int64_t test_size;
  OutputPointer<bool> output;
  bool invert;
  WorkspacePointer<char> scratch;  ///< isin_scratch() bytes

  /// Limit on the number of test elements, which are sorted.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 1};
};

/// True for a set small enough to compare all its items: a vector comparison is faster than a table
/// lookup.
[[nodiscard]] constexpr bool is_small_set(std::int64_t test_size) { return test_size <= 16; }

/// Slots of the hash table: a power of two that leaves half of it empty; for small items, one slot
/// for each possible value.
[[nodiscard]] constexpr std::int64_t isin_slots(std::int64_t test_size, std::int64_t itemsize) {
  if (is_small_set(test_size)) return 0;
  if (itemsize <= 2) return std::int64_t{1} << (8 * itemsize);
  std::int64_t slots = 16;
  while (slots < 2 * test_size) slots *= 2;
  return slots;
}

[[nodiscard]] constexpr std::int64_t isin_scratch(std::int64_t test_size, std::int64_t itemsize) {
  return isin_slots(test_size, itemsize) * (itemsize <= 2 ? 1 : itemsize);
}

struct SetKernels {
  Kernel<UniqueParams> unique[dtype_count];
  Kernel<IsinParams> isin[dtype_count];
};

}  // namespace skerry
