// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/check/synchronization.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/clusters.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] lane_mask waiting_at(const Warp& on, std::size_t barrier) {
  if (on.at_barrier == 0) return 0;
  lane_mask found = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    found |= lane_mask{on.barrier[lane] == barrier} << lane;
  }
  return found & on.at_barrier;
}

void advance(Warp& on, lane_mask lanes) {
  for (std::size_t lane = 0; lane < warp_size; ++lane) on.at[lane] += lanes >> lane & 1;
}

/// A barrier with a count counts whole warps: lanes that have ended, or never were, have come.
[[nodiscard]] std::uint32_t absent_lanes(const Block& of, std::size_t barrier) {
  std::uint32_t absent = 0;
  for (const Warp& one : of.warps) {
    if (waiting_at(one, barrier) != 0) {
      absent += static_cast<std::uint32_t>(std::popcount(~one.alive));
    }
  }
  return absent;
}

[[nodiscard]] bool is_complete(const Block& of, std::size_t barrier) {
  const BarrierState& state = of.barriers[barrier];
  if (state.arrived == 0) return false;
  if (state.expected == 0) return state.arrived >= of.alive_threads();
  return state.arrived + absent_lanes(of, barrier) >= state.expected;
}

void write_reduction(Warp& on, const Instruction& what, int lane, const BarrierState& state) {
  const lane_mask bit = lane_mask{1} << lane;
  switch (what.barrier) {
    case BarrierKind::count:
      on.values<std::uint32_t>(what.destination[0])[lane] = state.votes;
      return;
    case BarrierKind::all:
      return on.set_predicate(what.destination[0], state.votes == state.arrived ? bit : 0, bit);
    case BarrierKind::any:
      return on.set_predicate(what.destination[0], state.votes != 0 ? bit : 0, bit);
    default:
      return;
  }
}

void release(Block& of, std::size_t barrier) {
  if (of.launched.device.checks_synchronization) check_barrier(of, barrier);
  const BarrierState state = of.barriers[barrier];
  of.barriers[barrier] = {};
  if (of.races) of.races->synchronize();
  if (barrier == cluster_barrier) ++of.cluster_phase;
  for (Warp& one : of.warps) {
    const lane_mask released = waiting_at(one, barrier);
    one.at_barrier &= ~released;
    for_lanes(state.reduces ? released : 0, [&](int lane) {
      const std::uint32_t at = one.at[static_cast<std::size_t>(lane)];
      write_reduction(one, of.launched.code.code[at], lane, state);
    });
    advance(one, released);
  }
}

/// Blocks that have ended never come.
[[nodiscard]] bool has_come(const Block& of) {
  return !of.has_ended() && is_complete(of, grid_barrier);
}

void release_grid_if_complete(LaunchState& of) {
  if (!std::ranges::all_of(of.grid, [](const Block* one) { return has_come(*one); })) return;
  for (Block* one : of.grid) release(*one, grid_barrier);
  if (of.races) of.races->synchronize_grid(of.grid);
}

void release_cluster_if_complete(LaunchState& of) {
  if (!is_cluster_complete(of)) return;
  for (Block* one : of.peers) release(*one, cluster_barrier);
}

void release_if_complete(Block& of, std::size_t barrier) {
  if (barrier == grid_barrier) return release_grid_if_complete(of.launched);
  if (barrier == cluster_barrier && !of.launched.peers.empty()) {
    return release_cluster_if_complete(of.launched);
  }
  if (is_complete(of, barrier)) release(of, barrier);
}

void arrive_at_grid_barrier(Warp& on, const Instruction& what, lane_mask mask) {
  Block& owner = *on.owner;
  if (owner.launched.grid.empty()) {
    fault(code::launch_failure, std::countr_zero(mask),
          "a barrier of the grid in a launch that is not cooperative");
  }
  if (what.destination[0] != no_row) {
    fill(on.values<std::uint32_t>(what.destination[0]), std::uint32_t{0}, mask);
  }
  owner.barriers[grid_barrier].arrived += static_cast<std::uint32_t>(std::popcount(mask));
  on.at_barrier |= mask;
  fill(on.barrier.data(), static_cast<std::uint8_t>(grid_barrier), mask);
  release_grid_if_complete(owner.launched);
}

