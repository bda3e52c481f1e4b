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

static_assert(global_races::most_blocks < std::uint64_t{1} << access_mark::block_bits);

[[nodiscard]] std::uint32_t number_of(const block& one) {
  const extent& grid = one.launched.how.grid;
  const std::uint64_t number =
      one.at.x + std::uint64_t{grid.x} * (one.at.y + std::uint64_t{grid.y} * one.at.z);
  return static_cast<std::uint32_t>(std::min(number, global_races::most_blocks));
}

void tell_race(const warp& on, access_mark now, bool writes, access_mark before, bool other_writes,
               std::uint64_t address) {
  if (!is_worth_telling(on, now.place(), failure_kind::race_global, before.place())) return;
  const launch_state& launched = on.owner->launched;
  const memory_near memory = launched.nearest(address);
  std::string text = "race on global memory: ";
  text += !writes ? "read after write" : other_writes ? "write after write" : "write after read";
  if (before.block() == now.block()) text += ", of threads of one block";
  if (before.block() == global_races::most_blocks) text += ", by the block named or one behind it";
  tell(on, now.place(),
       {.code = code::launch_failure,
        .lane = static_cast<int>(now.lane()),
        .what = text + "; " + text_of(memory),
        .kind = failure_kind::race_global,
        .memory = memory,
        .other = other_access{.block = launched.how.grid.place_of(before.block()),
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

global_races::global_races(std::uint64_t blocks, bool tells_threads_apart)
    : blocks_(std::min(blocks, most_blocks + 1)),
      tells_threads_apart_(tells_threads_apart),
      states_(static_cast<std::size_t>(blocks_)) {}

/// By the barriers of the block where they are followed, else by its fences.
global_races::epoch global_races::time_of(const block& of, const block_state& state) const {
  return tells_threads_apart_ && of.races ? of.races->clock().time() : state.time;
}

access_mark global_races::first_mark(const warp& on, std::uint32_t place) const {
  const std::uint32_t by = number_of(*on.owner);
  const epoch time = time_of(*on.owner, states_[by]);
  if (time >= access_mark::last_time) return {};
  return {time, place, by, on.number * warp_size};
}

void global_races::fence(const block& by) {
  const std::uint32_t number = number_of(by);
  block_state& state = states_[number];
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

void global_races::synchronize_grid(std::span<block* const> all) {
  clock latest(blocks_);
  for (const block* one : all) {
    fence(*one);
    join(latest, states_[number_of(*one)].fenced);
  }
  for (const block* one : all) {
    block_state& state = states_[number_of(*one)];
    state.now = latest;
    state.fenced = latest;
  }
}

void global_races::synchronize(std::uint32_t by, std::uint64_t address, bool writes) {
  block_state& state = states_[by];
  const auto found = published_.find(address);
  if (found != published_.end()) join(state.now, found->second);
  if (writes && !state.fenced.empty()) join(published_[address], state.fenced);
}

bool global_races::is_before(access_mark one, access_mark now, const block& by) const {
  const block_state& state = states_[now.block()];
  if (one.block() != now.block()) {
    return one.block() < state.now.size() && state.now[one.block()] >= one.time();
  }
  // Those behind the last number may be several blocks.
  if (!tells_threads_apart_ || !by.races || one.block() == most_blocks) return true;
  return one.time() < state.fence || by.races->clock().is_before(one, now);
}

void global_races::check(const warp& on, const instruction& what, lane_mask active,
                         const lane_addresses& at, memory_access access) {
  const access_mark first = first_mark(on, place_of(on, what));
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

void global_races::check_warp(const warp& on, const instruction& what, std::uint64_t begin,
                              memory_access access) {
  const access_mark first = first_mark(on, place_of(on, what));
  if (!first.is_none()) note_run(on, first, begin, warp_size, access);
}

void global_races::note_run(const warp& on, access_mark now, std::uint64_t begin, int lanes,
                            memory_access access) {
  const auto order = [&](access_mark one, access_mark later) {
    return is_before(one, later, *on.owner);
  };
  const std::uint64_t end = begin + static_cast<std::uint64_t>(lanes) * access.nbytes;
  while (begin < end) {
    // An element is aligned, so that it lies in one line.
    const std::uint64_t in_line = begin % marked_line::nbytes;
    const std::uint64_t last = std::min(end, begin - in_line + marked_line::nbytes);
    const std::uint64_t count = (last - begin) / access.nbytes;
    marked_line& line = pages_.at(begin / marked_page::nbytes).line_of(begin);
    const bool is_noted = access.nbytes % 4 == 0 && line.note_run(in_line / 4, access.nbytes / 4,
                                                                  count, now, access.writes, order);
    for (std::uint64_t k = 0; k < count && !is_noted; ++k) {
      note(on, now.of_lane(k), begin + k * access.nbytes, access);
    }
    now = now.of_lane(count);
    begin = last;
  }
}

void global_races::check_bytes(const warp& on, std::uint32_t place, int lane, std::uint64_t begin,
                               memory_access access) {
  const access_mark first = first_mark(on, place);
  if (first.is_none()) return;
  note(on, first.of_lane(static_cast<std::uint64_t>(lane)), begin, access);
}

void global_races::note(const warp& on, access_mark now, std::uint64_t begin,
                        memory_access access) {
  const auto order = [&](access_mark one, access_mark later) {
    return is_before(one, later, *on.owner);
  };
  const std::uint64_t end = begin + access.nbytes;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t base = at / marked_line::nbytes * marked_line::nbytes;
    const std::uint64_t last = std::min(end, base + marked_line::nbytes);
    pages_.at(at / marked_page::nbytes)
        .line_of(at)
        .note(at - base, last - base, now, access.writes, order,
              [&](access_mark before, bool is_write, std::size_t byte) {
                tell_race(on, now, access.writes, before, is_write, base + byte);
              });
    at = last;
  }
}

}  // namespace skerry::emulation
