// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/block.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "device/emulator/check/global_races.hpp"
#include "device/emulator/check/request_counter.hpp"
#include "device/emulator/check/shared_races.hpp"
#include "device/emulator/check/undefined_values.hpp"
#include "device/emulator/execute/calls.hpp"
#include "device/emulator/execute/heap.hpp"
#include "device/emulator/execute/printf_output.hpp"

namespace skerry::emulation {
namespace {

template <class T>
void fill_row(std::byte* destination, T value) {
  std::fill_n(reinterpret_cast<T*>(destination), warp_size, value);
}

void fill_row(std::byte* destination, std::uint8_t nbytes, std::uint64_t value) {
  switch (nbytes) {
    case 0:
      *reinterpret_cast<lane_mask*>(destination) = value != 0 ? all_lanes : 0;
      return;
    case 2:
      return fill_row(destination, static_cast<std::uint16_t>(value));
    case 4:
      return fill_row(destination, static_cast<std::uint32_t>(value));
    default:
      return fill_row(destination, value);
  }
}

/// Fills the special registers whose values differ between threads but not between blocks.
void fill_lanes(Warp& warp) {
  for (const SpecialRow& row : warp.owner->launch_state.program.specials) {
    if (row.special_register->sharing != Sharing::lane) continue;
    std::byte* destination = warp.banks[0] + row.destination;
    for (int lane = 0; lane < warp_size; ++lane, destination += row.special_register->nbytes) {
      const std::uint64_t value =
          row.special_register->value({row, warp.owner->launch_state, &warp, lane});
      std::memcpy(destination, &value, row.special_register->nbytes);
    }
  }
}

void run_watched(Warp& warp, const Instruction& instruction, lane_mask lanes) {
  warp.owner->undefined_values->run(warp, instruction, lanes);
}

/// Returns the stack size per lane, rounded up to the alignment of frames.
[[nodiscard]] std::uint32_t stack_of(const Program& program, const Launch& launch,
                                     const DeviceModel& device) {
  if (program.functions.empty()) return 0;
  const std::uint32_t requested_nbytes =
      launch.stack_bytes != 0 ? launch.stack_bytes : device.stack_bytes;
  return (requested_nbytes + program.local_alignment - 1) / program.local_alignment *
         program.local_alignment;
}

/// Returns the local memory per lane. It has room for the arguments of one more call: they are
/// written before the stack limit is checked.
[[nodiscard]] std::uint32_t local_of(const Program& program, std::uint32_t stack_nbytes) {
  if (program.functions.empty()) return program.local_nbytes;
  const std::uint32_t all = program.local_nbytes + stack_nbytes + program.argument_nbytes;
  return (all + program.local_alignment - 1) / program.local_alignment * program.local_alignment;
}

[[nodiscard]] std::unique_ptr<const InstrumentedProgram> watched_code(const Kernel& kernel,
                                                                      const DeviceModel& device) {
  if (!device.checks_undefined_values) return nullptr;
  return std::make_unique<const InstrumentedProgram>(kernel.decoded(), run_watched);
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

void fault(int code, int lane, std::string summary) {
  throw KernelFault{code, lane, std::move(summary)};
}

void fault(FailureKind kind, int lane, std::string summary) {
  throw KernelFault{code_of(kind), lane, std::move(summary), kind};
}

LaunchState::LaunchState(const Kernel& kernel, const Launch& launch, const DeviceModel& device,
                         const MemoryMap& memory)
    : kernel(kernel),
      instrumented(watched_code(kernel, device)),
      program(instrumented ? instrumented->program : kernel.decoded()),
      launch(launch),
      device(device),
      memory(memory),
      cluster(launch.cluster.value_or(Extent{})),
      random(device.seed ^ (launch.number * 0x9e3779b97f4a7c15)),
      stack_nbytes(stack_of(program, launch, device)),
      local_nbytes(local_of(program, stack_nbytes)),
      workspace(launch.is_cooperative ? 2 : 0),
      constants(program.constant_nbytes),
      parameters(launch.parameters.begin(), launch.parameters.end()),
      cached_allocations(program.instructions.size()),
      fills_up_loads(emulation::fills_up_loads(kernel.name())) {
  if (device.checks_global_races) {
    races = std::make_unique<GlobalRaces>(launch.grid.count(), device.checks_races_in_blocks);
  }
  if (device.counts_requests) requests = std::make_unique<RequestCounter>(counted);
  for (const ConstantRow& row : program.constants) {
    fill_row(constants.data() + (row.destination & ~1), row.nbytes, row.value);
  }
  for (const SpecialRow& row : program.specials) {
    if (row.special_register->sharing != Sharing::launch) continue;
    fill_row(constants.data() + (row.destination & ~1), row.special_register->nbytes,
             row.special_register->value({row, *this}));
  }
}

LaunchState::~LaunchState() {
  if (default_printf_output) default_printf_output->show();
}

PrintfOutput& LaunchState::printf_output() {
  if (launch.printf_output != nullptr) return *launch.printf_output;
  if (!default_printf_output) default_printf_output = std::make_unique<PrintfOutput>();
  return *default_printf_output;
}

std::uint64_t LaunchState::grid_workspace() const noexcept {
  return workspace.empty() ? 0 : reinterpret_cast<std::uint64_t>(workspace.data());
}

Allocation LaunchState::find(std::uint64_t address) const {
  const std::uint64_t grids = grid_workspace();
  const std::uint64_t nbytes = workspace.size() * sizeof(std::uint64_t);
  if (address - grids < nbytes) return {grids, grids + nbytes};
  if (launch.heap != nullptr && launch.heap->contains(address)) return launch.heap->find(address);
  return memory.find(address);
}

MemoryNear LaunchState::nearest(std::uint64_t address) const {
  if (launch.heap != nullptr && launch.heap->contains(address))
    return launch.heap->nearest(address);
  return memory.nearest(address);
}

std::uint32_t LaunchState::shared_bytes() const noexcept {
  return launch.dynamic_shared_bytes == 0
             ? program.static_shared_nbytes
             : program.dynamic_shared_offset + launch.dynamic_shared_bytes;
}

Block::Block(LaunchState& state)
    : launch_state(state),
      shared(std::size_t{(state.shared_bytes() + shared_vector - 1) / shared_vector} *
             shared_vector),
      shared_nbytes(state.shared_bytes()),
      warps((state.launch.block.count() + warp_size - 1) / warp_size),
      cluster_phases(warps.size() * warp_size),
      store_groups(warps.size() * warp_size),
      held_stores(warps.size()),
      registers_(warps.size() * state.program.register_nbytes),
      local_(warps.size() * warp_size * state.local_nbytes,
             std::max<std::size_t>(128, state.program.local_alignment)) {
  if (!state.program.functions.empty()) calls = std::make_unique<CallStacks>(*this);
  if (state.launch.is_cooperative) state.grid.push_back(this);
  if (state.cluster.count() > 1) state.peers.push_back(this);
  if (state.device.checks_shared_races) {
    races = std::make_unique<SharedRaces>(shared.size(), warps.size());
  }
  for (std::size_t k = 0; k < warps.size(); ++k) {
    Warp& one = warps[k];
    one.owner = this;
    one.number = static_cast<std::uint32_t>(k);
    one.banks = {registers_.data() + k * state.program.register_nbytes, state.constants.data()};
    one.local = local_.data() + k * warp_size * state.local_nbytes;
    const std::uint64_t threads =
        std::min<std::uint64_t>(warp_size, state.launch.block.count() - k * warp_size);
    one.existing = threads == warp_size ? all_lanes : (lane_mask{1} << threads) - 1;
    fill_lanes(one);
  }
  if (state.instrumented) undefined_values = std::make_unique<UndefinedValues>(*this);
  watches_lanes = undefined_values || state.requests || state.device.holds_stores_back;
  watches_global_order = state.races || state.launch.accessed_memory;
}

Block::~Block() = default;

void Block::start(std::uint64_t number) {
  if (races) races->synchronize();
  if (undefined_values) undefined_values->start();
  const Extent& grid = launch_state.launch.grid;
  index = {static_cast<std::uint32_t>(number % grid.x),
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
  // Frames of functions are poisoned at each call.
  for (std::size_t k = 0; k < warps.size() * warp_size; ++k) {
    std::memset(local_.data() + k * launch_state.local_nbytes, poison,
                launch_state.program.local_nbytes);
  }
}

void Block::start_warp(Warp& warp) {
  warp.alive = warp.existing;
  warp.at_barrier = 0;
  warp.at_collective = 0;
  warp.pc.fill(launch_state.program.entry);
  if (calls) calls->start(warp);
  warp.carry.fill(0);
  warp.copy_group.fill(0);
  warp.copies.clear();
  warp.takes_any_fragment = false;
  warp.is_waiting = false;
  for (const UndefinedRow& row : launch_state.program.undefined_rows) {
    std::memset(warp.banks[0] + row.offset, poison, row.nbytes);
  }
  for (const SpecialRow& row : launch_state.program.specials) {
    if (row.special_register->sharing != Sharing::block) continue;
    const std::uint64_t value = row.special_register->value({row, launch_state, &warp});
    fill_row(warp.banks[0] + row.destination, row.special_register->nbytes, value);
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
