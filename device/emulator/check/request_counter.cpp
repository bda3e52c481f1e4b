// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/request_counter.hpp"

#include <algorithm>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint64_t sector_nbytes = 32;
constexpr std::size_t bank_count = 32;
constexpr std::uint32_t bank_nbytes = 4;
/// Bytes that all banks serve at once (CUDA C++ Programming Guide, shared memory of compute
/// capability 5.x and later). Wider accesses are split into requests of fewer lanes.
constexpr std::uint32_t wavefront_nbytes = bank_count * bank_nbytes;

/// Returns the lanes of `active` with an address in the `nbytes` bytes from `begin`.
[[nodiscard]] lane_mask lanes_within(lane_mask active, const LaneAddresses& addresses,
                                     const std::byte* begin, std::uint64_t nbytes) {
  const auto first = reinterpret_cast<std::uint64_t>(begin);
  lane_mask lanes = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    lanes |= lane_mask{addresses.values[lane] - first < nbytes} << lane;
  }
  return lanes & active;
}

/// Returns the largest number of distinct words in one bank.
[[nodiscard]] std::uint64_t wavefronts_of(lane_mask lanes, const LaneAddresses& addresses,
                                          std::uint32_t nbytes) {
  std::array<std::uint64_t, bank_count> words;  // enough for any group of lanes
  std::size_t count = 0;
  for_lanes(lanes, [&](int lane) {
    const std::uint64_t address = addresses.values[static_cast<std::size_t>(lane)];
    const std::uint64_t last = (address + nbytes - 1) / bank_nbytes;
    for (std::uint64_t word = address / bank_nbytes; word <= last; ++word) words[count++] = word;
  });
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<std::uint64_t, bank_count> words_per_bank{};
  std::for_each(words.begin(), end,
                [&](std::uint64_t word) { ++words_per_bank[word % bank_count]; });
  return *std::ranges::max_element(words_per_bank);
}

}  // namespace

bool SectorSet::insert(std::uint64_t sector) {
  std::uint64_t& bits = pages_.page_at(sector / sectors_per_page)[sector % sectors_per_page / 64];
  const std::uint64_t bit = std::uint64_t{1} << sector % 64;
  const bool is_new = (bits & bit) == 0;
  bits |= bit;
  return is_new;
}

void RequestCounter::note(const Warp& warp, lane_mask active, const LaneAddresses& addresses,
                          MemoryAccess access) {
  const Block& owner = *warp.owner;
  const lane_mask shared =
      lanes_within(active, addresses, owner.shared.data(), owner.shared_nbytes);
  const lane_mask local = lanes_within(active, addresses, warp.local,
                                       std::uint64_t{owner.launch_state.local_nbytes} * warp_size);
  if (shared != 0) note_shared(shared, addresses, access);
  if (local != 0) ++statistics_.local_requests;
  if (const lane_mask global = active & ~shared & ~local; global != 0) {
    note_global(global, addresses, access);
  }
}

void RequestCounter::note_bulk(const std::byte* pointer, MemoryAccess access) {
  if (access.nbytes == 0) return;
  GlobalRequests& counts = access.writes ? statistics_.stores : statistics_.loads;
  ++counts.requests;
  counts.nbytes += access.nbytes;
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  note_sectors(begin / sector_nbytes, (begin + access.nbytes - 1) / sector_nbytes, access.writes);
}

void RequestCounter::note_global(lane_mask active, const LaneAddresses& addresses,
                                 MemoryAccess access) {
  GlobalRequests& counts = access.writes ? statistics_.stores : statistics_.loads;
  ++counts.requests;
  counts.nbytes += std::uint64_t{access.nbytes} * static_cast<std::uint64_t>(std::popcount(active));
  // Accesses are aligned to their size and no wider than a sector.
  std::array<std::uint64_t, warp_size> sectors;
  std::size_t count = 0;
  for_lanes(active, [&](int lane) {
    sectors[count++] = addresses.values[static_cast<std::size_t>(lane)] / sector_nbytes;
  });
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(sectors.begin(), end)) std::sort(sectors.begin(), end);
  const auto distinct = std::unique(sectors.begin(), end);
  std::for_each(sectors.begin(), distinct,
                [&](std::uint64_t sector) { note_sectors(sector, sector, access.writes); });
}

void RequestCounter::note_shared(lane_mask active, const LaneAddresses& addresses,
                                 MemoryAccess access) {
  SharedRequests& counts = statistics_.shared;
  ++counts.requests;
  counts.nbytes += std::uint64_t{access.nbytes} * static_cast<std::uint64_t>(std::popcount(active));
  const std::uint32_t lanes = wavefront_nbytes / std::max(access.nbytes, bank_nbytes);
  const lane_mask first = lanes == warp_size ? all_lanes : (lane_mask{1} << lanes) - 1;
  for (std::uint32_t begin = 0; begin < warp_size; begin += lanes) {
    const lane_mask group = active & first << begin;
    if (group == 0) continue;
    const std::uint64_t wavefronts = wavefronts_of(group, addresses, access.nbytes);
    counts.wavefronts += wavefronts;
    counts.conflicts += wavefronts - 1;
  }
}

void RequestCounter::note_sectors(std::uint64_t first, std::uint64_t last, bool writes) {
  GlobalRequests& counts = writes ? statistics_.stores : statistics_.loads;
  SectorSet& visited_sectors = writes ? written_ : read_;
  counts.sectors += last - first + 1;
  for (std::uint64_t sector = first; sector <= last; ++sector) {
    counts.distinct_sectors += visited_sectors.insert(sector) ? 1 : 0;
  }
}

}  // namespace skerry::emulation
