// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/cuda/emulation/check/paged.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"
#include "device/cuda/emulation/execute/program.hpp"
#include "device/cuda/emulation/execute/warp.hpp"

namespace skerry::emulation {

/// Looks for races on global memory between blocks of a launch, whatever the order is in which they
/// happen to run: two blocks access a byte, one of them writes, and the first one did not publish
/// what it did, by a fence and a store or atomic operation behind it whose value the second one has
/// read. All threads of a block count as one, and reading is enough without a fence, so that no
/// alarm is false. Accesses that are volatile, relaxed or atomic are no race; asynchronous and bulk
/// copies access memory where they begin.
class global_races {
 public:
  /// Every block may know of every other, so that of a larger grid those behind count as one block:
  /// a race among them is missed.
  static constexpr std::uint64_t most_blocks = 2048;

  explicit global_races(std::uint64_t blocks);

  /// Faults with 719 at a race.
  void check(const warp& on, const instruction& what, lane_mask active, const lane_addresses& at,
             memory_access access);
  /// The same for a copy's plain access of any size by one lane.
  void check_bytes(const warp& on, int lane, std::uint64_t begin, memory_access access);
  /// What the block has done is before what it stores by strong accesses from now on.
  void fence(const block& by);

 private:
  using epoch = std::uint32_t;
  using clock = std::vector<epoch>;  ///< of each block, what one knows of

  struct block_state {
    clock now;
    clock fenced;
  };
  struct access_mark {
    std::uint32_t by = 0;
    epoch when = 0;  ///< 0: nobody
  };
  struct byte_state {
    access_mark write;
    std::array<access_mark, 3> reads;  ///< the last ones of different blocks
  };
  static constexpr std::uint64_t page_nbytes = 1024;
  using page = std::array<byte_state, page_nbytes>;

  [[nodiscard]] block_state& state_of(std::uint32_t number);
  [[nodiscard]] byte_state& state_at(std::uint64_t address);
  void synchronize(std::uint32_t by, std::uint64_t address, bool writes);

  std::uint64_t blocks_;
  std::vector<block_state> states_;
  std::unordered_map<std::uint64_t, clock> published_;  ///< by the address of a strong store
  paged<page> pages_;
};

/// Whether a kernel's asynchronous loads are filled up at both ends, with bytes that it ignores. So
/// are those of CUB's transforms, to lines of 16 bytes, and of 128 in front on Hopper (CCCL 3.5.0,
/// kernel_transform.cuh 366 to 371): of an output that is an input, neighbours write these bytes.
/// Where each load has 16 bytes, as before Hopper, nothing is left to check then.
[[nodiscard]] bool fills_up_loads(std::string_view mangled_name) noexcept;
inline constexpr std::uint32_t most_in_front = 127;
inline constexpr std::uint32_t most_behind = 15;

}  // namespace skerry::emulation