void arrive_at_cluster_barrier(Warp& on, const Instruction& what, lane_mask mask) {
  Block& owner = *on.owner;
  for_lanes(mask, [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    std::uint32_t& phase = owner.cluster_phases[std::size_t{on.number} * warp_size + index];
    if (what.barrier == BarrierKind::cluster_arrive) {
      phase = owner.cluster_phase;
      ++owner.barriers[cluster_barrier].arrived;
      ++on.at[index];
    } else if (phase != owner.cluster_phase) {
      ++on.at[index];
    } else {
      on.at_barrier |= lane_mask{1} << lane;
      on.barrier[index] = cluster_barrier;
    }
  });
  release_if_complete(owner, cluster_barrier);
}

/// Whether all lanes name the same barrier and number of threads; rows of constants do.
[[nodiscard]] bool names_one_barrier(const Instruction& what) {
  const auto is_same = [](row of) { return of == no_row || (of & 1) != 0; };
  return is_same(what.source[0]) && is_same(what.source[1]);
}

/// Lanes that name the same barrier arrive; says at which one.
std::size_t arrive(Warp& on, const Instruction& what, lane_mask lanes) {
  const int lane = std::countr_zero(lanes);
  const auto value = [&](std::size_t source) {
    return on.values<const std::uint32_t>(what.source[source])[lane];
  };
  const std::size_t barrier = what.source[0] == no_row ? 0 : value(0);
  if (barrier >= named_barriers) {
    fault(code::illegal_instruction, lane, "barrier " + std::to_string(barrier) + " of 16");
  }
  BarrierState& state = on.owner->barriers[barrier];
  const std::uint32_t expected = what.source[1] == no_row ? 0 : value(1);
  if (expected % warp_size != 0) {
    fault(code::illegal_instruction, lane,
          "a barrier for " + std::to_string(expected) + " threads, no multiple of 32");
  }
  if (state.arrived != 0 && state.expected != expected) {
    fault(code::illegal_instruction, lane,
          "threads expect different numbers of threads at barrier " + std::to_string(barrier));
  }
  state.expected = expected;
  state.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
  if (what.source[2] != no_row) {
    state.reduces = true;
    state.votes += static_cast<std::uint32_t>(std::popcount(on.predicate(what, 2) & lanes));
  }
  if (what.barrier == BarrierKind::arrive) {
    advance(on, lanes);
  } else {
    on.at_barrier |= lanes;
    fill(on.barrier.data(), static_cast<std::uint8_t>(barrier), lanes);
  }
  return barrier;
}

}  // namespace

void arrive_at_barrier(Warp& on, const Instruction& what, lane_mask mask) {
  release_stores(on);
  if (what.barrier == BarrierKind::cluster_arrive || what.barrier == BarrierKind::cluster_wait) {
    arrive_at_cluster_barrier(on, what, mask);
    return;
  }
  if (what.barrier == BarrierKind::grid) return arrive_at_grid_barrier(on, what, mask);
  std::uint32_t touched = 0;
  if (names_one_barrier(what)) {
    touched = std::uint32_t{1} << arrive(on, what, mask);
  } else {
    for_lanes(mask, [&](int lane) {
      touched |= std::uint32_t{1} << arrive(on, what, lane_mask{1} << lane);
    });
  }
  for_lanes(touched, [&](int barrier) {
    release_if_complete(*on.owner, static_cast<std::size_t>(barrier));
  });
}

void recheck_barriers(Block& of) {
  for (std::size_t barrier = 0; barrier < of.barriers.size(); ++barrier) {
    if (of.barriers[barrier].arrived == 0) continue;
    release_if_complete(of, barrier);
  }
  const auto has_arrived = [](const Block* one) {
    return one->barriers[cluster_barrier].arrived != 0;
  };
  // Others of the cluster may have waited for what ended.
  if (std::ranges::any_of(of.launched.peers, has_arrived)) release_cluster_if_complete(of.launched);
}

}  // namespace skerry::emulation
