// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// The bytes of global memory that a launch reads and writes, for the race check between streams.
class MemoryFootprint {
 public:
  /// Records an access of a warp, unless it is to shared or local memory by a generic address.
  void note(const Warp& warp, const Instruction& instruction, lane_mask active,
            const LaneAddresses& addresses, MemoryAccess access);
  void note_bytes(std::uint64_t begin, MemoryAccess access, bool is_strong = false) {
    ByteRanges& weak_ranges = access.writes ? written_ : read_;
    ByteRanges& strong_ranges = access.writes ? strongly_written_ : strongly_read_;
    (is_strong ? strong_ranges : weak_ranges).add(begin, begin + access.nbytes);
  }

  /// Return ranges sorted by address, with adjacent ones merged.
  [[nodiscard]] std::vector<Allocation> read() { return read_.merged(); }
  [[nodiscard]] std::vector<Allocation> written() { return written_.merged(); }
  [[nodiscard]] std::vector<Allocation> strongly_read() { return strongly_read_.merged(); }
  [[nodiscard]] std::vector<Allocation> strongly_written() { return strongly_written_.merged(); }

 private:
  /// A set of bytes, as ranges.
  class ByteRanges {
   public:
    void add(std::uint64_t begin, std::uint64_t end) {
      // A warp's access is mostly next to that of another warp.
      for (Allocation& one : growing_) {
        if (begin > one.end || end < one.begin) continue;
        one = {std::min(begin, one.begin), std::max(end, one.end)};
        return;
      }
      replace_growing({begin, end});
    }
    [[nodiscard]] std::vector<Allocation> merged();

   private:
    void replace_growing(const Allocation& range);
    void merge();

    static constexpr std::size_t min_limit = 4096;
    std::array<Allocation, 8> growing_{};
    std::size_t oldest_ = 0;  ///< index in growing_
    std::vector<Allocation> all_;
    std::size_t limit_ = min_limit;  ///< size of all_ at which it is merged
  };

  ByteRanges read_;
  ByteRanges written_;
  ByteRanges strongly_read_;
  ByteRanges strongly_written_;
};

}  // namespace skerry::emulation
