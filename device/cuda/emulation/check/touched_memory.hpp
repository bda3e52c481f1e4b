// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/cuda/emulation/check/paged.hpp"
#include "device/cuda/emulation/execute/launch.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// The bytes of global memory that a launch reads and writes, for those who know what other streams
/// do.
class touched_memory {
 public:
  /// An access of a warp; shared and local memory, which a generic address may be in, is left out.
  void note(const warp& on, lane_mask active, const lane_addresses& at, memory_access access);
  void note_bytes(std::uint64_t begin, memory_access access);

  /// In the order of their addresses, as long as can be.
  [[nodiscard]] std::vector<allocation> read() const { return ranges_of(&page::read); }
  [[nodiscard]] std::vector<allocation> written() const { return ranges_of(&page::written); }

 private:
  static constexpr std::uint64_t page_nbytes = 4096;
  /// For a page's bytes.
  class byte_set {
   public:
    void set(std::uint64_t begin, std::uint64_t end) noexcept;
    /// The next byte from `from` on that is in the set, or is not; page_nbytes if there is none.
    [[nodiscard]] std::uint64_t next(std::uint64_t from, bool is_set) const noexcept;

   private:
    static constexpr std::uint64_t word_bits = 64;
    std::array<std::uint64_t, page_nbytes / word_bits> words_{};
  };
  struct page {
    byte_set read;
    byte_set written;
  };

  [[nodiscard]] std::vector<allocation> ranges_of(byte_set page::* which) const;

  paged<page> pages_;
};

}  // namespace skerry::emulation
