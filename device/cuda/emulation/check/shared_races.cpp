// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/shared_races.hpp"

#include <string>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

[[noreturn]] void report(const char* what, int lane, std::uint32_t offset, std::uint32_t other) {
  fault(code::launch_failure, lane,
        std::string("race on shared memory: ") + what + " at byte " + std::to_string(offset) +
            ", by thread " + std::to_string(other) + " of the block before");
}

}  // namespace

/// Within one phase, a warp's lanes are ordered where the warp has synchronised between them.
bool shared_races::is_ordered(const last_access& before, const last_access& now) const {
  if (before.phase != now.phase || before.thread == now.thread) return true;
  return before.thread / warp_size == now.thread / warp_size && before.epoch != now.epoch;
}

void shared_races::note_read(byte_state& of, const last_access& now) const {
  if (of.who_read == readers::none || of.read.phase != now.phase) {
    of.who_read = readers::one;
  } else if (of.read.thread / warp_size != now.thread / warp_size ||
             of.who_read == readers::several_warps) {
    of.who_read = readers::several_warps;
  } else if (of.read.epoch != now.epoch) {
    of.who_read = readers::one;
  } else if (of.read.thread != now.thread) {
    of.who_read = readers::one_warp;
  }
  of.read = now;
}

void shared_races::check_byte(byte_state& of, const last_access& now, int lane, bool writes,
                              std::uint32_t offset) const {
  if (of.write.phase != 0 && !is_ordered(of.write, now)) {
    report(writes ? "write after write" : "read after write", lane, offset, of.write.thread);
  }
  if (!writes) return note_read(of, now);
  const bool is_read_now = of.who_read != readers::none && of.read.phase == now.phase;
  const bool others_of_warp = of.who_read == readers::one_warp && of.read.epoch == now.epoch;
  if (is_read_now &&
      (of.who_read == readers::several_warps || others_of_warp || !is_ordered(of.read, now))) {
    report("write after read", lane, offset, of.read.thread);
  }
  of.write = now;
}

void shared_races::check(const warp& on, const instruction& what, lane_mask active,
                         const lane_addresses& at, memory_access access) {
  if (what.is_strong) return;
  const auto base = reinterpret_cast<std::uint64_t>(on.owner->shared.data());
  for_lanes(active, [&](int lane) {
    const std::uint64_t offset = at.at[static_cast<std::size_t>(lane)] - base;
    if (offset >= bytes_.size()) return;
    const last_access now{.phase = phase_,
                          .epoch = epochs_[on.number],
                          .thread = on.number * warp_size + static_cast<std::uint32_t>(lane)};
    for (std::uint32_t k = 0; k < access.nbytes; ++k) {
      check_byte(bytes_[offset + k], now, lane, access.writes,
                 static_cast<std::uint32_t>(offset) + k);
    }
  });
}

}  // namespace skerry::emulation
