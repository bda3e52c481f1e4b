// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/clusters.hpp"

#include <algorithm>
#include <string>

#include "device/emulator/execute/elementwise.hpp"
#include "device/emulator/execute/memory_access.hpp"

namespace skerry::emulation {

namespace {

/// Converts a block's own shared address to one in the window of the whole cluster.
[[nodiscard]] u64 in_window(std::uint32_t rank, u64 address) noexcept {
  return (u64{rank} + 1) * cluster_stride + address % cluster_stride;
}

[[nodiscard]] u64 shared_begin(const Block& block) noexcept {
  return reinterpret_cast<u64>(block.shared.data());
}

/// mapa: maps a shared address to the same offset in the shared memory of another block.
template <class T, bool IsGeneric>
void map_address(Warp& warp, const Instruction& instruction, lane_mask active) {
  const LaunchState& launch_state = warp.owner->launch_state;
  const T* const addresses = warp.values<const T>(instruction.source[0]);
  const u32* const ranks = warp.values<const u32>(instruction.source[1]);
  T* const destination = warp.values<T>(instruction.destination[0]);
  for_lanes(active, [&](int lane) {
    const u32 rank = ranks[lane];
    if (rank >= launch_state.cluster.count()) {
      fault(code::illegal_instruction, lane,
            "mapa: rank " + std::to_string(rank) + " is out of range in a cluster of size " +
                std::to_string(launch_state.cluster.count()));
    }
    if constexpr (IsGeneric) {
      const Block* const in = block_at(launch_state, addresses[lane]);
      const u64 begin = shared_begin(in != nullptr ? *in : *warp.owner);
      const Block& other = launch_state.peers.empty() ? *warp.owner : *launch_state.peers[rank];
      destination[lane] = static_cast<T>(addresses[lane] - begin + shared_begin(other));
    } else {
      destination[lane] = static_cast<T>(
          launch_state.peers.empty() ? u64{addresses[lane]} : in_window(rank, addresses[lane]));
    }
  });
}

template <class T, bool IsGeneric>
void read_rank(Warp& warp, const Instruction& instruction, lane_mask active) {
  const LaunchState& launch_state = warp.owner->launch_state;
  const T* const addresses = warp.values<const T>(instruction.source[0]);
  u32* const destination = warp.values<u32>(instruction.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in = IsGeneric ? block_at(launch_state, addresses[lane])
                                      : block_in_window(launch_state, addresses[lane]);
    destination[lane] = cluster_rank(in != nullptr ? *in : *warp.owner);
  });
}

/// cvta.shared::cluster; make_shared() is cvta.to.
void make_generic(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  u64* const destination = warp.values<u64>(instruction.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in = block_in_window(warp.owner->launch_state, addresses[lane]);
    destination[lane] = in != nullptr ? shared_begin(*in) + addresses[lane] % cluster_stride
                                      : shared_begin(*warp.owner) + addresses[lane];
  });
}
void make_shared(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  u64* const destination = warp.values<u64>(instruction.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in = block_at(warp.owner->launch_state, addresses[lane]);
    destination[lane] = in != nullptr && in != warp.owner
                            ? in_window(cluster_rank(*in), addresses[lane] - shared_begin(*in))
                            : addresses[lane] - shared_begin(*warp.owner);
  });
}

void is_in_cluster(Warp& warp, const Instruction& instruction, lane_mask active) {
  const u64* const addresses = warp.values<const u64>(instruction.source[0]);
  const Block& owner = *warp.owner;
  lane_mask mask = 0;
  for_lanes(active, [&](int lane) {
    const bool is_own = addresses[lane] - shared_begin(owner) < owner.shared_nbytes;
    mask |= lane_mask{is_own || block_at(owner.launch_state, addresses[lane]) != nullptr} << lane;
  });
  warp.set_predicate(instruction.destination[0], mask, active);
}

}  // namespace

std::uint64_t number_in_grid(std::uint64_t number, const Extent& grid,
                             const Extent& cluster) noexcept {
  const std::uint64_t size = cluster.count();
  if (size == 1) return number;
  const Extent inside = cluster.unravel_index(number % size);
  const Extent clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const Extent cluster_index = clusters.unravel_index(number / size);
  const std::uint64_t x = cluster_index.x * cluster.x + inside.x;
  const std::uint64_t y = cluster_index.y * cluster.y + inside.y;
  const std::uint64_t z = cluster_index.z * cluster.z + inside.z;
  return x + grid.x * (y + grid.y * z);
}

std::uint32_t cluster_rank(const Block& block) noexcept {
  const Extent& size = block.launch_state.cluster;
  return block.index.x % size.x +
         size.x * (block.index.y % size.y + size.y * (block.index.z % size.z));
}

Block* block_in_window(const LaunchState& state, std::uint64_t address) noexcept {
  const std::uint64_t window = address / cluster_stride;
  return window == 0 || window > state.peers.size() ? nullptr : state.peers[window - 1];
}

Block* block_at(const LaunchState& state, std::uint64_t address) noexcept {
  for (Block* const one : state.peers) {
    if (address - shared_begin(*one) < one->shared_nbytes) return one;
  }
  return nullptr;
}

bool is_shared_or_local(const Warp& warp, std::uint64_t address) noexcept {
  const std::uint64_t frames = std::uint64_t{warp.owner->launch_state.local_nbytes} * warp_size;
  return address - shared_begin(*warp.owner) < warp.owner->shared_nbytes ||
         address - reinterpret_cast<u64>(warp.local) < frames ||
         block_at(warp.owner->launch_state, address) != nullptr;
}

std::uint64_t without_shared_base(const Warp& warp, std::uint64_t address) noexcept {
  const std::uint64_t shared = shared_begin(*warp.owner);
  return address - shared < warp.owner->shared_nbytes ? address - shared : address;
}

bool is_cluster_complete(const LaunchState& state) noexcept {
  return std::ranges::all_of(state.peers, [](const Block* one) {
    return one->barriers[cluster_barrier].arrived >= one->alive_threads();
  });
}

void declare_clusters(OperationTable& table) {
  table.add({"mapa.shared::cluster.u32"},
            {.execute = map_address<u32, false>, .results = {4}, .arguments = {4, 4}});
  table.add({"mapa.shared::cluster.u64"},
            {.execute = map_address<u64, false>, .results = {8}, .arguments = {8, 4}});
  table.add({"mapa.u64"}, {.execute = map_address<u64, true>, .results = {8}, .arguments = {8, 4}});
  table.add({"getctarank.shared::cluster.u32"},
            {.execute = read_rank<u32, false>, .results = {4}, .arguments = {4}});
  table.add({"getctarank.shared::cluster.u64"},
            {.execute = read_rank<u64, false>, .results = {4}, .arguments = {8}});
  table.add({"getctarank.u64"},
            {.execute = read_rank<u64, true>, .results = {4}, .arguments = {8}});
  table.add({"cvta.shared::cluster.u64"},
            {.execute = make_generic, .results = {8}, .arguments = {8}});
  table.add({"cvta.to.shared::cluster.u64"},
            {.execute = make_shared, .results = {8}, .arguments = {8}});
  table.add({"isspacep.shared::cluster"},
            {.execute = is_in_cluster, .results = {predicate_nbytes}, .arguments = {8}});
}

}  // namespace skerry::emulation
