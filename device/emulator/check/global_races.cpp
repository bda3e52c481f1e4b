// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/global_races.hpp"

#include <algorithm>
#include <string>

#include "device/emulator/check/findings.hpp"
#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/execute/report.hpp"

namespace skerry::emulation {
namespace {

static_assert(GlobalRaces::max_blocks < std::uint64_t{1} << ShadowEntry::block_bits);

[[nodiscard]] std::uint32_t number_of(const Block& one) {
  const Extent& grid = one.launch_state.launch.grid;
  const std::uint64_t number =
      one.index.x + std::uint64_t{grid.x} * (one.index.y + std::uint64_t{grid.y} * one.index.z);
  return static_cast<std::uint32_t>(std::min(number, GlobalRaces::max_blocks));
}

void report_race(const Warp& warp, ShadowEntry now, bool writes, ShadowEntry earlier_access,
                 bool other_writes, std::uint64_t address) {
  if (!is_reportable(warp, now.pc(), FailureKind::race_global, earlier_access.pc())) return;
  const LaunchState& launch_state = warp.owner->launch_state;
  const MemoryNear memory = launch_state.nearest(address);
  std::string text = "race on global memory: ";
  text += !writes ? "read after write" : other_writes ? "write after write" : "write after read";
  if (earlier_access.block() == now.block()) text += ", between threads of one block";
  if (earlier_access.block() == GlobalRaces::max_blocks)
    text += ", by the named block or a later one";
  report_fault(warp, now.pc(),
               {.code = code::launch_failure,
                .lane = static_cast<int>(now.lane()),
                .summary = text + "; " + text_of(memory),
                .kind = FailureKind::race_global,
                .memory = memory,
                .other = OtherAccess{
                    .block = launch_state.launch.grid.unravel_index(earlier_access.block()),
                    .thread = launch_state.launch.block.unravel_index(earlier_access.thread()),
                    .source_line = line_of(launch_state, earlier_access.pc()),
                    .writes = other_writes}});
}

void join(std::vector<std::uint32_t>& destination, const std::vector<std::uint32_t>& source) {
  if (destination.size() < source.size()) destination.resize(source.size());
  for (std::size_t k = 0; k < source.size(); ++k)
    destination[k] = std::max(destination[k], source[k]);
}

}  // namespace

bool fills_up_loads(std::string_view mangled_name) noexcept {
  return mangled_name.find("6detail9transform16transform_kernelI") != std::string_view::npos;
}

GlobalRaces::GlobalRaces(std::uint64_t blocks, bool distinguishes_threads)
    : blocks_(std::min(blocks, max_blocks + 1)),
      distinguishes_threads_(distinguishes_threads),
      states_(static_cast<std::size_t>(blocks_)) {}

/// Returns the time of the block's barrier clock if threads are distinguished, else its own time,
/// which advances at fences.
GlobalRaces::epoch GlobalRaces::time_of(const Block& block, const BlockState& state) const {
  return distinguishes_threads_ && block.races ? block.races->clock().time() : state.time;
}

ShadowEntry GlobalRaces::first_mark(const Warp& warp, std::uint32_t pc) const {
  const std::uint32_t block_number = number_of(*warp.owner);
  const epoch time = time_of(*warp.owner, states_[block_number]);
  if (time >= ShadowEntry::last_time) return {};
  return {time, pc, block_number, warp.number * warp_size};
}

void GlobalRaces::fence(const Block& block) {
  const std::uint32_t number = number_of(block);
  BlockState& state = states_[number];
  const epoch now = time_of(block, state);
  state.now.resize(blocks_);
  state.now[number] = now;
  state.fenced = state.now;
  if (distinguishes_threads_ && block.races) {
    block.races->clock().tick();
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

void GlobalRaces::synchronize(std::uint32_t block_number, std::uint64_t address, bool writes) {
  BlockState& state = states_[block_number];
  const auto entry = published_.find(address);
  if (entry != published_.end()) join(state.now, entry->second);
  if (writes && !state.fenced.empty()) join(published_[address], state.fenced);
}

bool GlobalRaces::is_before(ShadowEntry one, ShadowEntry now, const Block& block) const {
  const BlockState& state = states_[now.block()];
  if (one.block() != now.block()) {
    return one.block() < state.now.size() && state.now[one.block()] >= one.time();
  }
  // Entries with number max_blocks may be of different blocks.
  if (!distinguishes_threads_ || !block.races || one.block() == max_blocks) return true;
  return one.time() < state.fence || block.races->clock().is_before(one, now);
}

void GlobalRaces::check(const Warp& warp, const Instruction& instruction, lane_mask active,
                        const LaneAddresses& addresses, MemoryAccess access) {
  const ShadowEntry first = first_mark(warp, pc_of(warp, instruction));
  if (first.is_none()) return;
  const auto check_lane = [&](int lane, std::uint64_t begin) {
    if (instruction.is_strong) return synchronize(first.block(), begin, access.writes);
    note(warp, first.of_lane(static_cast<std::uint64_t>(lane)), begin, access);
  };
  if (warp.owner->launch_state.device.checks_single_lanes) {
    return for_lanes(active, [&](int lane) {
      const std::uint64_t begin = addresses.values[static_cast<std::size_t>(lane)];
      if (!is_shared_or_local(warp, begin)) check_lane(lane, begin);
    });
  }
  const bool records_all = access.writes || instruction.is_strong;
  const lane_mask recorded =
      records_all ? active : active & ~lanes_between_equals(addresses.values, active);
  for_runs(addresses.values, recorded, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t begin = addresses.values[static_cast<std::size_t>(lane)];
    // Generic addresses may be in shared or local memory.
    if (is_shared_or_local(warp, begin)) return;
    if (!instruction.is_strong && lanes >= min_run_length) {
      return note_run(warp, first.of_lane(static_cast<std::uint64_t>(lane)), begin, lanes, access);
    }
    for (int k = 0; k < lanes; ++k) {
      check_lane(lane + k, begin + static_cast<std::uint64_t>(k) * access.nbytes);
    }
  });
}

void GlobalRaces::check_warp(const Warp& warp, const Instruction& instruction, std::uint64_t begin,
                             MemoryAccess access) {
  const ShadowEntry first = first_mark(warp, pc_of(warp, instruction));
  if (!first.is_none()) note_run(warp, first, begin, warp_size, access);
}

void GlobalRaces::note_run(const Warp& warp, ShadowEntry now, std::uint64_t begin, int lanes,
                           MemoryAccess access) {
  const auto order = [&](ShadowEntry one, ShadowEntry later) {
    return is_before(one, later, *warp.owner);
  };
  const std::uint64_t end = begin + static_cast<std::uint64_t>(lanes) * access.nbytes;
  while (begin < end) {
    // Elements are aligned, so each is within one line.
    const std::uint64_t in_line = begin % MarkedLine::nbytes;
    const std::uint64_t last = std::min(end, begin - in_line + MarkedLine::nbytes);
    const std::uint64_t count = (last - begin) / access.nbytes;
    MarkedLine& line = pages_.page_at(begin / MarkedPage::nbytes).line_of(begin);
    const bool is_noted =
        access.nbytes % 4 == 0 && !warp.owner->launch_state.device.checks_single_lanes &&
        line.note_run(in_line / 4, access.nbytes / 4, count, now, access.writes, order);
    for (std::uint64_t k = 0; k < count && !is_noted; ++k) {
      note(warp, now.of_lane(k), begin + k * access.nbytes, access);
    }
    now = now.of_lane(count);
    begin = last;
  }
}

void GlobalRaces::check_bytes(const Warp& warp, std::uint32_t pc, int lane, std::uint64_t begin,
                              MemoryAccess access) {
  const ShadowEntry first = first_mark(warp, pc);
  if (first.is_none()) return;
  note(warp, first.of_lane(static_cast<std::uint64_t>(lane)), begin, access);
}

void GlobalRaces::note(const Warp& warp, ShadowEntry now, std::uint64_t begin,
                       MemoryAccess access) {
  const auto order = [&](ShadowEntry one, ShadowEntry later) {
    return is_before(one, later, *warp.owner);
  };
  const std::uint64_t end = begin + access.nbytes;
  for (std::uint64_t address = begin; address < end;) {
    const std::uint64_t base = address / MarkedLine::nbytes * MarkedLine::nbytes;
    const std::uint64_t last = std::min(end, base + MarkedLine::nbytes);
    pages_.page_at(address / MarkedPage::nbytes)
        .line_of(address)
        .note(address - base, last - base, now, access.writes, order,
              [&](ShadowEntry earlier_access, bool is_write, std::size_t byte) {
                report_race(warp, now, access.writes, earlier_access, is_write, base + byte);
              });
    address = last;
  }
}

}  // namespace skerry::emulation
