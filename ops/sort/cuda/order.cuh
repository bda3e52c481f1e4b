// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/order_keys.cuh"

#include <cstdint>

// Sorting of keys by rows, shared by sort, argsort and the set functions. Compiled once, in
// order.cu, for keys of 32 and 64 bits.

namespace skerry::native {

/// Kinds of items that differ in how they are ordered.
enum class RowItems : std::uint8_t { booleans, unsigned_integers, signed_integers, floating };

/// Rows in C order, and whether to return sorted items or indices (int64).
struct RowFormat {
  const char* input;
  char* output;
  std::int64_t rows;
  std::int64_t length;
  int width;  ///< bytes of an item: 1, 2, 4 or 8
  RowItems kind;
  std::uint64_t infinity;  ///< its bits; 0 if not floating
  bool descending;
  bool indices;
};

/// Merge-sorts rows shorter than long_row, all of them in parallel; stable, NaN last.
cudaError_t merge_sort_rows(const RowFormat& format, LaunchContext* context);

/// Rows of one dtype in C order.
struct RowsToSort {
  const char* input;
  char* output;
  std::int64_t rows;
  std::int64_t length;
  bool descending;
};

/// Sorts rows, or computes their argsort. Compiled by dtype only in the translation units of sort;
/// those of sets link to it.
template <class T, bool Indices>
[[gnu::used, gnu::noinline]] cudaError_t sort_rows(const RowsToSort& rows, LaunchContext* context);

/// Minimum length of rows that the whole device radix-sorts one by one. Each row of 2^20 items
/// takes about 15 launches, whereas merging takes a pass per doubling.
inline constexpr std::int64_t long_row = std::int64_t{1} << 20;

/// Like long_row, for a single row, which merging would start with only a few blocks.
inline constexpr std::int64_t long_single_row = std::int64_t{1} << 14;

[[nodiscard]] inline bool are_long(std::int64_t rows, std::int64_t length) {
  return length >= (rows == 1 ? long_single_row : long_row);
}

}  // namespace skerry::native
