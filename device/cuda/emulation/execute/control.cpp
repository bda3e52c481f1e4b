// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/global_races.hpp"
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"

namespace skerry::emulation {
namespace {

void nothing(Warp& /*on*/, const Instruction& /*what*/, lane_mask /*active*/) {}

void fence(Warp& on, const Instruction& /*what*/, lane_mask /*active*/) {
  release_stores(on);
  if (on.owner->launched.races) on.owner->launched.races->fence(*on.owner);
}

void give_way(Warp& on, const Instruction& /*what*/, lane_mask /*active*/) { on.is_waiting = true; }

void active_lanes(Warp& on, const Instruction& what, lane_mask active) {
  fill(on.values<u32>(what.destination[0]), active, active);
}

/// Time goes by instructions, so that it repeats.
template <class T, int Shift>
void read_clock(Warp& on, const Instruction& what, lane_mask active) {
  const auto now = static_cast<T>(on.owner->launched.counted.warp_instructions >> Shift);
  fill(on.values<T>(what.destination[0]), now, active);
}

enum class Window { shared, parameters };

/// Where addresses of a space of their own begin among the generic ones.
template <Window Which>
[[nodiscard]] u64 base_of(const Warp& on) {
  return reinterpret_cast<u64>(Which == Window::shared ? on.owner->shared.data()
                                                       : on.owner->launched.parameters.data());
}

template <Window Which, auto Combined>
void move_by_base(Warp& on, const Instruction& what, lane_mask active) {
  u64* const to = on.values<u64>(what.destination[0]);
  const u64* const from = on.values<const u64>(what.source[0]);
  for_lanes(active, [&](int lane) { to[lane] = Combined(from[lane], base_of<Which>(on)); });
}

template <Window Which>
void declare_window(OperationTable& table, std::string_view name) {
  const auto declare = [&](std::string_view opcode, handler run) {
    table.add({opcode, name, ".u64"}, {.run = run, .results = {8}, .arguments = {8}});
  };
  declare("cvta.", move_by_base<Which, std::plus<>{}>);
  declare("cvta.to.", move_by_base<Which, std::minus<>{}>);
}

enum class AskedSpace { shared, local, global };

template <AskedSpace Space>
void is_in_space(Warp& on, const Instruction& what, lane_mask active) {
  const u64* const from = on.values<const u64>(what.source[0]);
  const auto shared = reinterpret_cast<u64>(on.owner->shared.data());
  const auto local = reinterpret_cast<u64>(on.local);
  const u64 frames = u64{on.owner->launched.local_nbytes} * warp_size;
  lane_mask found = 0;
  for_lanes(active, [&](int lane) {
    const bool is_shared = from[lane] - shared < on.owner->shared_nbytes;
    const bool is_local = from[lane] - local < frames;
    const bool is_it = Space == AskedSpace::shared  ? is_shared
                       : Space == AskedSpace::local ? is_local
                                                    : !is_shared && !is_local;
    found |= lane_mask{is_it} << lane;
  });
  on.set_predicate(what.destination[0], found, active);
}

}  // namespace

void declare_control(OperationTable& table) {
  table.add({"exit"}, {.run = nothing, .flow = Control::exit});
  table.add({"ret"}, {.run = nothing, .flow = Control::exit});
  table.add({"ret.uni"}, {.run = nothing, .flow = Control::exit});
  table.add({"trap"}, {.run = nothing, .flow = Control::trap});
  // Nobody debugs it.
  table.add({"brkpt"}, {.run = nothing});
  table.add({"nanosleep.u32"}, {.run = give_way, .flow = Control::yielding, .arguments = {4}});
  table.add({"activemask.b32"}, {.run = active_lanes, .results = {4}});
  table.add({clock_prefix, "low"}, {.run = read_clock<u32, 0>, .results = {4}});
  table.add({clock_prefix, "high"}, {.run = read_clock<u32, 32>, .results = {4}});
  table.add({clock_prefix, "whole"}, {.run = read_clock<u64, 0>, .results = {8}});
  // The next grid starts when this one has ended.
  table.add({"griddepcontrol.wait"}, {.run = nothing});
  table.add({"griddepcontrol.launch_dependents"}, {.run = nothing});
  for (const std::string_view name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys",
        "fence.sc.cluster", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
        "fence.acq_rel.cluster", "fence.proxy.async", "fence.proxy.async.shared::cta",
        "fence.proxy.async.global", "fence.proxy.alias", "fence.mbarrier_init.release.cluster"}) {
    table.add({name}, {.run = fence});
  }
  declare_window<Window::shared>(table, "shared");
  declare_window<Window::parameters>(table, "param");
  const auto declare_space = [&](std::string_view name, handler run) {
    table.add({"isspacep.", name}, {.run = run, .results = {predicate_size}, .arguments = {8}});
  };
  declare_space("shared", is_in_space<AskedSpace::shared>);
  declare_space("local", is_in_space<AskedSpace::local>);
  declare_space("global", is_in_space<AskedSpace::global>);
}

}  // namespace skerry::emulation
