// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/emulator/check/shadow_entries.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Detects races on a block's shared memory: two threads access a byte, one of them writes, and
/// nothing orders the accesses. A barrier of the block, or a phase of an mbarrier, orders all
/// threads, even those that do not take part. So there are no false positives, but races of
/// threads that do not take part are missed. Volatile, relaxed and atomic accesses do not race.
class SharedRaces {
 public:
  SharedRaces(std::uint32_t nbytes, std::size_t warps)
      : nbytes_(nbytes), clock_(warps), words_((nbytes + 3) / 4) {}

  /// Orders all threads: at a barrier, or before the next block.
  void synchronize() noexcept { clock_.synchronize(); }
  /// Orders the lanes of a warp.
  void synchronize_warp(const Warp& warp) noexcept { clock_.synchronize_warp(warp.number); }
  /// Checks and records an access by the active lanes. Each race is reported, or faults with 719.
  void check(const Warp& warp, const Instruction& instruction, lane_mask active,
             const LaneAddresses& addresses, MemoryAccess access);

  /// Returns the clock that orders the block's threads; also used for races on global memory.
  [[nodiscard]] BlockClock& clock() noexcept { return clock_; }

 private:
  std::uint32_t nbytes_;
  BlockClock clock_;
  MarkedWords words_;
};

}  // namespace skerry::emulation
