// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/plan.hpp"
#include "ops/call/kernel.hpp"

// Kernels that select elements by index arrays and masks. They move items by size, not by dtype.

namespace skerry {

/// Offset that stands for an out-of-bounds index.
inline constexpr std::int64_t no_offset = INT64_MIN;

/// Gathers items at `array + index * stride`, in addition to the plan's own strides of the array.
struct GatherParams {
  /// {items, index (int64), array}
  PlannedOperands<Plan, Role::output, Role::input, Role::input> plan;
  std::int64_t size;        ///< of the indexed axis, at least 1; an index is in [-size, size)
  std::int64_t stride;      ///< in bytes
  ErrorWord invalid_index;  ///< receives an out-of-bounds index; item 0 is read in its place
  bool is_offset;           ///< the index is a byte offset (no_offset: 0), and is not checked
  bool is_aligned;          ///< all items of the array are aligned, as far as offsets determine it
};

/// offsets = or += index * stride; no_offset for an out-of-bounds index.
struct OffsetsParams {
  /// {offsets (int64, contiguous), index (int64)}
  PlannedOperands<Plan, Role::output, Role::input> plan;
  std::int64_t size;
  std::int64_t stride;
  ErrorWord invalid_index;
  bool adds;  ///< add to the stored offsets; no_offset remains
};

/// array[offset] = item; skips no_offset. If an offset occurs twice, the host form keeps the last
/// item in C order of the shape, the native form any.
struct ScatterParams {
  /// {order (with C-order strides), offsets, array, items}
  PlannedOperands<Plan, Role::untouched, Role::input, Role::output, Role::input> plan;
  bool is_unique;   ///< no offset occurs twice
  bool is_aligned;  ///< as in GatherParams
};

/// Elements of a mask per count.
inline constexpr std::int64_t mask_block = 1 << 15;
[[nodiscard]] constexpr std::int64_t mask_blocks(std::int64_t size) {
  return (size + mask_block - 1) / mask_block;
}

/// Counts the nonzero bytes of a C-contiguous mask. starts[i] is the number before block i,
/// starts[mask_blocks(size)] the total; the native form sets only the total.
struct CountParams {
  InputPointer<char> mask;
  std::int64_t size;
  OutputPointer<std::int64_t> starts;
};

/// Copies the items of `input` (contiguous) where the mask is true.
struct CompressParams {
  InputPointer<char> mask;
  InputPointer<char> input;
  OutputPointer<char> output;
  std::int64_t size;
  InputPointer<std::int64_t> starts;  ///< from the count
};

/// Writes the coordinates of the true elements: column `axis` of `output` has `count` of them.
struct NonzeroParams {
  InputPointer<char> mask;
  OutputPointer<std::int64_t> output;
  std::int64_t size;
  std::int64_t count;
  InputPointer<std::int64_t> starts;  ///< from the count
  std::int32_t rank;                  ///< at least 1
  std::int64_t shape[max_rank];
};

/// starts[i] = counts[0] + ... + counts[i - 1], for i <= size.
struct RepeatStartsParams {
  InputPointer<std::int64_t> counts;
  std::int64_t size;
  OutputPointer<std::int64_t> starts;
  ErrorWord negative_count;  ///< receives a negative count, which counts as 0
};

/// output[starts[i]] to output[starts[i + 1] - 1] are i.
struct RepeatedIndicesParams {
  InputPointer<std::int64_t> starts;
  std::int64_t size;
  OutputPointer<std::int64_t> output;
  std::int64_t total;
};

struct IndexKernels {
  Kernel<GatherParams> gather[5];    ///< by size class
  Kernel<ScatterParams> scatter[5];  ///< by size class
  Kernel<OffsetsParams> offsets;
  Kernel<CountParams> count;
  Kernel<CompressParams> compress[5];  ///< by size class
  Kernel<NonzeroParams> nonzero;
  Kernel<RepeatStartsParams> repeat_starts;
  Kernel<RepeatedIndicesParams> repeated_indices;
};

// The native count leaves more in CountParams::starts for the selection that follows: after the
// total, the number of true elements before each chunk, then one bit per byte of the mask. It does
// not set the starts of blocks.

inline constexpr std::int64_t mask_chunk = 1 << 12;
[[nodiscard]] constexpr std::int64_t mask_chunks(std::int64_t size) {
  return (size + mask_chunk - 1) / mask_chunk;
}
/// Length of CountParams::starts.
[[nodiscard]] constexpr std::int64_t count_words(std::int64_t size, bool has_native) {
  const std::int64_t of_chunks = mask_chunks(size) * (1 + mask_chunk / 64);
  return mask_blocks(size) + 1 + (has_native ? of_chunks : 0);
}

}  // namespace skerry
