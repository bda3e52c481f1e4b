// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "core/config.hpp"

namespace skerry::native {

/// How a reduction of rows with contiguous elements is split among threads. It depends on the rows
/// only, and on whether they can be read 16 bytes at a time; never on the device, so results are
/// the same on every GPU. Free of CUDA headers, and tested on the host.
struct RowSplit {
  static constexpr int threads = 256;  ///< per block
  static constexpr int warp = 32;
  /// With 4, 5, 6 or 8 blocks on each of 132 multiprocessors, this many blocks end in a wave that
  /// is at least 0.86 full. Four times as many take 4 to 15 % longer on an H100: each has little to
  /// fold before its threads are combined.
  static constexpr std::int64_t target_blocks = 4096;
  /// More elements per thread lose accuracy: the error of a running sum grows with its length.
  static constexpr std::int64_t max_share = 4096;
  /// Adjacent lanes of a block should fill lines of 128 bytes.
  static constexpr std::int64_t line = 128;
  /// With this many rows, one warp per row keeps a GPU busy.
  static constexpr std::int64_t many_rows = 8192;

  int lanes = 1;             ///< adjacent threads that share a part: up to a warp, or a block
  bool is_short = false;     ///< one load per lane covers a row, and a thread takes several rows
  std::int64_t parts = 1;    ///< of a row, one block each
  std::int64_t part_length;  ///< elements; the last part may be shorter

  /// One load has `vector` items; a thread keeps `loads` of them in flight.
  RowSplit(std::int64_t rows, std::int64_t length, std::int64_t itemsize, int vector, int loads)
      : part_length(length) {
    const std::int64_t vectors = divided_up(length, vector);
    const auto in_line = std::bit_floor(static_cast<std::uint64_t>(line / (vector * itemsize)));
    const std::int64_t min_lanes = in_line < warp ? static_cast<std::int64_t>(in_line) : warp;
    if (vectors <= min_lanes && length % vector == 0) {
      is_short = true;
      lanes = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(vectors)));
      return;
    }
    const std::int64_t warp_loads = std::int64_t{warp} * loads;
    if (vectors <= warp_loads || (rows >= many_rows && vectors <= 8 * warp_loads)) {
      const auto target_lanes =
          std::bit_ceil(static_cast<std::uint64_t>(divided_up(vectors, loads)));
      lanes = static_cast<int>(target_lanes < warp ? target_lanes : warp);
      if (lanes < min_lanes) lanes = static_cast<int>(min_lanes);
      return;
    }
    lanes = threads;
    const std::int64_t tile = std::int64_t{threads} * vector * loads;
    const std::int64_t tiles = divided_up(length, tile);
    const std::int64_t for_blocks = divided_up(target_blocks, rows);
    const std::int64_t for_accuracy = divided_up(tiles, max_share / (std::int64_t{vector} * loads));
    const std::int64_t target_parts = for_blocks > for_accuracy ? for_blocks : for_accuracy;
    part_length = divided_up(tiles, target_parts < tiles ? target_parts : tiles) * tile;
    parts = divided_up(length, part_length);
  }

  /// The split of the second pass over partial results, which are few.
  [[nodiscard]] static RowSplit in_one_pass(std::int64_t rows, std::int64_t length,
                                            std::int64_t itemsize, int loads) {
    RowSplit split(rows, length, itemsize, 1, loads);
    split.part_length = length;
    split.parts = 1;
    return split;
  }

  [[nodiscard]] static constexpr std::int64_t divided_up(std::int64_t n, std::int64_t divisor) {
    return (n + divisor - 1) / divisor;
  }
  /// Groups of lanes in a block, each with its own row.
  [[nodiscard]] SKERRY_HD SKERRY_INLINE int groups() const { return threads / lanes; }
};

}  // namespace skerry::native
