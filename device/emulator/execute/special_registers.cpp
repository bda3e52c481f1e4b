// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/emulator/execute/block.hpp"
#include "device/emulator/execute/clusters.hpp"

namespace skerry::emulation {
namespace {

using value = std::uint64_t;
using reader_ref = const SpecialReader&;

[[nodiscard]] lane_mask bit(reader_ref reader) { return lane_mask{1} << reader.lane; }

[[nodiscard]] const Extent& block_index(reader_ref reader) { return reader.warp->owner->index; }
[[nodiscard]] const Extent& grid(reader_ref reader) { return reader.launch_state.launch.grid; }
[[nodiscard]] const Extent& size(reader_ref reader) { return reader.launch_state.cluster; }

using enum Sharing;
constexpr SpecialRegister registers[] = {
    {"%tid.x", lane,
     [](reader_ref reader) { return value{reader.thread() % reader.launch_state.launch.block.x}; }},
    {"%tid.y", lane,
     [](reader_ref reader) {
       return value{reader.thread() / reader.launch_state.launch.block.x %
                    reader.launch_state.launch.block.y};
     }},
    {"%tid.z", lane,
     [](reader_ref reader) {
       return value{reader.thread() / reader.launch_state.launch.block.x /
                    reader.launch_state.launch.block.y};
     }},
    {"%ntid.x", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.block.x}; }},
    {"%ntid.y", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.block.y}; }},
    {"%ntid.z", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.block.z}; }},
    {"%ctaid.x", block, [](reader_ref reader) { return value{reader.warp->owner->index.x}; }},
    {"%ctaid.y", block, [](reader_ref reader) { return value{reader.warp->owner->index.y}; }},
    {"%ctaid.z", block, [](reader_ref reader) { return value{reader.warp->owner->index.z}; }},
    {"%nctaid.x", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.grid.x}; }},
    {"%nctaid.y", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.grid.y}; }},
    {"%nctaid.z", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.grid.z}; }},
    {"%laneid", lane, [](reader_ref reader) { return static_cast<value>(reader.lane); }},
    {"%warpid", lane, [](reader_ref reader) { return value{reader.warp->number}; }},
    {"%nwarpid", launch,
     [](reader_ref reader) {
       return value{reader.launch_state.device.threads_per_multiprocessor / warp_size};
     }},
    {"%lanemask_eq", lane, [](reader_ref reader) { return value{bit(reader)}; }},
    {"%lanemask_le", lane,
     [](reader_ref reader) { return value{bit(reader) | (bit(reader) - 1)}; }},
    {"%lanemask_lt", lane, [](reader_ref reader) { return value{bit(reader) - 1}; }},
    {"%lanemask_ge", lane, [](reader_ref reader) { return value{~(bit(reader) - 1)}; }},
    {"%lanemask_gt", lane,
     [](reader_ref reader) { return value{~(bit(reader) | (bit(reader) - 1))}; }},
    {"%smid", block,
     [](reader_ref reader) {
       const Extent& index = reader.warp->owner->index;
       const int count = std::max(1, reader.launch_state.device.multiprocessors);
       return value{(index.x + index.y + index.z) % static_cast<std::uint32_t>(count)};
     }},
    {"%nsmid", launch,
     [](reader_ref reader) {
       return static_cast<value>(reader.launch_state.device.multiprocessors);
     }},
    {"%gridid", launch, [](reader_ref reader) { return reader.launch_state.launch.number; }, 8},
    {"%dynamic_smem_size", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.dynamic_shared_bytes}; }},
    {"%total_smem_size", launch,
     [](reader_ref reader) { return value{reader.launch_state.shared_bytes()}; }},
    {"%clusterid.x", block,
     [](reader_ref reader) { return value{block_index(reader).x / size(reader).x}; }},
    {"%clusterid.y", block,
     [](reader_ref reader) { return value{block_index(reader).y / size(reader).y}; }},
    {"%clusterid.z", block,
     [](reader_ref reader) { return value{block_index(reader).z / size(reader).z}; }},
    {"%nclusterid.x", launch,
     [](reader_ref reader) { return value{grid(reader).x / size(reader).x}; }},
    {"%nclusterid.y", launch,
     [](reader_ref reader) { return value{grid(reader).y / size(reader).y}; }},
    {"%nclusterid.z", launch,
     [](reader_ref reader) { return value{grid(reader).z / size(reader).z}; }},
    {"%cluster_ctarank", block,
     [](reader_ref reader) { return value{cluster_rank(*reader.warp->owner)}; }},
    {"%cluster_nctarank", launch, [](reader_ref reader) { return size(reader).count(); }},
    {"%cluster_ctaid.x", block,
     [](reader_ref reader) { return value{block_index(reader).x % size(reader).x}; }},
    {"%cluster_ctaid.y", block,
     [](reader_ref reader) { return value{block_index(reader).y % size(reader).y}; }},
    {"%cluster_ctaid.z", block,
     [](reader_ref reader) { return value{block_index(reader).z % size(reader).z}; }},
    {"%cluster_nctaid.x", launch, [](reader_ref reader) { return value{size(reader).x}; }},
    {"%cluster_nctaid.y", launch, [](reader_ref reader) { return value{size(reader).y}; }},
    {"%cluster_nctaid.z", launch, [](reader_ref reader) { return value{size(reader).z}; }},
    {"%is_explicit_cluster", launch,
     [](reader_ref reader) { return value{reader.launch_state.launch.cluster.has_value()}; }},
    // Grid barriers that the compiler inlines find their workspace through these.
    {"%envreg1", launch,
     [](reader_ref reader) { return reader.launch_state.grid_workspace() >> 32; }},
    {"%envreg2", launch,
     [](reader_ref reader) { return reader.launch_state.grid_workspace() & 0xffffffff; }},
};

[[nodiscard]] value lane_frame_address(reader_ref reader) {
  return reinterpret_cast<value>(reader.warp->local) + reader.row.offset +
         static_cast<value>(reader.lane) * reader.launch_state.local_nbytes;
}

}  // namespace

constinit const SpecialRegister local_address{"", Sharing::lane, lane_frame_address, 8};
constinit const SpecialRegister frame_address{"", Sharing::lane, lane_frame_address, 8};
constinit const SpecialRegister variable_address{
    "", Sharing::launch,
    [](reader_ref reader) {
      return reader.launch_state.launch.variables[reader.row.index] + reader.row.offset;
    },
    8};

const SpecialRegister* find_special_register(std::string_view name) noexcept {
  const auto* const entry = std::ranges::find(registers, name, &SpecialRegister::name);
  return entry != std::end(registers) ? entry : nullptr;
}

}  // namespace skerry::emulation
