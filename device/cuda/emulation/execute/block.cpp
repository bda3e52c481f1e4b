// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/block.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/request_counter.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"

namespace skerry::emulation {
namespace {

constexpr std::size_t buffer_alignment = 128;

template <class T>
void fill_row(std::byte* to, T value) {
  std::fill_n(reinterpret_cast<T*>(to), warp_size, value);
}

void fill_row(std::byte* to, std::uint8_t nbytes, std::uint64_t value) {
  switch (nbytes) {
    case 0:
      *reinterpret_cast<lane_mask*>(to) = value != 0 ? all_lanes : 0;
      return;
    case 2:
      return fill_row(to, static_cast<std::uint16_t>(value));
    case 4:
      return fill_row(to, static_cast<std::uint32_t>(value));
    default:
      return fill_row(to, value);
  }
}

/// Without the bytes that align what isn't there.
[[nodiscard]] std::uint32_t shared_bytes(const program& code, const launch& how) {
  return how.dynamic_shared_bytes == 0 ? code.static_shared_nbytes
                                       : code.dynamic_shared_offset + how.dynamic_shared_bytes;
}

/// What a special register holds in all lanes of a launch.
[[nodiscard]] std::uint64_t value_for_launch(const special_row& row, const launch_state& of) {
  const launch& how = of.how;
  switch (row.what) {
    case special_register::ntid_x:
      return how.block.x;
    case special_register::ntid_y:
      return how.block.y;
    case special_register::ntid_z:
      return how.block.z;
    case special_register::nctaid_x:
      return how.grid.x;
    case special_register::nctaid_y:
      return how.grid.y;
    case special_register::nctaid_z:
      return how.grid.z;
    case special_register::nwarpid:
      return of.device.threads_per_multiprocessor / warp_size;
    case special_register::nsmid:
      return static_cast<std::uint64_t>(of.device.multiprocessors);
    case special_register::gridid:
      return how.number;
    case special_register::dynamic_shared_nbytes:
      return how.dynamic_shared_bytes;
    case special_register::total_shared_nbytes:
      return shared_bytes(of.code, how);
    case special_register::variable_address:
      return how.variables[row.index] + row.offset;
    default:
      return 0;
  }
}

/// What it holds in one lane, whichever block the warp is of.
[[nodiscard]] std::uint64_t value_for_lane(const special_row& row, const warp& on, int lane) {
  const launch_state& launched = on.owner->launched;
  const extent& block = launched.how.block;
  const std::uint32_t thread = on.number * warp_size + static_cast<std::uint32_t>(lane);
  const lane_mask bit = lane_mask{1} << lane;
  switch (row.what) {
    case special_register::tid_x:
      return thread % block.x;
    case special_register::tid_y:
      return thread / block.x % block.y;
    case special_register::tid_z:
      return thread / block.x / block.y;
    case special_register::laneid:
      return static_cast<std::uint64_t>(lane);
    case special_register::warpid:
      return on.number;
    case special_register::lanemask_eq:
      return bit;
    case special_register::lanemask_le:
      return bit | (bit - 1);
    case special_register::lanemask_lt:
      return bit - 1;
    case special_register::lanemask_ge:
      return ~(bit - 1);
    case special_register::lanemask_gt:
      return ~(bit | (bit - 1));
    case special_register::local_address:
      return reinterpret_cast<std::uint64_t>(on.local) + row.offset +
             static_cast<std::uint64_t>(lane) * launched.code.local_nbytes;
    default:
      return 0;
  }
}

/// What it holds in all lanes of a block, if it depends on the block.
[[nodiscard]] std::optional<std::uint64_t> value_for_block(const special_row& row,
                                                           const block& of) {
  switch (row.what) {
    case special_register::ctaid_x:
      return of.at.x;
    case special_register::ctaid_y:
      return of.at.y;
    case special_register::ctaid_z:
      return of.at.z;
    case special_register::smid:
      return (of.at.x + of.at.y + of.at.z) %
             static_cast<std::uint32_t>(std::max(1, of.launched.device.multiprocessors));
    default:
      return std::nullopt;
  }
}

/// Fills what stays the same for all blocks that use these registers one after the other.
void fill_lanes(warp& of) {
  for (const special_row& row : of.owner->launched.code.specials) {
    if (is_same_for_launch(row.what)) continue;
    std::byte* to = of.banks[0] + row.to;
    for (int lane = 0; lane < warp_size; ++lane, to += row.nbytes) {
      const std::uint64_t value = value_for_lane(row, of, lane);
      std::memcpy(to, &value, row.nbytes);
    }
  }
}

void run_watched(warp& on, const instruction& what, lane_mask lanes) {
  on.owner->undefined->run(on, what, lanes);
}

[[nodiscard]] std::unique_ptr<const watched_program> watched_code(const kernel& what,
                                                                  const device_model& device) {
  if (!device.checks_undefined_values) return nullptr;
  return std::make_unique<const watched_program>(what.decoded(), run_watched);
}

}  // namespace

aligned_bytes::aligned_bytes(std::size_t nbytes)
    : nbytes_(nbytes),
      data_(static_cast<std::byte*>(
          ::operator new(std::max<std::size_t>(nbytes, 1), std::align_val_t{buffer_alignment}))) {}

void aligned_bytes::release::operator()(std::byte* data) const noexcept {
  ::operator delete(data, std::align_val_t{buffer_alignment});
}

void fault(int code, int lane, std::string what) {
  throw kernel_fault{code, lane, std::move(what)};
}

launch_state::launch_state(const kernel& what, const launch& how, const device_model& device,
                           const memory_map& memory)
    : what(what),
      watched(watched_code(what, device)),
      code(watched ? watched->code : what.decoded()),
      how(how),
      device(device),
      memory(memory),
      random(device.seed ^ (how.number * 0x9e3779b97f4a7c15)),
      constants(code.constant_nbytes),
      parameters(how.parameters.begin(), how.parameters.end()),
      known(code.code.size()),
      fills_up_loads(emulation::fills_up_loads(what.name())) {
  if (device.checks_global_races) races = std::make_unique<global_races>(how.grid.count());
  if (device.counts_requests) requests = std::make_unique<request_counter>(counted);
  for (const constant_row& row : code.constants) {
    fill_row(constants.data() + (row.to & ~1), row.nbytes, row.value);
  }
  for (const special_row& row : code.specials) {
    if (!is_same_for_launch(row.what)) continue;
    fill_row(constants.data() + (row.to & ~1), row.nbytes, value_for_launch(row, *this));
  }
}

launch_state::~launch_state() = default;

block::block(launch_state& of)
    : launched(of),
      shared(shared_bytes(of.code, of.how)),
      shared_nbytes(shared_bytes(of.code, of.how)),
      warps((of.how.block.count() + warp_size - 1) / warp_size),
      cluster_phases(warps.size() * warp_size),
      store_groups(warps.size() * warp_size),
      held(warps.size()),
      registers_(warps.size() * of.code.register_nbytes),
      local_(warps.size() * warp_size * of.code.local_nbytes) {
  if (of.device.checks_shared_races) {
    races = std::make_unique<shared_races>(shared_nbytes, warps.size());
  }
  for (std::size_t k = 0; k < warps.size(); ++k) {
    warp& one = warps[k];
    one.owner = this;
    one.number = static_cast<std::uint32_t>(k);
    one.banks = {registers_.data() + k * of.code.register_nbytes, of.constants.data()};
    one.local = local_.data() + k * warp_size * of.code.local_nbytes;
    const std::uint64_t threads =
        std::min<std::uint64_t>(warp_size, of.how.block.count() - k * warp_size);
    one.existing = threads == warp_size ? all_lanes : (lane_mask{1} << threads) - 1;
    fill_lanes(one);
  }
  if (of.watched) undefined = std::make_unique<undefined_values>(*this);
  watches_accesses = races || undefined || of.races || of.requests || of.how.touched ||
                     of.device.holds_stores_back;
}

block::~block() = default;

void block::start(std::uint64_t number) {
  if (races) races->synchronize();
  if (undefined) undefined->start();
  const extent& grid = launched.how.grid;
  at = {static_cast<std::uint32_t>(number % grid.x),
        static_cast<std::uint32_t>(number / grid.x % grid.y),
        static_cast<std::uint32_t>(number / grid.x / grid.y)};
  std::memset(shared.data(), poison, shared.size());
  std::memset(local_.data(), poison, local_.size());
  barriers = {};
  cluster_phase = 0;
  std::ranges::fill(cluster_phases, 0);
  std::ranges::fill(store_groups, 0);
  loads.clear();
  for (warp& one : warps) start_warp(one);
}

void block::start_warp(warp& which) {
  which.alive = which.existing;
  which.at_barrier = 0;
  which.at_collective = 0;
  which.at.fill(0);
  which.carry.fill(0);
  which.copy_group.fill(0);
  which.copies.clear();
  which.takes_any_fragment = false;
  which.is_waiting = false;
  for (const undefined_row& row : launched.code.undefined) {
    std::memset(which.banks[0] + row.offset, poison, row.nbytes);
  }
  for (const special_row& row : launched.code.specials) {
    if (const auto value = value_for_block(row, *this)) {
      fill_row(which.banks[0] + row.to, row.nbytes, *value);
    }
  }
}

std::uint32_t block::alive_threads() const noexcept {
  std::uint32_t alive = 0;
  for (const warp& one : warps) alive += static_cast<std::uint32_t>(std::popcount(one.alive));
  return alive;
}

bool block::has_ended() const noexcept {
  return std::ranges::all_of(warps, [](const warp& one) { return one.alive == 0; });
}

}  // namespace skerry::emulation
