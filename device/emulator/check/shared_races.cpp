// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/shared_races.hpp"

#include <string>

#include "device/emulator/check/findings.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/report.hpp"

namespace skerry::emulation {
namespace {

void report_race(const Warp& warp, ShadowEntry now, bool writes, ShadowEntry earlier_access,
                 bool other_writes, std::size_t byte) {
  if (!is_reportable(warp, now.pc(), FailureKind::race_shared, earlier_access.pc())) return;
  const LaunchState& launch_state = warp.owner->launch_state;
  const char* const hazard = !writes        ? "read after write"
                             : other_writes ? "write after write"
                                            : "write after read";
  report_fault(warp, now.pc(),
               {.code = code::launch_failure,
                .lane = static_cast<int>(now.lane()),
                .summary = std::string("race on shared memory: ") + hazard + " at byte " +
                           std::to_string(byte),
                .kind = FailureKind::race_shared,
                .other = OtherAccess{
                    .block = warp.owner->index,
                    .thread = launch_state.launch.block.unravel_index(earlier_access.thread()),
                    .source_line = line_of(launch_state, earlier_access.pc()),
                    .writes = other_writes}});
}

}  // namespace

void SharedRaces::check(const Warp& warp, const Instruction& instruction, lane_mask active,
                        const LaneAddresses& addresses, MemoryAccess access) {
  if (instruction.is_strong || !clock_.is_right()) return;
  const auto base = reinterpret_cast<std::uint64_t>(warp.owner->shared.data());
  const ShadowEntry first(clock_.time(), pc_of(warp, instruction), 0, warp.number * warp_size);
  const auto is_before = [&](ShadowEntry one, ShadowEntry now) {
    return clock_.is_before(one, now);
  };
  const std::uint64_t phase = clock_.phase_bits();
  const bool is_of_single_lanes = warp.owner->launch_state.device.checks_single_lanes;
  const auto check_lane = [&](int lane, std::uint64_t offset) {
    if (offset >= nbytes_) return;
    const ShadowEntry now = first.of_lane(static_cast<std::uint64_t>(lane));
    const bool is_word = !access.writes && access.nbytes == 4 && !is_of_single_lanes;
    if (is_word && words_.note_read(offset / 4, now, phase, is_before)) return;
    words_.note(offset, offset + access.nbytes, now, access.writes, is_before,
                [&](ShadowEntry earlier_access, bool is_write, std::size_t byte) {
                  report_race(warp, now, access.writes, earlier_access, is_write, byte);
                });
  };
  if (is_of_single_lanes) {
    return for_lanes(active, [&](int lane) {
      check_lane(lane, addresses.values[static_cast<std::size_t>(lane)] - base);
    });
  }
  const lane_mask recorded =
      access.writes ? active : active & ~lanes_between_equals(addresses.values, active);
  for_runs(addresses.values, recorded, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t offset = addresses.values[static_cast<std::size_t>(lane)] - base;
    const ShadowEntry now = first.of_lane(static_cast<std::uint64_t>(lane));
    const bool is_of_words = lanes >= min_run_length && access.nbytes % 4 == 0 && offset < nbytes_;
    if (is_of_words &&
        words_.note_run(offset / 4, access.nbytes / 4, static_cast<std::size_t>(lanes), now,
                        access.writes, is_before, phase)) {
      return;
    }
    for (int k = 0; k < lanes; ++k) {
      check_lane(lane + k, offset + static_cast<std::uint64_t>(k) * access.nbytes);
    }
  });
}

}  // namespace skerry::emulation
