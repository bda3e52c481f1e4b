// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/failure.hpp"

namespace skerry::emulation {

class Block;

/// Thrown by handlers. The scheduler, which knows the instruction, turns it into a Failure.
struct KernelFault {
  int code = 0;
  int lane = 0;
  std::string summary;
  FailureKind kind = kind_of(code);
  RequestedAccess access{};
  MemoryNear memory{};
  std::optional<OtherAccess> other{};
};

/// A cp.async that a later wait executes.
struct PendingCopy {
  int lane = 0;
  std::uint32_t group = 0;
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint32_t nbytes = 0;
  std::uint32_t filled = 0;  ///< zero-filled bytes after the copied ones
};

/// Calls `function` with each lane in `mask`, lowest first.
template <class Function>
inline void for_lanes(lane_mask mask, Function&& function) {
  for (; mask != 0; mask &= mask - 1) function(std::countr_zero(mask));
}

/// 32 threads: their registers and program counters.
class Warp {
 public:
  /// Returns the values of a row, one per lane.
  template <class T>
  [[nodiscard]] T* values(row r) noexcept {
    return reinterpret_cast<T*>(banks[r & 1] + (r & ~1));
  }
  [[nodiscard]] lane_mask& predicate(row r) noexcept { return *values<lane_mask>(r); }
  [[nodiscard]] lane_mask predicate(const Instruction& instruction, int source) noexcept {
    const lane_mask read = predicate(instruction.source[static_cast<std::size_t>(source)]);
    return (instruction.negated >> source & 1) != 0 ? ~read : read;
  }
  /// Writes the bits of the active lanes.
  void set_predicate(row destination, lane_mask bits, lane_mask active) noexcept {
    if (destination == no_row) return;
    lane_mask& predicate_bits = predicate(destination);
    predicate_bits = (predicate_bits & ~active) | (bits & active);
  }
  [[nodiscard]] lane_mask ready_lanes() const noexcept {
    return alive & ~at_barrier & ~at_collective;
  }

  std::array<std::byte*, 2> banks{};
  Block* owner = nullptr;
  std::byte* local = nullptr;  ///< local memory of all lanes
  std::uint32_t number = 0;    ///< in its block
  lane_mask existing = 0;      ///< lanes that have a thread
  lane_mask alive = 0;
  lane_mask at_barrier = 0;
  lane_mask at_collective = 0;
  std::array<std::uint32_t, warp_size> pc{};  ///< each lane's next instruction
  std::array<std::uint8_t, warp_size> barrier{};
  std::array<std::uint32_t, warp_size> carry{};
  std::uint64_t known_begin = 0;
  std::uint64_t known_end = 0;
  /// The next fragment is chosen at random: the first in program order may be waiting for another.
  bool takes_any_fragment = false;
  bool is_waiting = false;  ///< set by yielding instructions
  std::array<std::uint32_t, warp_size> copy_group{};
  std::vector<PendingCopy> copies;
};

}  // namespace skerry::emulation
