// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/global_races.hpp"

#include <algorithm>
#include <string>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

[[nodiscard]] std::uint32_t number_of(const block& one) {
  const extent& grid = one.launched.how.grid;
  const std::uint64_t number =
      one.at.x + std::uint64_t{grid.x} * (one.at.y + std::uint64_t{grid.y} * one.at.z);
  return static_cast<std::uint32_t>(std::min(number, global_races::most_blocks));
}

[[noreturn]] void report(const warp& on, const char* what, int lane, std::uint64_t address,
                         std::uint32_t other) {
  const launch_state& launched = on.owner->launched;
  const extent& grid = launched.how.grid;
  std::string text = "race on global memory: ";
  text += what;
  text += ", by block (" + std::to_string(other % grid.x) + "," +
          std::to_string(other / grid.x % grid.y) + "," + std::to_string(other / grid.x / grid.y) +
          ")" + (other == global_races::most_blocks ? " or one behind it" : "") + " before; " +
          launched.memory.describe(address);
  fault(code::launch_failure, lane, text);
}

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
}

}  // namespace

bool fills_up_loads(std::string_view mangled_name) noexcept {
  return mangled_name.find("6detail9transform16transform_kernelI") != std::string_view::npos;
}

global_races::global_races(std::uint64_t blocks)
    : blocks_(std::min(blocks, most_blocks + 1)), states_(static_cast<std::size_t>(blocks_)) {}

global_races::block_state& global_races::state_of(std::uint32_t number) {
  block_state& state = states_[number];
  if (state.now.empty()) {
    state.now.resize(blocks_);
    state.fenced.resize(blocks_);
    state.now[number] = 1;
  }
  return state;
}

global_races::byte_state& global_races::state_at(std::uint64_t address) {
  return pages_.at(address / page_nbytes)[address % page_nbytes];
}

void global_races::fence(const block& by) {
  const std::uint32_t number = number_of(by);
  block_state& state = state_of(number);
  state.fenced = state.now;
  ++state.now[number];
}

void global_races::synchronize(std::uint32_t by, std::uint64_t address, bool writes) {
  block_state& state = state_of(by);
  const auto found = published_.find(address);
  if (found != published_.end()) join(state.now, found->second);
  if (!writes) return;
  clock& into = published_[address];
  into.resize(blocks_);
  join(into, state.fenced);
}

void global_races::check(const warp& on, const instruction& what, lane_mask active,
                         const lane_addresses& at, memory_access access) {
  const std::uint32_t by = number_of(*on.owner);
  for_lanes(active, [&](int lane) {
    const std::uint64_t begin = at.at[static_cast<std::size_t>(lane)];
    // A generic address may be one of these.
    if (is_shared_or_local(on, begin)) return;
    if (what.is_strong) return synchronize(by, begin, access.writes);
    check_bytes(on, lane, begin, access);
  });
}

void global_races::check_bytes(const warp& on, int lane, std::uint64_t begin,
                               memory_access access) {
  const std::uint32_t by = number_of(*on.owner);
  const clock& now = state_of(by).now;
  const auto is_before = [&](const access_mark& one) {
    return one.by == by || now[one.by] >= one.when;
  };
  for (std::uint64_t address = begin; address < begin + access.nbytes; ++address) {
    byte_state& state = state_at(address);
    if (!is_before(state.write)) {
      report(on, access.writes ? "write after write" : "read after write", lane, address,
             state.write.by);
    }
    if (!access.writes) {
      auto* const mine = std::ranges::find(state.reads, by, &access_mark::by);
      if (mine == state.reads.end()) {
        std::ranges::rotate(state.reads, state.reads.end() - 1);
        state.reads[0] = {by, now[by]};
      } else {
        *mine = {by, now[by]};
      }
      continue;
    }
    for (const access_mark& read : state.reads) {
      if (!is_before(read)) report(on, "write after read", lane, address, read.by);
    }
    state.write = {by, now[by]};
  }
}

}  // namespace skerry::emulation
