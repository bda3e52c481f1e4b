// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/memory_footprint.hpp"

#include <algorithm>
#include <bit>

#include "device/emulator/check/shadow_entries.hpp"
#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

void MemoryFootprint::note(const Warp& warp, lane_mask active, const LaneAddresses& addresses,
                           MemoryAccess access) {
  for_runs(addresses.values, active, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t begin = addresses.values[static_cast<std::size_t>(lane)];
    const auto nbytes = static_cast<std::uint32_t>(lanes) * access.nbytes;
    if (!is_shared_or_local(warp, begin)) note_bytes(begin, {nbytes, access.writes});
  });
}

void MemoryFootprint::note_bytes(std::uint64_t begin, MemoryAccess access) {
  const std::uint64_t end = begin + access.nbytes;
  for (std::uint64_t address = begin; address < end;) {
    const std::uint64_t base = address / page_nbytes * page_nbytes;
    const std::uint64_t last = std::min(end, base + page_nbytes);
    Page& in = pages_.page_at(address / page_nbytes);
    (access.writes ? in.written : in.read).set(address - base, last - base);
    address = last;
  }
}

void MemoryFootprint::ByteSet::set(std::uint64_t begin, std::uint64_t end) noexcept {
  while (begin < end) {
    const std::uint64_t count = std::min(end - begin, word_bits - begin % word_bits);
    const std::uint64_t ones = ~std::uint64_t{0} >> (word_bits - count);
    words_[begin / word_bits] |= ones << begin % word_bits;
    begin += count;
  }
}

std::uint64_t MemoryFootprint::ByteSet::next(std::uint64_t position, bool is_set) const noexcept {
  while (position < page_nbytes) {
    const std::uint64_t word = words_[position / word_bits];
    const std::uint64_t left = (is_set ? word : ~word) >> position % word_bits;
    if (left != 0) return position + static_cast<std::uint64_t>(std::countr_zero(left));
    position = (position / word_bits + 1) * word_bits;
  }
  return page_nbytes;
}

std::vector<Allocation> MemoryFootprint::ranges_of(ByteSet Page::* byte_set) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(pages_.all().size());
  for (const auto& [number, in] : pages_.all()) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::vector<Allocation> ranges;
  for (const std::uint64_t number : numbers) {
    const ByteSet& bytes = (*pages_.all().at(number)).*byte_set;
    const std::uint64_t base = number * page_nbytes;
    for (std::uint64_t k = bytes.next(0, true); k < page_nbytes; k = bytes.next(k, true)) {
      const std::uint64_t begin = base + k;
      k = bytes.next(k, false);
      if (ranges.empty() || ranges.back().end != begin) ranges.push_back({begin, begin});
      ranges.back().end = base + k;
    }
  }
  return ranges;
}

}  // namespace skerry::emulation
