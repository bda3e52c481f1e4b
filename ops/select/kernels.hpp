// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/plan.hpp"
#include "ops/call/kernel.hpp"

// Kernels that choose elements by index arrays and masks. They move items without looking at them.

namespace skerry {

/// Offset of an element that is not there, because its index is out of bounds.
inline constexpr std::int64_t no_offset = INT64_MIN;

/// Items at `array + index * stride`, beside the plan's own strides of the array.
struct GatherParams {
  /// {items, index (int64), array}
  PlannedOperands<Plan, Role::output, Role::input, Role::input> plan;
  std::int64_t size;        ///< of the indexed axis, at least 1; an index is in [-size, size)
  std::int64_t stride;      ///< bytes
  ErrorWord invalid_index;  ///< gets an index that is out of bounds; item 0 is taken for it
  bool is_offset;           ///< the index is an offset in bytes (no_offset: 0), and is not checked
  bool is_aligned;  ///< every place in the array suits its items, as far as offsets decide it
};

/// offsets (+)= index * stride; no_offset for an index that is out of bounds.
struct OffsetsParams {
  /// {offsets (int64, contiguous), index (int64)}
  PlannedOperands<Plan, Role::output, Role::input> plan;
  std::int64_t size;
  std::int64_t stride;
  ErrorWord invalid_index;
  bool adds;  ///< to what is there; no_offset stays
};

/// array[offset] = item; nothing for no_offset. Where an offset occurs twice, the last is kept, in
/// C order of the shape, by the host form; by the native form any.
struct ScatterParams {
  /// {order (whose strides are those of C order), offsets, array, items}
  PlannedOperands<Plan, Role::untouched, Role::input, Role::output, Role::input> plan;
  bool is_unique;   ///< no offset occurs twice
  bool is_aligned;  ///< as in GatherParams
};

/// Elements of a mask that are counted together.
inline constexpr std::int64_t mask_block = 1 << 15;
[[nodiscard]] constexpr std::int64_t mask_blocks(std::int64_t size) {
  return (size + mask_block - 1) / mask_block;
}

/// Counts in a C-contiguous mask of bytes, which are true unless 0. starts[i] is the number of true
/// ones before block i, starts[mask_blocks(size)] that of all; the native form sets only the last.
struct CountParams {
  InputPointer<char> mask;
  std::int64_t size;
  OutputPointer<std::int64_t> starts;
};

/// The items of `input` (contiguous) where the mask is true.
struct CompressParams {
  InputPointer<char> mask;
  InputPointer<char> input;
  OutputPointer<char> output;
  std::int64_t size;
  InputPointer<std::int64_t> starts;  ///< as count left it
};

/// The coordinates of the true elements: column `axis` of `output` has `count` of them.
struct NonzeroParams {
  InputPointer<char> mask;
  OutputPointer<std::int64_t> output;
  std::int64_t size;
  std::int64_t count;
  InputPointer<std::int64_t> starts;  ///< as count left it
  std::int32_t rank;                  ///< at least 1
  std::int64_t shape[max_rank];
};

/// starts[i] = counts[0] + … + counts[i - 1], for i <= size.
struct RepeatStartsParams {
  InputPointer<std::int64_t> counts;
  std::int64_t size;
  OutputPointer<std::int64_t> starts;
  ErrorWord negative_count;  ///< gets a count that is negative; that one counts as 0
};

/// to[starts[i]] … to[starts[i + 1] - 1] are i.
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

// What the native form of a count leaves in CountParams::starts for the selection that follows:
// behind the number of all, that of the true elements before each chunk, and behind these a bit of
// each byte of the mask. Starts of blocks it does not set.

inline constexpr std::int64_t mask_chunk = 1 << 12;
[[nodiscard]] constexpr std::int64_t mask_chunks(std::int64_t size) {
  return (size + mask_chunk - 1) / mask_chunk;
}
/// How long CountParams::starts is.
[[nodiscard]] constexpr std::int64_t count_words(std::int64_t size, bool has_native) {
  const std::int64_t of_chunks = mask_chunks(size) * (1 + mask_chunk / 64);
  return mask_blocks(size) + 1 + (has_native ? of_chunks : 0);
}

}  // namespace skerry
