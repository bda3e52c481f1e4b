// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda/emulation/execute/memory_access.hpp"
#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// Looks for races on a block's shared memory: two threads access a byte, one of them writes, and
/// nothing is between them that orders the two. A barrier of the block, whichever threads it has,
/// counts as order for all of them, and so does an mbarrier's phase: so no alarm is false, but
/// races across named barriers of some warps stay unseen. Accesses that are volatile, relaxed or
/// atomic are no race.
class shared_races {
 public:
  shared_races(std::uint32_t nbytes, std::size_t warps) : bytes_(nbytes), epochs_(warps) {}

  /// All threads are ordered: a barrier, or another block.
  void synchronize() noexcept { ++phase_; }
  /// The lanes of a warp are.
  void synchronize_warp(const warp& which) noexcept { ++epochs_[which.number]; }
  /// Faults with 719 at a race.
  void check(const warp& on, const instruction& what, lane_mask active, const lane_addresses& at,
             memory_access access);

 private:
  enum class readers : std::uint8_t { none, one, one_warp, several_warps };

  struct last_access {
    std::uint32_t phase = 0;
    std::uint32_t epoch = 0;
    std::uint32_t thread = 0;
  };
  struct byte_state {
    last_access write;
    last_access read;
    readers who_read = readers::none;
  };

  [[nodiscard]] bool is_ordered(const last_access& before, const last_access& now) const;
  void check_byte(byte_state& of, const last_access& now, int lane, bool writes,
                  std::uint32_t offset) const;
  void note_read(byte_state& of, const last_access& now) const;

  std::vector<byte_state> bytes_;
  std::vector<std::uint32_t> epochs_;
  std::uint32_t phase_ = 1;
};

}  // namespace skerry::emulation
