// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/emulator/check/shadow_entries.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Looks for races on a block's shared memory: two threads access a byte, one of them writes, and
/// nothing is between them that orders the two. A barrier of the block, whichever threads it has,
/// counts as order for all of them, and so does an mbarrier's phase: so no alarm is false, but
/// races across named barriers of some warps stay unseen. Accesses that are volatile, relaxed or
/// atomic are no race.
class SharedRaces {
 public:
  SharedRaces(std::uint32_t nbytes, std::size_t warps)
      : nbytes_(nbytes), clock_(warps), words_((nbytes + 3) / 4) {}

  /// All threads are ordered: a barrier, or another block.
  void synchronize() noexcept { clock_.synchronize(); }
  /// The lanes of a warp are.
  void synchronize_warp(const Warp& warp) noexcept { clock_.synchronize_warp(warp.number); }
  /// Tells of each race, or faults with 719.
  void check(const Warp& warp, const Instruction& instruction, lane_mask active,
             const LaneAddresses& addresses, MemoryAccess access);

  /// Order among the block's threads, for races on other memory, too.
  [[nodiscard]] BlockClock& clock() noexcept { return clock_; }

 private:
  std::uint32_t nbytes_;
  BlockClock clock_;
  MarkedWords words_;
};

}  // namespace skerry::emulation
