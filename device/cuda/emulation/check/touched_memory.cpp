// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/check/touched_memory.hpp"

#include <algorithm>

#include "device/cuda/emulation/execute/block.hpp"

namespace skerry::emulation {

void touched_memory::note(const warp& on, lane_mask active, const lane_addresses& at,
                          memory_access access) {
  for_lanes(active, [&](int lane) {
    const std::uint64_t begin = at.at[static_cast<std::size_t>(lane)];
    if (!is_shared_or_local(on, begin)) note_bytes(begin, access);
  });
}

void touched_memory::note_bytes(std::uint64_t begin, memory_access access) {
  for (std::uint64_t address = begin; address < begin + access.nbytes; ++address) {
    page& in = pages_.at(address / page_nbytes);
    (access.writes ? in.written : in.read).set(address % page_nbytes);
  }
}

std::vector<allocation> touched_memory::ranges_of(byte_set page::* which) const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(pages_.all().size());
  for (const auto& [number, in] : pages_.all()) numbers.push_back(number);
  std::ranges::sort(numbers);
  std::vector<allocation> ranges;
  for (const std::uint64_t number : numbers) {
    const byte_set& bytes = (*pages_.all().at(number)).*which;
    for (std::size_t k = bytes._Find_first(); k < page_nbytes; k = bytes._Find_next(k)) {
      const std::uint64_t address = number * page_nbytes + k;
      if (ranges.empty() || ranges.back().end != address) ranges.push_back({address, address});
      ranges.back().end = address + 1;
    }
  }
  return ranges;
}

}  // namespace skerry::emulation
