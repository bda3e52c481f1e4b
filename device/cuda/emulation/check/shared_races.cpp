// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/shared_races.hpp"

#include <string>

#include "device/cuda/emulation/check/findings.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/report.hpp"

namespace skerry::emulation {
namespace {

void tell_race(const Warp& on, AccessMark now, bool writes, AccessMark before, bool other_writes,
               std::size_t byte) {
  if (!is_worth_telling(on, now.place(), FailureKind::race_shared, before.place())) return;
  const LaunchState& launched = on.owner->launched;
  const char* const what = !writes        ? "read after write"
                           : other_writes ? "write after write"
                                          : "write after read";
  tell(on, now.place(),
       {.code = code::launch_failure,
        .lane = static_cast<int>(now.lane()),
        .what = std::string("race on shared memory: ") + what + " at byte " + std::to_string(byte),
        .kind = FailureKind::race_shared,
        .other = OtherAccess{.block = on.owner->at,
                             .thread = launched.how.block.place_of(before.thread()),
                             .at = line_of(launched, before.place()),
                             .writes = other_writes}});
}

}  // namespace

void SharedRaces::check(const Warp& on, const Instruction& what, lane_mask active,
                        const LaneAddresses& at, MemoryAccess access) {
  if (what.is_strong || !clock_.is_right()) return;
  const auto base = reinterpret_cast<std::uint64_t>(on.owner->shared.data());
  const AccessMark first(clock_.time(), place_of(on, what), 0, on.number * warp_size);
  const auto is_before = [&](AccessMark one, AccessMark now) { return clock_.is_before(one, now); };
  const std::uint64_t phase = clock_.phase_bits();
  const std::uint64_t order = clock_.order_bits(on.number);
  const auto check_lane = [&](int lane, std::uint64_t offset) {
    if (offset >= nbytes_ || (!access.writes && is_between_equals(at, active, lane))) return;
    const AccessMark now = first.of_lane(static_cast<std::uint64_t>(lane));
    const bool is_word = !access.writes && access.nbytes == 4;
    if (is_word && words_.note_read(offset / 4, now, phase, order)) return;
    words_.note(offset, offset + access.nbytes, now, access.writes, is_before,
                [&](AccessMark before, bool is_write, std::size_t byte) {
                  tell_race(on, now, access.writes, before, is_write, byte);
                });
  };
  for_runs(at.at, active, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t offset = at.at[static_cast<std::size_t>(lane)] - base;
    const AccessMark now = first.of_lane(static_cast<std::uint64_t>(lane));
    const bool is_of_words = lanes >= least_run && access.nbytes % 4 == 0 && offset < nbytes_;
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
