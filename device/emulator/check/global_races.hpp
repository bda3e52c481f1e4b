// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/emulator/check/marked_page.hpp"
#include "device/emulator/check/paged.hpp"
#include "device/emulator/check/shadow_entries.hpp"
#include "device/emulator/execute/memory_access.hpp"
#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

/// Detects races on global memory between blocks of a launch, independently of the order in which
/// the blocks run: two blocks access a byte, one of them writes, and the first did not publish its
/// access. A block publishes by a fence, followed by a strong store or atomic operation whose value
/// the second block reads. The reader needs no fence, so that there are no false positives. Strong
/// accesses (volatile, relaxed, atomic) do not race; asynchronous and bulk copies count as accesses
/// when they are issued.
///
/// The threads of a block count as one or, with DeviceModel::checks_races_in_blocks, are
/// distinguished as in shared memory; then a fence of any thread orders all threads of the block.
class GlobalRaces {
 public:
  /// Number of distinguished blocks, each of which has a vector clock. All later blocks of a larger
  /// grid count as one, and races among them are missed.
  static constexpr std::uint64_t max_blocks = 2048;

  GlobalRaces(std::uint64_t blocks, bool distinguishes_threads);

  /// Checks and records an access by the active lanes. Each race is reported, or faults with 719.
  void check(const Warp& warp, const Instruction& instruction, lane_mask active,
             const LaneAddresses& addresses, MemoryAccess access);
  /// As check(), for a plain access of all lanes to contiguous elements from `begin`.
  void check_warp(const Warp& warp, const Instruction& instruction, std::uint64_t begin,
                  MemoryAccess access);
  /// As check(), for a plain access of any size by one lane, such as a copy's.
  void check_bytes(const Warp& warp, std::uint32_t pc, int lane, std::uint64_t begin,
                   MemoryAccess access);
  /// Orders the block's earlier accesses before its later strong stores.
  void fence(const Block& block);
  /// Orders the accesses before a grid barrier before those after it.
  void synchronize_grid(std::span<Block* const> all);

 private:
  using epoch = std::uint32_t;
  using clock = std::vector<epoch>;  ///< vector clock: an epoch of each block

  struct BlockState {
    clock now;     ///< accesses ordered before the block's next one; may be empty
    clock fenced;  ///< `now` at the last fence; empty: no fence yet
    epoch time = 1;
    epoch fence = 0;  ///< own accesses before this epoch are ordered
  };
  [[nodiscard]] epoch time_of(const Block& block, const BlockState& state) const;
  /// Returns the entry of the warp's lane 0; an empty one when the time overflows.
  [[nodiscard]] ShadowEntry first_mark(const Warp& warp, std::uint32_t pc) const;
  [[nodiscard]] bool is_before(ShadowEntry one, ShadowEntry now, const Block& block) const;
  void synchronize(std::uint32_t block_number, std::uint64_t address, bool writes);
  void note(const Warp& warp, ShadowEntry now, std::uint64_t begin, MemoryAccess access);
  /// Records accesses of `lanes` lanes, starting with that of `now`, to contiguous elements.
  void note_run(const Warp& warp, ShadowEntry now, std::uint64_t begin, int lanes,
                MemoryAccess access);

  std::uint64_t blocks_;
  bool distinguishes_threads_;
  std::vector<BlockState> states_;
  std::unordered_map<std::uint64_t, clock> published_;  ///< by address of strong stores
  Paged<MarkedPage> pages_;
};

/// True if the kernel pads its asynchronous loads at both ends with bytes that it ignores. CUB's
/// transforms pad to lines of 16 bytes, on Hopper to 128 bytes in front (CCCL 3.5.0,
/// kernel_transform.cuh lines 366 to 371). If an output is also an input, neighbouring blocks write
/// these bytes, so they are not checked. Before Hopper each load has 16 bytes, none of which are
/// checked.
[[nodiscard]] bool fills_up_loads(std::string_view mangled_name) noexcept;
inline constexpr std::uint32_t max_leading_nbytes = 127;
inline constexpr std::uint32_t max_trailing_nbytes = 15;

}  // namespace skerry::emulation
