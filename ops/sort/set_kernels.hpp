// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// The distinct items of a contiguous array in ascending order (complex ones by real part, then
/// imaginary), of equal ones the first. -0 equals +0; every NaN is distinct, and they come last.
/// `values` has room for `size` items, `indices` and `counts` for distinct_capacity() ones; they
/// get `*distinct` of them.
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

/// Room for something of each distinct item: there are few of small dtypes, but for NaNs. The CPU's
/// kernels write one beyond the last one.
[[nodiscard]] constexpr std::int64_t distinct_capacity(std::int64_t size, Dtype type) {
  if (itemsize(type) > 2 || is_floating(type)) return size;
  const std::int64_t all = (std::int64_t{1} << (8 * itemsize(type))) + 1;
  return size < all ? size : all;
}

/// Whether sorting the values alone will do.
[[nodiscard]] constexpr bool unique_by_values(Dtype type, bool indices, bool inverse) {
  return !indices && !inverse && kind(type) != DtypeKind::complex_floating;
}

[[nodiscard]] constexpr std::int64_t unique_scratch(std::int64_t size, Dtype type, bool indices,
                                                    bool inverse) {
  return size * (unique_by_values(type, indices, inverse) ? itemsize(type) : 16);
}

/// output[i] = (x[i] is one of `test_elements`) != invert. Contiguous arrays.
struct IsinParams {
  InputPointer<char> x;
  std::int64_t size;
  InputPointer<char> test_elements;
  std::int64_t test_size;
  OutputPointer<bool> output;
  bool invert;
  WorkspacePointer<char> scratch;  ///< isin_scratch() bytes

  /// Of the elements that are sought, which are sorted.
  static constexpr NativeLimits native_limits{.max_count = (std::int64_t{1} << 32) - 1};
};

/// Whether a set is so small that its items are compared one by one: a vector of comparisons takes
/// less time than looks into a table.
[[nodiscard]] constexpr bool is_small_set(std::int64_t test_size) { return test_size <= 16; }

/// Slots of the hash table: a power of 2 that leaves it half empty; or one for every value.
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
