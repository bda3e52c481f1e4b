// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "core/config.hpp"
#include "ops/kernel/cuda/offset.hpp"

namespace skerry::native {

/// How a reduction along columns, outputs whose elements are rows apart, is split into threads. A
/// block is `lanes` columns wide, each of the outputs that are loaded together, and `rows()` deep:
/// its threads fold every rows()th element of a part, and are then put together. It depends on the
/// array alone, never on the device, so that results are the same on every GPU. Free of CUDA
/// headers, and tested on the host.
struct ColumnSplit {
  static constexpr int threads = 256;  ///< of a block
  /// With 4 or 3 blocks on each of 132 multiprocessors this many end in a wave that is 0.86 full or
  /// more. On an H100 768 to 2,048 took within 6 % of each other, 3,072 up to half as long again.
  static constexpr std::int64_t target_blocks = 1024;
  /// Columns side by side fill lines of 128 bytes.
  static constexpr int min_lanes = 8;
  static constexpr int max_lanes = 32;
  /// Fewer elements a thread are not worth another row of threads, nor a further pass.
  static constexpr std::int64_t min_share = 16;
  /// More elements a thread lose accuracy: the error of a running sum grows with its length.
  static constexpr std::int64_t max_share = 4096;

  std::int64_t columns;
  std::int64_t length;
  int lanes;                        ///< a power of two
  std::int64_t parts = 1;           ///< of a column, a block each
  std::int64_t part_length;         ///< elements; the last part's may be fewer
  FastDivider<std::uint64_t> wide;  ///< by the blocks side by side

  ColumnSplit(std::int64_t all_columns, std::int64_t elements)
      : columns(all_columns), length(elements), lanes(lanes_for(columns)), part_length(elements) {
    while (lanes < threads && rows() * min_share / 2 > length) lanes *= 2;
    wide = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(blocks_wide()));
    const std::int64_t for_blocks = divided_up(target_blocks, blocks_wide());
    const std::int64_t for_accuracy = divided_up(length, max_share * rows());
    const std::int64_t max_parts = length / (min_share * rows());
    std::int64_t target_parts = for_blocks < max_parts ? for_blocks : max_parts;
    // Blocks that are a few waves as they are need no second pass.
    if (blocks_wide() >= target_blocks / 2) target_parts = 1;
    if (target_parts < for_accuracy) target_parts = for_accuracy;
    if (target_parts <= 1) return;
    part_length = divided_up(divided_up(length, rows()), target_parts) * rows();
    parts = divided_up(length, part_length);
  }

  /// Of what parts left: as many rows as its lines allow, as it is little and all of it is waited
  /// for.
  [[nodiscard]] static ColumnSplit in_one_pass(std::int64_t columns, std::int64_t parts) {
    ColumnSplit split(columns, parts);
    split.lanes = lanes_for(columns < min_lanes ? columns : min_lanes);
    split.wide = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(split.blocks_wide()));
    split.parts = 1;
    split.part_length = parts;
    return split;
  }

  [[nodiscard]] SKERRY_HD SKERRY_INLINE int rows() const { return threads / lanes; }
  [[nodiscard]] std::int64_t blocks_wide() const { return divided_up(columns, lanes); }
  [[nodiscard]] std::int64_t blocks() const { return blocks_wide() * parts; }

 private:
  /// As many as leave few of the threads beyond the last column.
  [[nodiscard]] static int lanes_for(std::int64_t columns) {
    if (columns < min_lanes) {
      return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(columns)));
    }
    int lanes = max_lanes;
    while (lanes > min_lanes && divided_up(columns, lanes) * lanes * 4 > columns * 5) lanes /= 2;
    return lanes;
  }
  [[nodiscard]] static constexpr std::int64_t divided_up(std::int64_t n, std::int64_t divisor) {
    return (n + divisor - 1) / divisor;
  }
};

}  // namespace skerry::native
