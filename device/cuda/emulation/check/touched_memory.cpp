// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/touched_memory.hpp"

#include <algorithm>
#include <bit>

#include "device/cuda/emulation/check/access_marks.hpp"
#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {

void TouchedMemory::note(const Warp& on, lane_mask active, const LaneAddresses& at,
                         MemoryAccess access) {
  for_runs(at.at, active, access.nbytes, [&](int lane, int lanes) {
    const std::uint64_t begin = at.at[static_cast<std::size_t>(lane)];
    const auto nbytes = static_cast<std::uint32_t>(lanes) * access.nbytes;
    if (!is_shared_or_local(on, begin)) note_bytes(begin, {nbytes, access.writes});
  });
}

void TouchedMemory::note_bytes(std::uint64_t begin, MemoryAccess access) {
  const std::uint64_t end = begin + access.nbytes;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t base = at / page_nbytes * page_nbytes;
    const std::uint64_t last = std::min(end, base + page_nbytes);
    Page& in = pages_.at(at / page_nbytes);
    (access.writes ? in.written : in.read).set(at - base, last - base);
    at = last;
  }
}

void TouchedMemory::ByteSet::set(std::uint64_t begin, std::uint64_t end) noexcept {
  while (begin < end) {
    const std::uint64_t count = std::min(end - begin, word_bits - begin % word_bits);
    const std::uint64_t ones = ~std::uint64_t{0} >> (word_bits - count);
    words_[begin / word_bits] |= ones << begin % word_bits;
    begin += count;
  }
}

std::uint64_t TouchedMemory::ByteSet::next(std::uint64_t from, bool is_set) const noexcept {
  while (from < page_nbytes) {
    const std::uint64_t word = words_[from / word_bits];
    const std::uint64_t left = (is_set ? word : ~word) >> from % word_bits;
    if (left != 0) return from + static_cast<std::uint64_t>(std::countr_zero(left));
    from = (from / word_bits + 1) * word_bits;
  }
  return page_nbytes;
}

std::vector<Allocation> TouchedMemory::ranges_of(ByteSet Page::* which) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(pages_.all().size());
  for (const auto& [number, in] : pages_.all()) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::vector<Allocation> ranges;
  for (const std::uint64_t number : numbers) {
    const ByteSet& bytes = (*pages_.all().at(number)).*which;
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
