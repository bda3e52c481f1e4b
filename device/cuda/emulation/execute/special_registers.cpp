// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

using value = std::uint64_t;
using at = const special_reader&;

[[nodiscard]] lane_mask bit(at who) { return lane_mask{1} << who.lane; }

constexpr auto zero = [](at) { return value{0}; };
constexpr auto one = [](at) { return value{1}; };

using enum sharing;
constexpr special_register registers[] = {
    {"%tid.x", lane, [](at who) { return value{who.thread() % who.launched.how.block.x}; }},
    {"%tid.y", lane,
     [](at who) {
       return value{who.thread() / who.launched.how.block.x % who.launched.how.block.y};
     }},
    {"%tid.z", lane,
     [](at who) {
       return value{who.thread() / who.launched.how.block.x / who.launched.how.block.y};
     }},
    {"%ntid.x", launch, [](at who) { return value{who.launched.how.block.x}; }},
    {"%ntid.y", launch, [](at who) { return value{who.launched.how.block.y}; }},
    {"%ntid.z", launch, [](at who) { return value{who.launched.how.block.z}; }},
    {"%ctaid.x", block, [](at who) { return value{who.on->owner->at.x}; }},
    {"%ctaid.y", block, [](at who) { return value{who.on->owner->at.y}; }},
    {"%ctaid.z", block, [](at who) { return value{who.on->owner->at.z}; }},
    {"%nctaid.x", launch, [](at who) { return value{who.launched.how.grid.x}; }},
    {"%nctaid.y", launch, [](at who) { return value{who.launched.how.grid.y}; }},
    {"%nctaid.z", launch, [](at who) { return value{who.launched.how.grid.z}; }},
    {"%laneid", lane, [](at who) { return static_cast<value>(who.lane); }},
    {"%warpid", lane, [](at who) { return value{who.on->number}; }},
    {"%nwarpid", launch,
     [](at who) { return value{who.launched.device.threads_per_multiprocessor / warp_size}; }},
    {"%lanemask_eq", lane, [](at who) { return value{bit(who)}; }},
    {"%lanemask_le", lane, [](at who) { return value{bit(who) | (bit(who) - 1)}; }},
    {"%lanemask_lt", lane, [](at who) { return value{bit(who) - 1}; }},
    {"%lanemask_ge", lane, [](at who) { return value{~(bit(who) - 1)}; }},
    {"%lanemask_gt", lane, [](at who) { return value{~(bit(who) | (bit(who) - 1))}; }},
    {"%smid", block,
     [](at who) {
       const extent& place = who.on->owner->at;
       const int count = std::max(1, who.launched.device.multiprocessors);
       return value{(place.x + place.y + place.z) % static_cast<std::uint32_t>(count)};
     }},
    {"%nsmid", launch,
     [](at who) { return static_cast<value>(who.launched.device.multiprocessors); }},
    {"%gridid", launch, [](at who) { return who.launched.how.number; }, 8},
    {"%dynamic_smem_size", launch,
     [](at who) { return value{who.launched.how.dynamic_shared_bytes}; }},
    {"%total_smem_size", launch, [](at who) { return value{who.launched.shared_bytes()}; }},
    // A cluster is one block.
    {"%clusterid.x", block, [](at who) { return value{who.on->owner->at.x}; }},
    {"%clusterid.y", block, [](at who) { return value{who.on->owner->at.y}; }},
    {"%clusterid.z", block, [](at who) { return value{who.on->owner->at.z}; }},
    {"%nclusterid.x", launch, [](at who) { return value{who.launched.how.grid.x}; }},
    {"%nclusterid.y", launch, [](at who) { return value{who.launched.how.grid.y}; }},
    {"%nclusterid.z", launch, [](at who) { return value{who.launched.how.grid.z}; }},
    {"%cluster_ctarank", launch, zero},
    {"%cluster_nctarank", launch, one},
    {"%cluster_ctaid.x", launch, zero},
    {"%cluster_ctaid.y", launch, zero},
    {"%cluster_ctaid.z", launch, zero},
    {"%cluster_nctaid.x", launch, one},
    {"%cluster_nctaid.y", launch, one},
    {"%cluster_nctaid.z", launch, one},
    {"%is_explicit_cluster", launch, zero},
    // What grid barriers that the compiler puts in the place of a call find their memory by.
    {"%envreg1", launch, [](at who) { return who.launched.grid_workspace() >> 32; }},
    {"%envreg2", launch, [](at who) { return who.launched.grid_workspace() & 0xffffffff; }},
};

[[nodiscard]] value place_of_frame(at who) {
  return reinterpret_cast<value>(who.on->local) + who.row.offset +
         static_cast<value>(who.lane) * who.launched.local_nbytes;
}

}  // namespace

constinit const special_register local_address{"", sharing::lane, place_of_frame, 8};
constinit const special_register frame_address{"", sharing::lane, place_of_frame, 8};
constinit const special_register variable_address{
    "", sharing::launch,
    [](at who) { return who.launched.how.variables[who.row.index] + who.row.offset; }, 8};

const special_register* find_special_register(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(registers, name, &special_register::name);
  return found != std::end(registers) ? found : nullptr;
}

}  // namespace skerry::emulation
