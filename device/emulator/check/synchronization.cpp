// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/synchronization.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "device/emulator/check/findings.hpp"
#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {
namespace {

/// True for bar and barrier.aligned, which all lanes of a warp must execute together.
[[nodiscard]] bool is_for_whole_warps(std::string_view text) {
  return text.find("barrier") == std::string_view::npos ||
         text.find(".aligned") != std::string_view::npos;
}

void report(const Warp& warp, std::uint32_t pc, int lane, std::string message) {
  if (!is_reportable(warp, pc, FailureKind::synchronisation)) return;
  report_fault(warp, pc,
               {.code = code::launch_failure,
                .lane = lane,
                .summary = std::move(message),
                .kind = FailureKind::synchronisation});
}

/// Returns the instruction of a lane that waits at the barrier.
[[nodiscard]] std::uint32_t waited_at(const Block& block, std::size_t barrier) {
  for (const Warp& one : block.warps) {
    for (lane_mask left = one.at_barrier; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (one.barrier[lane] == barrier) return one.pc[lane];
    }
  }
  return 0;
}

[[nodiscard]] std::string named(std::size_t barrier, const Warp& warp) {
  return "barrier " + std::to_string(barrier) + ": warp " + std::to_string(warp.number) + ": ";
}

}  // namespace

void check_members(const Warp& warp, lane_mask members, lane_mask group) {
  const lane_mask ended = members & warp.existing & ~warp.alive;
  if (ended == 0) return;
  const int lane = std::countr_zero(group);
  report(warp, warp.pc[static_cast<std::size_t>(lane)], lane,
         "the member mask of a collective includes lane " +
             std::to_string(std::countr_zero(ended)) + ", which has exited");
}

void check_barrier(const Block& block, std::size_t barrier) {
  const Program& code = block.launch_state.program;
  for (const Warp& one : block.warps) {
    lane_mask waiting = 0;
    for_lanes(one.at_barrier, [&](int lane) {
      if (one.barrier[static_cast<std::size_t>(lane)] == barrier) waiting |= lane_mask{1} << lane;
    });
    if (block.barriers[barrier].expected == 0 && one.alive != one.existing) {
      const lane_mask ended = one.existing & ~one.alive;
      report(one, waited_at(block, barrier), std::countr_zero(ended),
             named(barrier, one) + std::to_string(std::popcount(ended)) +
                 " threads have exited before it");
    }
    if (waiting == 0) continue;
    const std::uint32_t first = one.pc[static_cast<std::size_t>(std::countr_zero(waiting))];
    if (!is_for_whole_warps(code.locations[first].text)) continue;
    for_lanes(waiting, [&](int lane) {
      if (one.pc[static_cast<std::size_t>(lane)] == first) return;
      report(one, one.pc[static_cast<std::size_t>(lane)], lane,
             named(barrier, one) + "its lanes arrive from different instructions");
    });
  }
}

}  // namespace skerry::emulation
