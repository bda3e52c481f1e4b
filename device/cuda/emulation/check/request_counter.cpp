// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/request_counter.hpp"

#include <algorithm>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {
namespace {

constexpr std::uint64_t sector_nbytes = 32;
constexpr std::size_t banks = 32;
constexpr std::uint32_t bank_nbytes = 4;
/// What all banks answer at once: CUDA C++ Programming Guide, shared memory of compute capability
/// 5.x and later. Wider accesses are made of as many requests of fewer lanes.
constexpr std::uint32_t wavefront_nbytes = banks * bank_nbytes;

/// The lanes of `active` whose address lies in `nbytes` bytes from `begin`.
[[nodiscard]] lane_mask lanes_within(lane_mask active, const LaneAddresses& at,
                                     const std::byte* begin, std::uint64_t nbytes) {
  const auto first = reinterpret_cast<std::uint64_t>(begin);
  lane_mask found = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    found |= lane_mask{at.at[lane] - first < nbytes} << lane;
  }
  return found & active;
}

/// How often the busiest bank is asked for a word that it has not yet given.
[[nodiscard]] std::uint64_t wavefronts_of(lane_mask lanes, const LaneAddresses& at,
                                          std::uint32_t nbytes) {
  std::array<std::uint64_t, banks> words;  // a group of lanes has no more
  std::size_t count = 0;
  for_lanes(lanes, [&](int lane) {
    const std::uint64_t address = at.at[static_cast<std::size_t>(lane)];
    const std::uint64_t last = (address + nbytes - 1) / bank_nbytes;
    for (std::uint64_t word = address / bank_nbytes; word <= last; ++word) words[count++] = word;
  });
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<std::uint64_t, banks> asked{};
  std::for_each(words.begin(), end, [&](std::uint64_t word) { ++asked[word % banks]; });
  return *std::ranges::max_element(asked);
}

}  // namespace

bool SectorSet::insert(std::uint64_t sector) {
  std::uint64_t& bits = pages_.at(sector / of_page)[sector % of_page / 64];
  const std::uint64_t bit = std::uint64_t{1} << sector % 64;
  const bool is_new = (bits & bit) == 0;
  bits |= bit;
  return is_new;
}

void RequestCounter::note(const Warp& on, lane_mask active, const LaneAddresses& at,
                          MemoryAccess access) {
  const Block& owner = *on.owner;
  const lane_mask shared = lanes_within(active, at, owner.shared.data(), owner.shared_nbytes);
  const lane_mask local =
      lanes_within(active, at, on.local, std::uint64_t{owner.launched.local_nbytes} * warp_size);
  if (shared != 0) note_shared(shared, at, access);
  if (local != 0) ++into_.local_requests;
  if (const lane_mask global = active & ~shared & ~local; global != 0) {
    note_global(global, at, access);
  }
}

void RequestCounter::note_bulk(const std::byte* at, MemoryAccess access) {
  if (access.nbytes == 0) return;
  GlobalRequests& into = access.writes ? into_.stores : into_.loads;
  ++into.requests;
  into.nbytes += access.nbytes;
  const auto begin = reinterpret_cast<std::uint64_t>(at);
  note_sectors(begin / sector_nbytes, (begin + access.nbytes - 1) / sector_nbytes, access.writes);
}

void RequestCounter::note_global(lane_mask active, const LaneAddresses& at, MemoryAccess access) {
  GlobalRequests& into = access.writes ? into_.stores : into_.loads;
  ++into.requests;
  into.nbytes += std::uint64_t{access.nbytes} * static_cast<std::uint64_t>(std::popcount(active));
  // An access is aligned to its size, and none is wider than a sector.
  std::array<std::uint64_t, warp_size> sectors;
  std::size_t count = 0;
  for_lanes(active, [&](int lane) {
    sectors[count++] = at.at[static_cast<std::size_t>(lane)] / sector_nbytes;
  });
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(sectors.begin(), end)) std::sort(sectors.begin(), end);
  const auto distinct = std::unique(sectors.begin(), end);
  std::for_each(sectors.begin(), distinct,
                [&](std::uint64_t sector) { note_sectors(sector, sector, access.writes); });
}

void RequestCounter::note_shared(lane_mask active, const LaneAddresses& at, MemoryAccess access) {
  SharedRequests& into = into_.shared;
  ++into.requests;
  into.nbytes += std::uint64_t{access.nbytes} * static_cast<std::uint64_t>(std::popcount(active));
  const std::uint32_t lanes = wavefront_nbytes / std::max(access.nbytes, bank_nbytes);
  const lane_mask first = lanes == warp_size ? all_lanes : (lane_mask{1} << lanes) - 1;
  for (std::uint32_t begin = 0; begin < warp_size; begin += lanes) {
    const lane_mask group = active & first << begin;
    if (group == 0) continue;
    const std::uint64_t wavefronts = wavefronts_of(group, at, access.nbytes);
    into.wavefronts += wavefronts;
    into.conflicts += wavefronts - 1;
  }
}

void RequestCounter::note_sectors(std::uint64_t first, std::uint64_t last, bool writes) {
  GlobalRequests& into = writes ? into_.stores : into_.loads;
  SectorSet& known = writes ? written_ : read_;
  into.sectors += last - first + 1;
  for (std::uint64_t sector = first; sector <= last; ++sector) {
    into.distinct_sectors += known.insert(sector) ? 1 : 0;
  }
}

}  // namespace skerry::emulation
