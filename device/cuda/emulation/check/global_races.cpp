// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/global_races.hpp"

#include <algorithm>
#include <string>

#include "device/cuda/emulation/check/findings.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/failure_text.hpp"
#include "device/cuda/emulation/execute/report.hpp"

namespace skerry::emulation {
namespace {

static_assert(GlobalRaces::most_blocks < std::uint64_t{1} << AccessMark::block_bits);

[[nodiscard]] std::uint32_t number_of(const Block& one) {
  const Extent& grid = one.launched.how.grid;
  const std::uint64_t number =
      one.at.x + std::uint64_t{grid.x} * (one.at.y + std::uint64_t{grid.y} * one.at.z);
  return static_cast<std::uint32_t>(std::min(number, GlobalRaces::most_blocks));
}

void tell_race(const Warp& on, AccessMark now, bool writes, AccessMark before, bool other_writes,
               std::uint64_t address) {
  if (!is_worth_telling(on, now.place(), FailureKind::race_global, before.place())) return;
  const LaunchState& launched = on.owner->launched;
  const MemoryNear memory = launched.nearest(address);
  std::string text = "race on global memory: ";
  text += !writes ? "read after write" : other_writes ? "write after write" : "write after read";
  if (before.block() == now.block()) text += ", of threads of one block";
  if (before.block() == GlobalRaces::most_blocks) text += ", by the block named or one behind it";
  tell(on, now.place(),
       {.code = code::launch_failure,
        .lane = static_cast<int>(now.lane()),
        .what = text + "; " + text_of(memory),
        .kind = FailureKind::race_global,
        .memory = memory,
        .other = OtherAccess{.block = launched.how.grid.place_of(before.block()),
                             .thread = launched.how.block.place_of(before.thread()),
                             .at = line_of(launched, before.place()),
                             .writes = other_writes}});
}

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
}

}  // namespace

bool fills_up_loads(std::string_view mangled_name) noexcept {
  return mangled_name.find("6detail9transform16transform_kernelI") != std::string_view::npos;
}

GlobalRaces::GlobalRaces(std::uint64_t blocks, bool tells_threads_apart)
    : blocks_(std::min(blocks, most_blocks + 1)),
      tells_threads_apart_(tells_threads_apart),
      states_(static_cast<std::size_t>(blocks_)) {}

/// By the barriers of the block where they are followed, else by its fences.
GlobalRaces::epoch GlobalRaces::time_of(const Block& of, const BlockState& state) const {
  return tells_threads_apart_ && of.races ? of.races->clock().time() : state.time;
}

AccessMark GlobalRaces::first_mark(const Warp& on, std::uint32_t place) const {
  const std::uint32_t by = number_of(*on.owner);
  const epoch time = time_of(*on.owner, states_[by]);
  if (time >= AccessMark::last_time) return {};
  return {time, place, by, on.number * warp_size};
}

void GlobalRaces::fence(const Block& by) {
  const std::uint32_t number = number_of(by);
  BlockState& state = states_[number];
  const epoch now = time_of(by, state);
  state.now.resize(blocks_);
  state.now[number] = now;
  state.fenced = state.now;
  if (tells_threads_apart_ && by.races) {
    by.races->clock().tick();
  } else {
    ++state.time;
  }
  state.fence = now + 1;
}

void GlobalRaces::synchronize_grid(std::span<Block* const> all) {
  clock latest(blocks_);
  for (const Block* one : all) {
    fence(*one);
    join(latest, states_[number_of(*one)].fenced);
  }
  for (const Block* one : all) {
    BlockState& state = states_[number_of(*one)];
    state.now = latest;
    state.fenced = latest;
  }
}

void GlobalRaces::synchronize(std::uint32_t by, std::uint64_t address, bool writes) {
  BlockState& state = states_[by];
  const auto found = published_.find(address);
  if (found != published_.end()) join(state.now, found->second);
  if (writes && !state.fenced.empty()) join(published_[address], state.fenced);
}

