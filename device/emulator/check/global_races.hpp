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

/// Looks for races on global memory between blocks of a launch, whatever the order is in which they
/// happen to run: two blocks access a byte, one of them writes, and the first one did not publish
/// what it did, by a fence and a store or atomic operation behind it whose value the second one has
/// read. Reading is enough without a fence, so that no alarm is false. Accesses that are volatile,
/// relaxed or atomic are no race; asynchronous and bulk copies access memory where they begin.
///
/// Threads of a block count as one, or are told apart as in shared memory
/// (DeviceModel::checks_races_in_blocks): a fence of any of them orders all of them then.
class GlobalRaces {
 public:
  /// Every block may know of every other, so that of a larger grid those behind count as one block:
  /// a race among them is missed.
  static constexpr std::uint64_t max_blocks = 2048;

  GlobalRaces(std::uint64_t blocks, bool distinguishes_threads);

  /// Tells of each race, or faults with 719.
  void check(const Warp& warp, const Instruction& instruction, lane_mask active,
             const LaneAddresses& addresses, MemoryAccess access);
  /// The same for a plain access of all lanes, one behind the other from `begin` on.
  void check_warp(const Warp& warp, const Instruction& instruction, std::uint64_t begin,
                  MemoryAccess access);
  /// The same for a copy's plain access of any size by one lane.
  void check_bytes(const Warp& warp, std::uint32_t pc, int lane, std::uint64_t begin,
                   MemoryAccess access);
  /// What the block has done is before what it stores by strong accesses from now on.
  void fence(const Block& block);
  /// All blocks have come to a barrier of the grid: what they did is before what they will do.
  void synchronize_grid(std::span<Block* const> all);

 private:
  using epoch = std::uint32_t;
  using clock = std::vector<epoch>;  ///< of each block, what one knows of

  struct BlockState {
    clock now;     ///< empty: it knows of nobody
    clock fenced;  ///< empty: it had no fence
    epoch time = 1;
    epoch fence = 0;  ///< its own accesses before come first
  };
  [[nodiscard]] epoch time_of(const Block& block, const BlockState& state) const;
  /// The mark of a warp's first lane; none if no more can be told apart.
  [[nodiscard]] ShadowEntry first_mark(const Warp& warp, std::uint32_t pc) const;
  [[nodiscard]] bool is_before(ShadowEntry one, ShadowEntry now, const Block& block) const;
  void synchronize(std::uint32_t block_number, std::uint64_t address, bool writes);
  void note(const Warp& warp, ShadowEntry now, std::uint64_t begin, MemoryAccess access);
  /// The accesses of some lanes, one behind the other, from that of `now` on.
  void note_run(const Warp& warp, ShadowEntry now, std::uint64_t begin, int lanes,
                MemoryAccess access);

  std::uint64_t blocks_;
  bool distinguishes_threads_;
  std::vector<BlockState> states_;
  std::unordered_map<std::uint64_t, clock> published_;  ///< by the address of a strong store
  Paged<MarkedPage> pages_;
};

/// Whether a kernel's asynchronous loads are filled up at both ends, with bytes that it ignores. So
/// are those of CUB's transforms, to lines of 16 bytes, and of 128 in front on Hopper (CCCL 3.5.0,
/// kernel_transform.cuh 366 to 371): of an output that is an input, neighbours write these bytes.
/// Where each load has 16 bytes, as before Hopper, nothing is left to check then.
[[nodiscard]] bool fills_up_loads(std::string_view mangled_name) noexcept;
inline constexpr std::uint32_t max_leading_nbytes = 127;
inline constexpr std::uint32_t max_trailing_nbytes = 15;

}  // namespace skerry::emulation
