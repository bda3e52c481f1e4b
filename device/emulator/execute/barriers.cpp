// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/emulator/check/global_races.hpp"
#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/check/synchronization.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/clusters.hpp"
#include "device/emulator/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] lane_mask waiting_at(const Warp& warp, std::size_t barrier) {
  if (warp.at_barrier == 0) return 0;
  lane_mask lanes = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    lanes |= lane_mask{warp.barrier[lane] == barrier} << lane;
  }
  return lanes & warp.at_barrier;
}

void advance(Warp& warp, lane_mask lanes) {
  for (std::size_t lane = 0; lane < warp_size; ++lane) warp.pc[lane] += lanes >> lane & 1;
}

/// Counts the lanes that have exited, or never existed, in warps with waiting lanes. They count as
/// arrived at a barrier with a thread count, which counts whole warps.
[[nodiscard]] std::uint32_t absent_lanes(const Block& block, std::size_t barrier) {
  std::uint32_t absent = 0;
  for (const Warp& one : block.warps) {
    if (waiting_at(one, barrier) != 0) {
      absent += static_cast<std::uint32_t>(std::popcount(~one.alive));
    }
  }
  return absent;
}

[[nodiscard]] bool is_complete(const Block& block, std::size_t barrier) {
  const BarrierState& state = block.barriers[barrier];
  if (state.arrived == 0) return false;
  if (state.expected == 0) return state.arrived >= block.alive_threads();
  return state.arrived + absent_lanes(block, barrier) >= state.expected;
}

void write_reduction(Warp& warp, const Instruction& instruction, int lane,
                     const BarrierState& state) {
  const lane_mask bit = lane_mask{1} << lane;
  switch (instruction.barrier) {
    case BarrierKind::count:
      warp.values<std::uint32_t>(instruction.destination[0])[lane] = state.votes;
      return;
    case BarrierKind::all:
      return warp.set_predicate(instruction.destination[0], state.votes == state.arrived ? bit : 0,
                                bit);
    case BarrierKind::any:
      return warp.set_predicate(instruction.destination[0], state.votes != 0 ? bit : 0, bit);
    default:
      return;
  }
}

void release(Block& block, std::size_t barrier) {
  if (block.launch_state.device.checks_synchronization) check_barrier(block, barrier);
  const BarrierState state = block.barriers[barrier];
  block.barriers[barrier] = {};
  if (block.races) block.races->synchronize();
  if (barrier == cluster_barrier) ++block.cluster_phase;
  for (Warp& one : block.warps) {
    const lane_mask released = waiting_at(one, barrier);
    one.at_barrier &= ~released;
    for_lanes(state.reduces ? released : 0, [&](int lane) {
      const std::uint32_t pc = one.pc[static_cast<std::size_t>(lane)];
      write_reduction(one, block.launch_state.program.instructions[pc], lane, state);
    });
    advance(one, released);
  }
}

/// True if all live threads of the block have arrived; a block that has ended never arrives.
[[nodiscard]] bool is_at_grid_barrier(const Block& block) {
  return !block.has_ended() && is_complete(block, grid_barrier);
}

void release_grid_if_complete(LaunchState& state) {
  if (!std::ranges::all_of(state.grid, [](const Block* one) { return is_at_grid_barrier(*one); }))
    return;
  for (Block* one : state.grid) release(*one, grid_barrier);
  if (state.races) state.races->synchronize_grid(state.grid);
}

void release_cluster_if_complete(LaunchState& state) {
  if (!is_cluster_complete(state)) return;
  for (Block* one : state.peers) release(*one, cluster_barrier);
}

void release_if_complete(Block& block, std::size_t barrier) {
  if (barrier == grid_barrier) return release_grid_if_complete(block.launch_state);
  if (barrier == cluster_barrier && !block.launch_state.peers.empty()) {
    return release_cluster_if_complete(block.launch_state);
  }
  if (is_complete(block, barrier)) release(block, barrier);
}

void arrive_at_grid_barrier(Warp& warp, const Instruction& instruction, lane_mask mask) {
  Block& owner = *warp.owner;
  if (owner.launch_state.grid.empty()) {
    fault(code::launch_failure, std::countr_zero(mask),
          "grid barrier in a launch that is not cooperative");
  }
  if (instruction.destination[0] != no_row) {
    fill(warp.values<std::uint32_t>(instruction.destination[0]), std::uint32_t{0}, mask);
  }
  owner.barriers[grid_barrier].arrived += static_cast<std::uint32_t>(std::popcount(mask));
  warp.at_barrier |= mask;
  fill(warp.barrier.data(), static_cast<std::uint8_t>(grid_barrier), mask);
  release_grid_if_complete(owner.launch_state);
}

