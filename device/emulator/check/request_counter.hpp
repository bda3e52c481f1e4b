// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "device/emulator/check/paged.hpp"
#include "device/emulator/execute/launch.hpp"
#include "device/emulator/execute/memory_access.hpp"

namespace skerry::emulation {

/// A set of memory sectors, by number.
class SectorSet {
 public:
  /// Inserts a sector; true if it is new.
  bool insert(std::uint64_t sector);

 private:
  static constexpr std::uint64_t sectors_per_page = 4096;
  using page = std::array<std::uint64_t, sectors_per_page / 64>;

  Paged<page> pages_;
};

/// Counts the memory requests of a launch as a GPU would serve them: sectors of 32 bytes of global
/// memory, and wavefronts of shared memory. Caches are not modelled.
class RequestCounter {
 public:
  explicit RequestCounter(Statistics& statistics) : statistics_(statistics) {}

  /// Counts an access by a warp's active lanes: one request to each memory (global, shared, local)
  /// that their addresses are in.
  void note(const Warp& warp, lane_mask active, const LaneAddresses& addresses,
            MemoryAccess access);
  /// Counts a bulk copy as one request.
  void note_bulk(const std::byte* pointer, MemoryAccess access);

 private:
  void note_global(lane_mask active, const LaneAddresses& addresses, MemoryAccess access);
  void note_shared(lane_mask active, const LaneAddresses& addresses, MemoryAccess access);
  void note_sectors(std::uint64_t first, std::uint64_t last, bool writes);

  Statistics& statistics_;
  SectorSet read_;
  SectorSet written_;
};

}  // namespace skerry::emulation
