// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/memory_footprint.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace skerry::emulation {
namespace {

constexpr std::uint64_t base = 0x7f0000000000;

std::vector<std::uint64_t> bytes_of(const std::vector<Allocation>& ranges) {
  std::vector<std::uint64_t> bytes;
  for (const Allocation& range : ranges) {
    for (std::uint64_t address = range.begin; address < range.end; ++address)
      bytes.push_back(address);
  }
  return bytes;
}

TEST(touched_memory_test, ranges_are_merged_across_pages) {
  MemoryFootprint all;
  all.note_bytes(base + 4000, {.nbytes = 5000, .writes = true});
  all.note_bytes(base + 9000, {.nbytes = 1, .writes = true});
  all.note_bytes(base + 9002, {.nbytes = 126, .writes = true});
  all.note_bytes(base, {.nbytes = 64, .writes = false});
  ASSERT_EQ(all.written().size(), 2U);
  EXPECT_EQ(all.written()[0].begin, base + 4000);
  EXPECT_EQ(all.written()[0].end, base + 9001);
  EXPECT_EQ(all.written()[1].begin, base + 9002);
  EXPECT_EQ(all.written()[1].end, base + 9128);
  EXPECT_EQ(bytes_of(all.read()).size(), 64U);
}

TEST(touched_memory_test, exactly_the_accessed_bytes_are_recorded) {
  std::minstd_rand numbers(3);
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(numbers);
  };
  for (int round = 0; round < 100; ++round) {
    MemoryFootprint all;
    std::vector<bool> is_accessed(20'000);
    // Many small accesses, whose ranges are merged from time to time, or few large ones.
    const bool are_small = round % 4 == 0;
    for (int k = 0; k < (are_small ? 12'000 : 40); ++k) {
      const std::uint32_t begin = below(19'000);
      const std::uint32_t nbytes = are_small ? 1 : 1 + below(below(2) == 0 ? 8 : 900);
      all.note_bytes(base + begin, {.nbytes = nbytes, .writes = false});
      for (std::uint32_t index = begin; index < begin + nbytes; ++index) is_accessed[index] = true;
    }
    std::vector<std::uint64_t> expected;
    for (std::size_t index = 0; index < is_accessed.size(); ++index) {
      if (is_accessed[index]) expected.push_back(base + index);
    }
    ASSERT_EQ(bytes_of(all.read()), expected);
    ASSERT_TRUE(all.written().empty());
  }
}

}  // namespace
}  // namespace skerry::emulation