void arrive_at_cluster_barrier(Warp& warp, const Instruction& instruction, lane_mask mask) {
  Block& owner = *warp.owner;
  for_lanes(mask, [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    std::uint32_t& phase = owner.cluster_phases[std::size_t{warp.number} * warp_size + index];
    if (instruction.barrier == BarrierKind::cluster_arrive) {
      phase = owner.cluster_phase;
      ++owner.barriers[cluster_barrier].arrived;
      ++warp.pc[index];
    } else if (phase != owner.cluster_phase) {
      ++warp.pc[index];
    } else {
      warp.at_barrier |= lane_mask{1} << lane;
      warp.barrier[index] = cluster_barrier;
    }
  });
  release_if_complete(owner, cluster_barrier);
}

/// True if barrier and thread count are constants of the launch, and so the same for all lanes.
/// Rows of constants have odd numbers (execute/program.hpp).
[[nodiscard]] bool names_one_barrier(const Instruction& instruction) {
  const auto is_same = [](row source_row) { return source_row == no_row || (source_row & 1) != 0; };
  return is_same(instruction.source[0]) && is_same(instruction.source[1]);
}

/// Records that `lanes`, which have the same operands, arrive at a barrier; returns its index.
std::size_t arrive(Warp& warp, const Instruction& instruction, lane_mask lanes) {
  const int lane = std::countr_zero(lanes);
  const auto value = [&](std::size_t source) {
    return warp.values<const std::uint32_t>(instruction.source[source])[lane];
  };
  const std::size_t barrier = instruction.source[0] == no_row ? 0 : value(0);
  if (barrier >= named_barriers) {
    fault(code::illegal_instruction, lane,
          "barrier " + std::to_string(barrier) + "; a block has barriers 0 to 15");
  }
  BarrierState& state = warp.owner->barriers[barrier];
  const std::uint32_t expected = instruction.source[1] == no_row ? 0 : value(1);
  if (expected % warp_size != 0) {
    fault(code::illegal_instruction, lane,
          "a barrier for " + std::to_string(expected) + " threads, not a multiple of 32");
  }
  if (state.arrived != 0 && state.expected != expected) {
    fault(code::illegal_instruction, lane,
          "threads specify different thread counts for barrier " + std::to_string(barrier));
  }
  state.expected = expected;
  state.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
  if (instruction.source[2] != no_row) {
    state.reduces = true;
    state.votes +=
        static_cast<std::uint32_t>(std::popcount(warp.predicate(instruction, 2) & lanes));
  }
  if (instruction.barrier == BarrierKind::arrive) {
    advance(warp, lanes);
  } else {
    warp.at_barrier |= lanes;
    fill(warp.barrier.data(), static_cast<std::uint8_t>(barrier), lanes);
  }
  return barrier;
}

}  // namespace

void arrive_at_barrier(Warp& warp, const Instruction& instruction, lane_mask mask) {
  release_stores(warp);
  if (instruction.barrier == BarrierKind::cluster_arrive ||
      instruction.barrier == BarrierKind::cluster_wait) {
    arrive_at_cluster_barrier(warp, instruction, mask);
    return;
  }
  if (instruction.barrier == BarrierKind::grid)
    return arrive_at_grid_barrier(warp, instruction, mask);
  std::uint32_t arrived_barriers = 0;
  if (names_one_barrier(instruction)) {
    arrived_barriers = std::uint32_t{1} << arrive(warp, instruction, mask);
  } else {
    for_lanes(mask, [&](int lane) {
      arrived_barriers |= std::uint32_t{1} << arrive(warp, instruction, lane_mask{1} << lane);
    });
  }
  for_lanes(arrived_barriers, [&](int barrier) {
    release_if_complete(*warp.owner, static_cast<std::size_t>(barrier));
  });
}

void recheck_barriers(Block& block) {
  for (std::size_t barrier = 0; barrier < block.barriers.size(); ++barrier) {
    if (block.barriers[barrier].arrived == 0) continue;
    release_if_complete(block, barrier);
  }
  const auto has_arrived = [](const Block* one) {
    return one->barriers[cluster_barrier].arrived != 0;
  };
  // The other blocks of the cluster may have waited for the ended threads.
  if (std::ranges::any_of(block.launch_state.peers, has_arrived))
    release_cluster_if_complete(block.launch_state);
}

}  // namespace skerry::emulation
