// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/block.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/check/request_counter.hpp"
#include "device/cuda/emulation/check/shared_races.hpp"
#include "device/cuda/emulation/check/undefined_values.hpp"
#include "device/cuda/emulation/execute/calls.hpp"
#include "device/cuda/emulation/execute/heap.hpp"
#include "device/cuda/emulation/execute/printed_text.hpp"

namespace skerry::emulation {
namespace {

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

/// Fills what stays the same for all blocks that use these registers one after the other.
void fill_lanes(Warp& of) {
  for (const SpecialRow& row : of.owner->launched.code.specials) {
    if (row.what->by != Sharing::lane) continue;
    std::byte* to = of.banks[0] + row.to;
    for (int lane = 0; lane < warp_size; ++lane, to += row.what->nbytes) {
      const std::uint64_t value = row.what->value({row, of.owner->launched, &of, lane});
      std::memcpy(to, &value, row.what->nbytes);
    }
  }
}

void run_watched(Warp& on, const Instruction& what, lane_mask lanes) {
  on.owner->undefined->run(on, what, lanes);
}

/// For each lane, behind the kernel's frame; a multiple of what any frame begins at.
[[nodiscard]] std::uint32_t stack_of(const Program& code, const Launch& how,
                                     const DeviceModel& device) {
  if (code.functions.empty()) return 0;
  const std::uint32_t asked = how.stack_bytes != 0 ? how.stack_bytes : device.stack_bytes;
  return (asked + code.local_alignment - 1) / code.local_alignment * code.local_alignment;
}

/// Arguments are written before it is known whether the function's frame fits.
[[nodiscard]] std::uint32_t local_of(const Program& code, std::uint32_t stack_nbytes) {
  if (code.functions.empty()) return code.local_nbytes;
  const std::uint32_t all = code.local_nbytes + stack_nbytes + code.argument_nbytes;
  return (all + code.local_alignment - 1) / code.local_alignment * code.local_alignment;
}

[[nodiscard]] std::unique_ptr<const WatchedProgram> watched_code(const Kernel& what,
                                                                 const DeviceModel& device) {
  if (!device.checks_undefined_values) return nullptr;
  return std::make_unique<const WatchedProgram>(what.decoded(), run_watched);
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t nbytes, std::size_t alignment)
    : nbytes_(nbytes),
      data_(static_cast<std::byte*>(
                ::operator new(std::max<std::size_t>(nbytes, 1), std::align_val_t{alignment})),
            {alignment}) {}

void AlignedBytes::release::operator()(std::byte* data) const noexcept {
  ::operator delete(data, std::align_val_t{alignment});
}

void fault(int code, int lane, std::string what) { throw KernelFault{code, lane, std::move(what)}; }

void fault(FailureKind kind, int lane, std::string what) {
  throw KernelFault{code_of(kind), lane, std::move(what), kind};
}

LaunchState::LaunchState(const Kernel& what, const Launch& how, const DeviceModel& device,
                         const MemoryMap& memory)
    : what(what),
      watched(watched_code(what, device)),
      code(watched ? watched->code : what.decoded()),
      how(how),
      device(device),
      memory(memory),
      cluster(how.cluster.value_or(Extent{})),
      random(device.seed ^ (how.number * 0x9e3779b97f4a7c15)),
      stack_nbytes(stack_of(code, how, device)),
      local_nbytes(local_of(code, stack_nbytes)),
      workspace(how.is_cooperative ? 2 : 0),
      constants(code.constant_nbytes),
      parameters(how.parameters.begin(), how.parameters.end()),
      known(code.code.size()),
      fills_up_loads(emulation::fills_up_loads(what.name())) {
  if (device.checks_global_races) {
    races = std::make_unique<GlobalRaces>(how.grid.count(), device.checks_races_in_blocks);
  }
  if (device.counts_requests) requests = std::make_unique<RequestCounter>(counted);
  for (const ConstantRow& row : code.constants) {
    fill_row(constants.data() + (row.to & ~1), row.nbytes, row.value);
  }
  for (const SpecialRow& row : code.specials) {
    if (row.what->by != Sharing::launch) continue;
    fill_row(constants.data() + (row.to & ~1), row.what->nbytes, row.what->value({row, *this}));
  }
}

LaunchState::~LaunchState() {
  if (printed_here) printed_here->show();
}

PrintedText& LaunchState::printed() {
  if (how.printed != nullptr) return *how.printed;
  if (!printed_here) printed_here = std::make_unique<PrintedText>();
  return *printed_here;
}

std::uint64_t LaunchState::grid_workspace() const noexcept {
  return workspace.empty() ? 0 : reinterpret_cast<std::uint64_t>(workspace.data());
}

Allocation LaunchState::find(std::uint64_t address) const {
  const std::uint64_t grids = grid_workspace();
  const std::uint64_t nbytes = workspace.size() * sizeof(std::uint64_t);
  if (address - grids < nbytes) return {grids, grids + nbytes};
  if (how.heap != nullptr && how.heap->contains(address)) return how.heap->find(address);
  return memory.find(address);
}

MemoryNear LaunchState::nearest(std::uint64_t address) const {
  if (how.heap != nullptr && how.heap->contains(address)) return how.heap->nearest(address);
  return memory.nearest(address);
}

std::uint32_t LaunchState::shared_bytes() const noexcept {
  return how.dynamic_shared_bytes == 0 ? code.static_shared_nbytes
                                       : code.dynamic_shared_offset + how.dynamic_shared_bytes;
}

Block::Block(LaunchState& of)
    : launched(of),
      shared(std::size_t{(of.shared_bytes() + shared_vector - 1) / shared_vector} * shared_vector),
      shared_nbytes(of.shared_bytes()),
      warps((of.how.block.count() + warp_size - 1) / warp_size),
      cluster_phases(warps.size() * warp_size),
      store_groups(warps.size() * warp_size),
      held(warps.size()),
      registers_(warps.size() * of.code.register_nbytes),
      local_(warps.size() * warp_size * of.local_nbytes,
             std::max<std::size_t>(128, of.code.local_alignment)) {
  if (!of.code.functions.empty()) calls = std::make_unique<CallStacks>(*this);
  if (of.how.is_cooperative) of.grid.push_back(this);
  if (of.cluster.count() > 1) of.peers.push_back(this);
  if (of.device.checks_shared_races) {
    races = std::make_unique<SharedRaces>(shared.size(), warps.size());
  }
  for (std::size_t k = 0; k < warps.size(); ++k) {
    Warp& one = warps[k];
    one.owner = this;
    one.number = static_cast<std::uint32_t>(k);
    one.banks = {registers_.data() + k * of.code.register_nbytes, of.constants.data()};
    one.local = local_.data() + k * warp_size * of.local_nbytes;
    const std::uint64_t threads =
        std::min<std::uint64_t>(warp_size, of.how.block.count() - k * warp_size);
    one.existing = threads == warp_size ? all_lanes : (lane_mask{1} << threads) - 1;
    fill_lanes(one);
  }
  if (of.watched) undefined = std::make_unique<UndefinedValues>(*this);
  watches_lanes = undefined || of.requests || of.device.holds_stores_back;
  watches_global_order = of.races || of.how.touched;
}

Block::~Block() = default;

void Block::start(std::uint64_t number) {
  if (races) races->synchronize();
  if (undefined) undefined->start();
  const Extent& grid = launched.how.grid;
  at = {static_cast<std::uint32_t>(number % grid.x),
        static_cast<std::uint32_t>(number / grid.x % grid.y),
        static_cast<std::uint32_t>(number / grid.x / grid.y)};
  std::memset(shared.data(), poison, shared.size());
  poison_frames();
  barriers = {};
  cluster_phase = 0;
  std::ranges::fill(cluster_phases, 0);
  std::ranges::fill(store_groups, 0);
  loads.clear();
  for (Warp& one : warps) start_warp(one);
}

void Block::poison_frames() {
  if (!calls) {
    std::memset(local_.data(), poison, local_.size());
    return;
  }
  // Those of functions are new in each call.
  for (std::size_t k = 0; k < warps.size() * warp_size; ++k) {
    std::memset(local_.data() + k * launched.local_nbytes, poison, launched.code.local_nbytes);
  }
}

void Block::start_warp(Warp& which) {
  which.alive = which.existing;
  which.at_barrier = 0;
  which.at_collective = 0;
  which.at.fill(launched.code.entry);
  if (calls) calls->start(which);
  which.carry.fill(0);
  which.copy_group.fill(0);
  which.copies.clear();
  which.takes_any_fragment = false;
  which.is_waiting = false;
  for (const UndefinedRow& row : launched.code.undefined) {
    std::memset(which.banks[0] + row.offset, poison, row.nbytes);
  }
  for (const SpecialRow& row : launched.code.specials) {
    if (row.what->by != Sharing::block) continue;
    const std::uint64_t value = row.what->value({row, launched, &which});
    fill_row(which.banks[0] + row.to, row.what->nbytes, value);
  }
}

std::uint32_t Block::alive_threads() const noexcept {
  std::uint32_t alive = 0;
  for (const Warp& one : warps) alive += static_cast<std::uint32_t>(std::popcount(one.alive));
  return alive;
}

bool Block::has_ended() const noexcept {
  return std::ranges::all_of(warps, [](const Warp& one) { return one.alive == 0; });
}

}  // namespace skerry::emulation
