// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/order_keys.cuh"

#include <cstdint>

// The order of rows of keys, which sort, argsort and the set functions share. The algorithms are
// compiled once, in order.cu, for keys of 32 and 64 bits.

namespace skerry::native {

/// What the items of rows are, as far as their order goes.
enum class RowItems : std::uint8_t { booleans, unsigned_integers, signed_integers, floating };

/// Rows in C order and what is to become of them: sorted items, or the index of each (int64).
struct RowFormat {
  const char* input;
  char* output;
  std::int64_t rows;
  std::int64_t length;
  int width;  ///< bytes of an item: 1, 2, 4 or 8
  RowItems kind;
  bool descending;
  bool indices;
};

/// Sorts rows shorter than long_row by merging, all of them at a time; stable, NaN last.
cudaError_t merge_sort_rows(const RowFormat& format, LaunchContext* context);

/// Rows of one dtype in C order.
struct RowsToSort {
  const char* input;
  char* output;
  std::int64_t rows;
  std::int64_t length;
  bool descending;
};

/// Sorts rows, or finds the order of each. Compiled by dtype in the units of sort only, which keep
/// it, as those of sets call it too.
template <class T, bool Indices>
[[gnu::used, gnu::noinline]] cudaError_t sort_rows(const RowsToSort& rows, LaunchContext* context);

/// Rows from this length on are sorted by the whole device, one after the other, by their digits:
/// of 2^20 items each takes about 15 launches, while merging takes a pass for every doubling.
inline constexpr std::int64_t long_row = std::int64_t{1} << 20;

/// From this length on for a row that is alone: merging would start with a handful of blocks.
inline constexpr std::int64_t long_single_row = std::int64_t{1} << 14;

[[nodiscard]] inline bool are_long(std::int64_t rows, std::int64_t length) {
  return length >= (rows == 1 ? long_single_row : long_row);
}

}  // namespace skerry::native
