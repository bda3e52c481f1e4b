// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "ops/call/kernel.hpp"

namespace skerry {

/// Sorts each row of a C-contiguous matrix: stable in either order, NaN last in both, -0 equal to
/// +0. The output has the sorted elements, or their indices in the row (int64). Input and output do
/// not overlap.
struct SortParams {
  InputPointer<char> input;
  OutputPointer<char> output;
  /// `slots` blocks of sort_scratch() bytes; that many rows are sorted at a time.
  WorkspacePointer<char> scratch;
  std::int64_t slots;
  std::int64_t rows;
  std::int64_t length;
  bool descending;
};

/// Rows up to this length are sorted in registers and on the stack.
inline constexpr std::int64_t short_row = 32;

/// Scratch bytes of the host form for one row of `length` items. `width` is the size of what is
/// moved: the itemsize, or 8 for indices.
[[nodiscard]] constexpr std::int64_t sort_scratch(std::int64_t length, std::int64_t width) {
  return length <= short_row ? 0 : (length * width + 63) / 64 * 64;
}

/// output[i] = number of sorted items less than values[i] (`right`: or equal to it). NaN is the
/// greatest value and equal to itself. Arrays are contiguous.
struct SearchParams {
  InputPointer<char> sorted;
  std::int64_t sorted_size;
  OptionalInputPointer<std::int64_t> sorter;  ///< null, or the permutation that sorts `sorted`
  /// With a sorter: receives an out-of-bounds index, or 0.
  OutputPointer<std::int64_t> out_of_range_index;
  InputPointer<char> values;
  std::int64_t size;
  OutputPointer<std::int64_t> output;
  bool right;
};

struct SortKernels {
  // By dtype (not complex).
  Kernel<SortParams> values[dtype_count];
  Kernel<SortParams> indices[dtype_count];  ///< of rows shorter than 2^32
  Kernel<SearchParams> search[dtype_count];
};

}  // namespace skerry
