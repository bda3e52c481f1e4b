// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"

#include <cstdint>

// The order of rows of keys, which sort, argsort and the set functions share. The algorithms are
// compiled once, in order.cu, for keys of 32 and 64 bits.

namespace skerry::native {

/// Null if there is none.
template <class T>
T* scratch(launch_context* context, std::int64_t count) {
  return static_cast<T*>(
      context->workspace(context, static_cast<std::size_t>(count < 1 ? 1 : count) * sizeof(T)));
}

/// Keys in C order, of which the lowest `bits` count; `keys` and `sorted_keys` have room for all.
template <class Key>
struct key_rows {
  Key* keys;
  Key* sorted_keys;
  std::int64_t rows;
  std::int64_t length;  ///< below 2^32
  int bits;
};

/// places[i] = the place in its row of what goes to i; stable. `tags`, if not null, stand for the
/// places of the (single) row: places[i] = tags[place].
cudaError_t order_keys(const key_rows<std::uint32_t>& of, const std::uint32_t* tags,
                       std::uint32_t* places, launch_context* context);
cudaError_t order_keys(const key_rows<std::uint64_t>& of, const std::uint32_t* tags,
                       std::uint32_t* places, launch_context* context);

/// What the items of rows are, as far as their order goes.
enum class row_items : std::uint8_t { booleans, unsigned_integers, signed_integers, floating };

/// Rows in C order and what is to become of them: sorted items, or the place of each (int64).
struct row_format {
  const char* input;
  char* output;
  std::int64_t rows;
  std::int64_t length;
  int width;  ///< bytes of an item: 1, 2, 4 or 8
  row_items kind;
  bool descending;
  bool places;
};

/// Sorts rows shorter than long_row by merging, all of them at a time; stable, NaN last.
cudaError_t merge_sort_rows(const row_format& of, launch_context* context);

/// sort_params to the sorted rows, or to the order of each; compiled by dtype, in sort.cu.
template <class T, bool Places>
int sort_rows(const void* params, launch_context* context);

/// Rows from this length on are sorted by the whole device, one after the other, by their digits:
/// of 2^20 items each takes about 15 launches, while merging takes a pass for every doubling.
inline constexpr std::int64_t long_row = std::int64_t{1} << 20;

/// From this length on for a row that is alone: merging would start with a handful of blocks.
inline constexpr std::int64_t long_single_row = std::int64_t{1} << 14;

[[nodiscard]] inline bool are_long(std::int64_t rows, std::int64_t length) {
  return length >= (rows == 1 ? long_single_row : long_row);
}

}  // namespace skerry::native
