// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/clusters.hpp"

#include <algorithm>
#include <string>

#include "device/cuda/emulation/execute/elementwise.hpp"
#include "device/cuda/emulation/execute/memory_access.hpp"

namespace skerry::emulation {

namespace {

/// For the shared address that a block has for its own, in the window of all.
[[nodiscard]] u64 in_window(std::uint32_t rank, u64 own) noexcept {
  return (u64{rank} + 1) * cluster_stride + own % cluster_stride;
}

[[nodiscard]] u64 shared_begin(const Block& of) noexcept {
  return reinterpret_cast<u64>(of.shared.data());
}

/// The address in another block's shared memory that is where `from` is in whatever it lies in.
template <class T, bool IsGeneric>
void map_address(Warp& on, const Instruction& what, lane_mask active) {
  const LaunchState& launched = on.owner->launched;
  const T* const from = on.values<const T>(what.source[0]);
  const u32* const ranks = on.values<const u32>(what.source[1]);
  T* const to = on.values<T>(what.destination[0]);
  for_lanes(active, [&](int lane) {
    const u32 rank = ranks[lane];
    if (rank >= launched.cluster.count()) {
      fault(code::illegal_instruction, lane,
            "block " + std::to_string(rank) + " of a cluster of " +
                std::to_string(launched.cluster.count()));
    }
    if constexpr (IsGeneric) {
      const Block* const in = block_at(launched, from[lane]);
      const u64 begin = shared_begin(in != nullptr ? *in : *on.owner);
      const Block& other = launched.peers.empty() ? *on.owner : *launched.peers[rank];
      to[lane] = static_cast<T>(from[lane] - begin + shared_begin(other));
    } else {
      to[lane] =
          static_cast<T>(launched.peers.empty() ? u64{from[lane]} : in_window(rank, from[lane]));
    }
  });
}

template <class T, bool IsGeneric>
void read_rank(Warp& on, const Instruction& what, lane_mask active) {
  const LaunchState& launched = on.owner->launched;
  const T* const from = on.values<const T>(what.source[0]);
  u32* const to = on.values<u32>(what.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in =
        IsGeneric ? block_at(launched, from[lane]) : block_in_window(launched, from[lane]);
    to[lane] = cluster_rank(in != nullptr ? *in : *on.owner);
  });
}

/// cvta, and back.
void make_generic(Warp& on, const Instruction& what, lane_mask active) {
  const u64* const from = on.values<const u64>(what.source[0]);
  u64* const to = on.values<u64>(what.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in = block_in_window(on.owner->launched, from[lane]);
    to[lane] = in != nullptr ? shared_begin(*in) + from[lane] % cluster_stride
                             : shared_begin(*on.owner) + from[lane];
  });
}
void make_shared(Warp& on, const Instruction& what, lane_mask active) {
  const u64* const from = on.values<const u64>(what.source[0]);
  u64* const to = on.values<u64>(what.destination[0]);
  for_lanes(active, [&](int lane) {
    const Block* const in = block_at(on.owner->launched, from[lane]);
    to[lane] = in != nullptr && in != on.owner
                   ? in_window(cluster_rank(*in), from[lane] - shared_begin(*in))
                   : from[lane] - shared_begin(*on.owner);
  });
}

void is_in_cluster(Warp& on, const Instruction& what, lane_mask active) {
  const u64* const from = on.values<const u64>(what.source[0]);
  const Block& own = *on.owner;
  lane_mask found = 0;
  for_lanes(active, [&](int lane) {
    const bool is_own = from[lane] - shared_begin(own) < own.shared_nbytes;
    found |= lane_mask{is_own || block_at(own.launched, from[lane]) != nullptr} << lane;
  });
  on.set_predicate(what.destination[0], found, active);
}

}  // namespace

std::uint64_t number_in_grid(std::uint64_t number, const Extent& grid,
                             const Extent& cluster) noexcept {
  const std::uint64_t size = cluster.count();
  if (size == 1) return number;
  const Extent inside = cluster.place_of(number % size);
  const Extent clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const Extent of = clusters.place_of(number / size);
  const std::uint64_t x = of.x * cluster.x + inside.x;
  const std::uint64_t y = of.y * cluster.y + inside.y;
  const std::uint64_t z = of.z * cluster.z + inside.z;
  return x + grid.x * (y + grid.y * z);
}

std::uint32_t cluster_rank(const Block& of) noexcept {
  const Extent& size = of.launched.cluster;
  return of.at.x % size.x + size.x * (of.at.y % size.y + size.y * (of.at.z % size.z));
}

Block* block_in_window(const LaunchState& of, std::uint64_t address) noexcept {
  const std::uint64_t place = address / cluster_stride;
  return place == 0 || place > of.peers.size() ? nullptr : of.peers[place - 1];
}

Block* block_at(const LaunchState& of, std::uint64_t address) noexcept {
  for (Block* const one : of.peers) {
    if (address - shared_begin(*one) < one->shared_nbytes) return one;
  }
  return nullptr;
}

bool is_shared_or_local(const Warp& on, std::uint64_t address) noexcept {
  const std::uint64_t frames = std::uint64_t{on.owner->launched.local_nbytes} * warp_size;
  return address - shared_begin(*on.owner) < on.owner->shared_nbytes ||
         address - reinterpret_cast<u64>(on.local) < frames ||
         block_at(on.owner->launched, address) != nullptr;
}

std::uint64_t without_shared_base(const Warp& on, std::uint64_t address) noexcept {
  const std::uint64_t shared = shared_begin(*on.owner);
  return address - shared < on.owner->shared_nbytes ? address - shared : address;
}

bool is_cluster_complete(const LaunchState& of) noexcept {
  return std::ranges::all_of(of.peers, [](const Block* one) {
    return one->barriers[cluster_barrier].arrived >= one->alive_threads();
  });
}

void declare_clusters(OperationTable& table) {
  table.add({"mapa.shared::cluster.u32"},
            {.run = map_address<u32, false>, .results = {4}, .arguments = {4, 4}});
  table.add({"mapa.shared::cluster.u64"},
            {.run = map_address<u64, false>, .results = {8}, .arguments = {8, 4}});
  table.add({"mapa.u64"}, {.run = map_address<u64, true>, .results = {8}, .arguments = {8, 4}});
  table.add({"getctarank.shared::cluster.u32"},
            {.run = read_rank<u32, false>, .results = {4}, .arguments = {4}});
  table.add({"getctarank.shared::cluster.u64"},
            {.run = read_rank<u64, false>, .results = {4}, .arguments = {8}});
  table.add({"getctarank.u64"}, {.run = read_rank<u64, true>, .results = {4}, .arguments = {8}});
  table.add({"cvta.shared::cluster.u64"}, {.run = make_generic, .results = {8}, .arguments = {8}});
  table.add({"cvta.to.shared::cluster.u64"},
            {.run = make_shared, .results = {8}, .arguments = {8}});
  table.add({"isspacep.shared::cluster"},
            {.run = is_in_cluster, .results = {predicate_size}, .arguments = {8}});
}

}  // namespace skerry::emulation
