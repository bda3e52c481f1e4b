// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/emulator/check/paged.hpp"
#include "device/emulator/execute/launch.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// The bytes of global memory that a launch reads and writes, for the race check between streams.
class MemoryFootprint {
 public:
  /// Records an access of a warp, unless it is to shared or local memory by a generic address.
  void note(const Warp& warp, lane_mask active, const LaneAddresses& addresses,
            MemoryAccess access);
  void note_bytes(std::uint64_t begin, MemoryAccess access);

  /// Return ranges sorted by address, with adjacent ones merged.
  [[nodiscard]] std::vector<Allocation> read() const { return ranges_of(&Page::read); }
  [[nodiscard]] std::vector<Allocation> written() const { return ranges_of(&Page::written); }

 private:
  static constexpr std::uint64_t page_nbytes = 4096;
  /// A set of bytes of a page.
  class ByteSet {
   public:
    void set(std::uint64_t begin, std::uint64_t end) noexcept;
    /// Returns the next byte from `position` that is in the set, or is not in it; page_nbytes if
    /// there is none.
    [[nodiscard]] std::uint64_t next(std::uint64_t position, bool is_set) const noexcept;

   private:
    static constexpr std::uint64_t word_bits = 64;
    std::array<std::uint64_t, page_nbytes / word_bits> words_{};
  };
  struct Page {
    ByteSet read;
    ByteSet written;
  };

  [[nodiscard]] std::vector<Allocation> ranges_of(ByteSet Page::* byte_set) const;

  Paged<Page> pages_;
};

}  // namespace skerry::emulation
