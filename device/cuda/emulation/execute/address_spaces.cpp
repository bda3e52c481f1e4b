// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/elementwise.hpp"

// More names of what control.cpp declares, and the space of parameters.
namespace skerry::emulation {
namespace {

void is_parameter(Warp& on, const Instruction& what, lane_mask active) {
  const u64* const from = on.values<const u64>(what.source[0]);
  const auto& parameters = on.owner->launched.parameters;
  const auto begin = reinterpret_cast<u64>(parameters.data());
  lane_mask found = 0;
  for_lanes(active,
            [&](int lane) { found |= lane_mask{from[lane] - begin < parameters.size()} << lane; });
  on.set_predicate(what.destination[0], found, active);
}

}  // namespace

void declare_address_spaces(OperationTable& table) {
  const auto rename = [&](std::initializer_list<std::string_view> to, std::string_view from) {
    const Operation same = *table.find(from);
    table.add(to, same);
  };
  rename({"isspacep.shared::cta"}, "isspacep.shared");
  rename({"cvta.shared::cta.u64"}, "cvta.shared.u64");
  rename({"cvta.to.shared::cta.u64"}, "cvta.to.shared.u64");
  rename({"cvta.param::entry.u64"}, "cvta.param.u64");
  rename({"cvta.to.param::entry.u64"}, "cvta.to.param.u64");
  for (const std::string_view space : {"param", "param::entry"}) {
    table.add({"isspacep.", space},
              {.run = is_parameter, .results = {predicate_size}, .arguments = {8}});
  }
}

}  // namespace skerry::emulation
