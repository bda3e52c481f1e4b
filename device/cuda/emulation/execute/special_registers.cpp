// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cuda/emulation/execute/block.hpp"
#include "device/cuda/emulation/execute/clusters.hpp"

namespace skerry::emulation {
namespace {

using value = std::uint64_t;
using at = const SpecialReader&;

[[nodiscard]] lane_mask bit(at who) { return lane_mask{1} << who.lane; }

[[nodiscard]] const Extent& place(at who) { return who.on->owner->at; }
[[nodiscard]] const Extent& grid(at who) { return who.launched.how.grid; }
[[nodiscard]] const Extent& size(at who) { return who.launched.cluster; }

using enum Sharing;
constexpr SpecialRegister registers[] = {
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
       const Extent& place = who.on->owner->at;
       const int count = std::max(1, who.launched.device.multiprocessors);
       return value{(place.x + place.y + place.z) % static_cast<std::uint32_t>(count)};
     }},
    {"%nsmid", launch,
     [](at who) { return static_cast<value>(who.launched.device.multiprocessors); }},
    {"%gridid", launch, [](at who) { return who.launched.how.number; }, 8},
    {"%dynamic_smem_size", launch,
     [](at who) { return value{who.launched.how.dynamic_shared_bytes}; }},
    {"%total_smem_size", launch, [](at who) { return value{who.launched.shared_bytes()}; }},
    {"%clusterid.x", block, [](at who) { return value{place(who).x / size(who).x}; }},
    {"%clusterid.y", block, [](at who) { return value{place(who).y / size(who).y}; }},
    {"%clusterid.z", block, [](at who) { return value{place(who).z / size(who).z}; }},
    {"%nclusterid.x", launch, [](at who) { return value{grid(who).x / size(who).x}; }},
    {"%nclusterid.y", launch, [](at who) { return value{grid(who).y / size(who).y}; }},
    {"%nclusterid.z", launch, [](at who) { return value{grid(who).z / size(who).z}; }},
    {"%cluster_ctarank", block, [](at who) { return value{cluster_rank(*who.on->owner)}; }},
    {"%cluster_nctarank", launch, [](at who) { return size(who).count(); }},
    {"%cluster_ctaid.x", block, [](at who) { return value{place(who).x % size(who).x}; }},
    {"%cluster_ctaid.y", block, [](at who) { return value{place(who).y % size(who).y}; }},
    {"%cluster_ctaid.z", block, [](at who) { return value{place(who).z % size(who).z}; }},
    {"%cluster_nctaid.x", launch, [](at who) { return value{size(who).x}; }},
    {"%cluster_nctaid.y", launch, [](at who) { return value{size(who).y}; }},
    {"%cluster_nctaid.z", launch, [](at who) { return value{size(who).z}; }},
    {"%is_explicit_cluster", launch,
     [](at who) { return value{who.launched.how.cluster.has_value()}; }},
    // What grid barriers that the compiler puts in the place of a call find their memory by.
    {"%envreg1", launch, [](at who) { return who.launched.grid_workspace() >> 32; }},
    {"%envreg2", launch, [](at who) { return who.launched.grid_workspace() & 0xffffffff; }},
};

[[nodiscard]] value place_of_frame(at who) {
  return reinterpret_cast<value>(who.on->local) + who.row.offset +
         static_cast<value>(who.lane) * who.launched.local_nbytes;
}

}  // namespace

constinit const SpecialRegister local_address{"", Sharing::lane, place_of_frame, 8};
constinit const SpecialRegister frame_address{"", Sharing::lane, place_of_frame, 8};
constinit const SpecialRegister variable_address{
    "", Sharing::launch,
    [](at who) { return who.launched.how.variables[who.row.index] + who.row.offset; }, 8};

const SpecialRegister* find_special_register(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(registers, name, &SpecialRegister::name);
  return found != std::end(registers) ? found : nullptr;
}

}  // namespace skerry::emulation