bool GlobalRaces::is_before(AccessMark one, AccessMark now, const Block& by) const {
  const BlockState& state = states_[now.block()];
  if (one.block() != now.block()) {
    return one.block() < state.now.size() && state.now[one.block()] >= one.time();
  }
  // Those behind the last number may be several blocks.
  if (!tells_threads_apart_ || !by.races || one.block() == most_blocks) return true;
  return one.time() < state.fence || by.races->clock().is_before(one, now);
}

void GlobalRaces::check(const Warp& on, const Instruction& what, lane_mask active,
                        const LaneAddresses& at, MemoryAccess access) {
  const AccessMark first = first_mark(on, place_of(on, what));
  if (first.is_none()) return;
  const auto check_lane = [&](int lane, std::uint64_t begin) {
    if (what.is_strong) return synchronize(first.block(), begin, access.writes);
    if (!access.writes && is_between_equals(at, active, lane)) return;
    note(on, first.of_lane(static_cast<std::uint64_t>(lane)), begin, access);
  };
  for_runs(at.at, active, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t begin = at.at[static_cast<std::size_t>(lane)];
    // A generic address may be one of these.
    if (is_shared_or_local(on, begin)) return;
    if (!what.is_strong && lanes >= least_run) {
      return note_run(on, first.of_lane(static_cast<std::uint64_t>(lane)), begin, lanes, access);
    }
    for (int k = 0; k < lanes; ++k) {
      check_lane(lane + k, begin + static_cast<std::uint64_t>(k) * access.nbytes);
    }
  });
}

void GlobalRaces::check_warp(const Warp& on, const Instruction& what, std::uint64_t begin,
                             MemoryAccess access) {
  const AccessMark first = first_mark(on, place_of(on, what));
  if (!first.is_none()) note_run(on, first, begin, warp_size, access);
}

void GlobalRaces::note_run(const Warp& on, AccessMark now, std::uint64_t begin, int lanes,
                           MemoryAccess access) {
  const auto order = [&](AccessMark one, AccessMark later) {
    return is_before(one, later, *on.owner);
  };
  const std::uint64_t end = begin + static_cast<std::uint64_t>(lanes) * access.nbytes;
  while (begin < end) {
    // An element is aligned, so that it lies in one line.
    const std::uint64_t in_line = begin % MarkedLine::nbytes;
    const std::uint64_t last = std::min(end, begin - in_line + MarkedLine::nbytes);
    const std::uint64_t count = (last - begin) / access.nbytes;
    MarkedLine& line = pages_.at(begin / MarkedPage::nbytes).line_of(begin);
    const bool is_noted = access.nbytes % 4 == 0 && line.note_run(in_line / 4, access.nbytes / 4,
                                                                  count, now, access.writes, order);
    for (std::uint64_t k = 0; k < count && !is_noted; ++k) {
      note(on, now.of_lane(k), begin + k * access.nbytes, access);
    }
    now = now.of_lane(count);
    begin = last;
  }
}

void GlobalRaces::check_bytes(const Warp& on, std::uint32_t place, int lane, std::uint64_t begin,
                              MemoryAccess access) {
  const AccessMark first = first_mark(on, place);
  if (first.is_none()) return;
  note(on, first.of_lane(static_cast<std::uint64_t>(lane)), begin, access);
}

void GlobalRaces::note(const Warp& on, AccessMark now, std::uint64_t begin, MemoryAccess access) {
  const auto order = [&](AccessMark one, AccessMark later) {
    return is_before(one, later, *on.owner);
  };
  const std::uint64_t end = begin + access.nbytes;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t base = at / MarkedLine::nbytes * MarkedLine::nbytes;
    const std::uint64_t last = std::min(end, base + MarkedLine::nbytes);
    pages_.at(at / MarkedPage::nbytes)
        .line_of(at)
        .note(at - base, last - base, now, access.writes, order,
              [&](AccessMark before, bool is_write, std::size_t byte) {
                tell_race(on, now, access.writes, before, is_write, base + byte);
              });
    at = last;
  }
}

}  // namespace skerry::emulation
