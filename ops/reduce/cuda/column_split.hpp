// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "core/config.hpp"
#include "ops/kernel/cuda/offset.hpp"

namespace skerry::native {

/// How a reduction along columns (outputs whose elements are a row apart) is split among threads. A
/// block is `lanes` columns wide, where a column is the group of outputs loaded together, and
/// `rows()` deep: each thread folds every rows()th element of a part, then the threads are
/// combined. The split depends on the array only, never on the device, so results are the same on
/// every GPU. Free of CUDA headers, and tested on the host.
struct ColumnSplit {
  static constexpr int threads = 256;  ///< per block
  /// With 3 or 4 blocks on each of 132 multiprocessors, this many blocks end in a wave that is at
  /// least 0.86 full. On an H100, 768 to 2,048 were within 6 % of each other; 3,072 took up to 1.5
  /// times as long.
  static constexpr std::int64_t target_blocks = 1024;
  /// Adjacent columns fill lines of 128 bytes.
  static constexpr int min_lanes = 8;
  static constexpr int max_lanes = 32;
  /// Fewer elements per thread do not pay for another row of threads or a second pass.
  static constexpr std::int64_t min_share = 16;
  /// More elements per thread lose accuracy: the error of a running sum grows with its length.
  static constexpr std::int64_t max_share = 4096;

  std::int64_t columns;
  std::int64_t length;
  int lanes;                        ///< a power of two
  std::int64_t parts = 1;           ///< of a column, one block each
  std::int64_t part_length;         ///< elements; the last part may be shorter
  FastDivider<std::uint64_t> wide;  ///< divides by blocks_wide()

  ColumnSplit(std::int64_t all_columns, std::int64_t elements)
      : columns(all_columns), length(elements), lanes(lanes_for(columns)), part_length(elements) {
    while (lanes < threads && rows() * min_share / 2 > length) lanes *= 2;
    wide = FastDivider<std::uint64_t>(static_cast<std::uint64_t>(blocks_wide()));
    const std::int64_t for_blocks = divided_up(target_blocks, blocks_wide());
    const std::int64_t for_accuracy = divided_up(length, max_share * rows());
    const std::int64_t max_parts = length / (min_share * rows());
    std::int64_t target_parts = for_blocks < max_parts ? for_blocks : max_parts;
    // A grid of several waves needs no second pass.
    if (blocks_wide() >= target_blocks / 2) target_parts = 1;
    if (target_parts < for_accuracy) target_parts = for_accuracy;
    if (target_parts <= 1) return;
    part_length = divided_up(divided_up(length, rows()), target_parts) * rows();
    parts = divided_up(length, part_length);
  }

  /// The split of the second pass over partial results. It uses as many rows as full lines allow:
  /// the data are small, and latency dominates.
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
  /// Returns the widest lanes that leave few threads idle beyond the last column.
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
