// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "device/emulator/execute/operation.hpp"
#include "device/emulator/execute/warp.hpp"

// Fences, prefetches and cache policies. Every fence orders all of memory, and there are no caches.
namespace skerry::emulation {
namespace {

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, lane_mask /*active*/) {}

/// Cache policies are ignored, so their value is 0. Size is that of the operand.
template <std::uint8_t Size>
void make_policy(Warp& warp, const Instruction& instruction, lane_mask active) {
  auto* const destination = warp.values<std::uint64_t>(instruction.destination[0]);
  for_lanes(active, [&](int lane) { destination[lane] = 0; });
}

}  // namespace

void declare_fences(OperationTable& table) {
  const Operation fence = *table.find("membar.gl");
  for (const std::string_view order : {"acquire", "release"}) {
    for (const std::string_view scope : {"cta", "cluster", "gpu", "sys"}) {
      table.add({"fence.", order, ".", scope}, fence);
    }
  }
  table.add({"fence.proxy.async.shared::cluster"}, fence);
  table.add({"membar.proxy.alias"}, fence);
  for (const std::string_view name :
       {"prefetch.L1", "prefetch.L2", "prefetch.global.L1", "prefetch.global.L2",
        "prefetch.local.L1", "prefetch.local.L2", "prefetch.global.L2::evict_last",
        "prefetch.global.L2::evict_normal", "prefetchu.L1"}) {
    table.add({hint_prefix, name}, {.execute = nothing});
  }
  for (const std::string_view space : {"", ".global"}) {
    table.add({hint_prefix, "discard", space, ".L2"}, {.execute = nothing});
    table.add({hint_prefix, "applypriority", space, ".L2::evict_normal"}, {.execute = nothing});
  }
  for (const std::string_view first :
       {"evict_last", "evict_normal", "evict_first", "evict_unchanged"}) {
    const Operation policy{
        .execute = make_policy<4>, .results = {8}, .arguments = {4}, .optional_arguments = 1};
    table.add({"createpolicy.fractional.L2::", first, ".b64"}, policy);
    for (const std::string_view second : {"evict_first", "evict_unchanged"}) {
      table.add({"createpolicy.fractional.L2::", first, ".L2::", second, ".b64"}, policy);
    }
  }
  table.add({"createpolicy.cvt.L2.b64"},
            {.execute = make_policy<8>, .results = {8}, .arguments = {8}});
}

}  // namespace skerry::emulation
