// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/global_races.hpp"
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/memory_access.hpp"

namespace skerry::emulation {
namespace {

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, lane_mask /*active*/) {}

void fence(Warp& warp, const Instruction& /*instruction*/, lane_mask /*active*/) {
  release_stores(warp);
  if (warp.owner->launch_state.races) warp.owner->launch_state.races->fence(*warp.owner);
}

void give_way(Warp& warp, const Instruction& /*instruction*/, lane_mask /*active*/) {
  warp.is_waiting = true;
}

void active_lanes(Warp& warp, const Instruction& instruction, lane_mask active) {
  fill(warp.values<u32>(instruction.destination[0]), active, active);
}

/// The clock counts executed warp instructions, so that it is reproducible. They are counted when a
/// fragment ends: the readings are added, so that the clock advances within a fragment, too.
template <class T, int Shift>
void read_clock(Warp& warp, const Instruction& instruction, lane_mask active) {
  auto& state = warp.owner->launch_state;
  const auto now =
      static_cast<T>((state.counted.warp_instructions + ++state.clock_readings) >> Shift);
  fill(warp.values<T>(instruction.destination[0]), now, active);
}

enum class Window { shared, parameters };

/// Returns the generic address at which the state space begins.
template <Window Which>
[[nodiscard]] u64 base_of(const Warp& warp) {
  return reinterpret_cast<u64>(Which == Window::shared
                                   ? warp.owner->shared.data()
                                   : warp.owner->launch_state.parameters.data());
}

template <Window Which, auto Combined>
void move_by_base(Warp& warp, const Instruction& instruction, lane_mask active) {
  u64* const destination = warp.values<u64>(instruction.destination[0]);
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  for_lanes(active,
            [&](int lane) { destination[lane] = Combined(addresses[lane], base_of<Which>(warp)); });
}

template <Window Which>
void declare_window(OperationTable& table, std::string_view name) {
  const auto declare = [&](std::string_view opcode, handler function) {
    table.add({opcode, name, ".u64"}, {.execute = function, .results = {8}, .arguments = {8}});
  };
  declare("cvta.", move_by_base<Which, std::plus<>{}>);
  declare("cvta.to.", move_by_base<Which, std::minus<>{}>);
}

enum class StateSpace { shared, local, global };

template <StateSpace Space>
void is_in_space(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  const auto shared = reinterpret_cast<u64>(warp.owner->shared.data());
  const auto local = reinterpret_cast<u64>(warp.local);
  const u64 frames = u64{warp.owner->launch_state.local_nbytes} * warp_size;
  lane_mask mask = 0;
  for_lanes(active, [&](int lane) {
    const bool is_shared = addresses[lane] - shared < warp.owner->shared_nbytes;
    const bool is_local = addresses[lane] - local < frames;
    const bool is_it = Space == StateSpace::shared  ? is_shared
                       : Space == StateSpace::local ? is_local
                                                    : !is_shared && !is_local;
    mask |= lane_mask{is_it} << lane;
  });
  warp.set_predicate(instruction.destination[0], mask, active);
}

}  // namespace

void declare_control(OperationTable& table) {
  table.add({"exit"}, {.execute = nothing, .flow = Control::exit});
  table.add({"ret"}, {.execute = nothing, .flow = Control::exit});
  table.add({"ret.uni"}, {.execute = nothing, .flow = Control::exit});
  table.add({"trap"}, {.execute = nothing, .flow = Control::trap});
  // There is no debugger.
  table.add({"brkpt"}, {.execute = nothing});
  table.add({"nanosleep.u32"}, {.execute = give_way, .flow = Control::yielding, .arguments = {4}});
  table.add({"activemask.b32"}, {.execute = active_lanes, .results = {4}});
  table.add({clock_prefix, "low"}, {.execute = read_clock<u32, 0>, .results = {4}});
  table.add({clock_prefix, "high"}, {.execute = read_clock<u32, 32>, .results = {4}});
  table.add({clock_prefix, "whole"}, {.execute = read_clock<u64, 0>, .results = {8}});
  // No-ops: a dependent grid starts when this one has ended.
  table.add({"griddepcontrol.wait"}, {.execute = nothing});
  table.add({"griddepcontrol.launch_dependents"}, {.execute = nothing});
  for (const std::string_view name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys",
        "fence.sc.cluster", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
        "fence.acq_rel.cluster", "fence.proxy.async", "fence.proxy.async.shared::cta",
        "fence.proxy.async.global", "fence.proxy.alias", "fence.mbarrier_init.release.cluster"}) {
    table.add({name}, {.execute = fence});
  }
  declare_window<Window::shared>(table, "shared");
  declare_window<Window::parameters>(table, "param");
  const auto declare_space = [&](std::string_view name, handler function) {
    table.add({"isspacep.", name},
              {.execute = function, .results = {predicate_nbytes}, .arguments = {8}});
  };
  declare_space("shared", is_in_space<StateSpace::shared>);
  declare_space("local", is_in_space<StateSpace::local>);
  declare_space("global", is_in_space<StateSpace::global>);
}

}  // namespace skerry::emulation
