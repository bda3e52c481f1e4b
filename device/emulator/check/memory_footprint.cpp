// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/memory_footprint.hpp"

#include <algorithm>
#include <utility>

#include "device/emulator/check/shadow_entries.hpp"
#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

void MemoryFootprint::note(const Warp& warp, const Instruction& instruction, lane_mask active,
                           const LaneAddresses& addresses, MemoryAccess access) {
  for_runs(addresses.values, active, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t begin = addresses.values[static_cast<std::size_t>(lane)];
    const auto nbytes = static_cast<std::uint32_t>(lanes) * access.nbytes;
    if (is_shared_or_local(warp, begin)) return;
    note_bytes(begin, {nbytes, access.writes}, instruction.is_strong);
  });
}

void MemoryFootprint::ByteRanges::replace_growing(const Allocation& range) {
  Allocation& replaced = growing_[oldest_];
  oldest_ = (oldest_ + 1) % growing_.size();
  const Allocation ended = std::exchange(replaced, range);
  if (ended.begin == ended.end) return;
  all_.push_back(ended);
  if (all_.size() >= limit_) merge();
}

void MemoryFootprint::ByteRanges::merge() {
  std::ranges::sort(all_, {}, &Allocation::begin);
  std::size_t count = 0;
  for (const Allocation& range : all_) {
    if (count != 0 && range.begin <= all_[count - 1].end) {
      all_[count - 1].end = std::max(all_[count - 1].end, range.end);
    } else {
      all_[count++] = range;
    }
  }
  all_.resize(count);
  limit_ = std::max(min_limit, 2 * count);
}

std::vector<Allocation> MemoryFootprint::ByteRanges::merged() {
  for (std::size_t k = 0; k < growing_.size(); ++k) replace_growing({});
  merge();
  return all_;
}

}  // namespace skerry::emulation
