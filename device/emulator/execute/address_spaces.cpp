// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/elementwise.hpp"

// Aliases of operations in control.cpp, and isspacep for the parameter space.
namespace skerry::emulation {
namespace {

void is_parameter(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  const auto& parameters = warp.owner->launch_state.parameters;
  const auto begin = reinterpret_cast<u64>(parameters.data());
  lane_mask mask = 0;
  for_lanes(active, [&](int lane) {
    mask |= lane_mask{addresses[lane] - begin < parameters.size()} << lane;
  });
  warp.set_predicate(instruction.destination[0], mask, active);
}

}  // namespace

void declare_address_spaces(OperationTable& table) {
  const auto rename = [&](std::initializer_list<std::string_view> alias_parts,
                          std::string_view opcode) {
    const Operation same = *table.find(opcode);
    table.add(alias_parts, same);
  };
  rename({"isspacep.shared::cta"}, "isspacep.shared");
  rename({"cvta.shared::cta.u64"}, "cvta.shared.u64");
  rename({"cvta.to.shared::cta.u64"}, "cvta.to.shared.u64");
  rename({"cvta.param::entry.u64"}, "cvta.param.u64");
  rename({"cvta.to.param::entry.u64"}, "cvta.to.param.u64");
  for (const std::string_view space : {"param", "param::entry"}) {
    table.add({"isspacep.", space},
              {.execute = is_parameter, .results = {predicate_nbytes}, .arguments = {8}});
  }
}

}  // namespace skerry::emulation
