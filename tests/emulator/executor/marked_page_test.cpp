// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/marked_page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

namespace skerry::emulation {
namespace {

using access_reports = std::vector<std::tuple<std::uint64_t, bool, std::size_t>>;

/// Order of accesses: for each block, the times up to which accesses of the other blocks are
/// ordered before its own, and the time of its last barrier.
struct order_of_blocks {
  static constexpr std::uint32_t count = 3;
  std::array<std::array<std::uint32_t, count>, count> known_times{};
  std::array<std::uint32_t, count> met{};

  bool operator()(ShadowEntry one, ShadowEntry now) const {
    if (one.block() != now.block()) return known_times[now.block()][one.block()] >= one.time();
    return one.thread() == now.thread() || one.time() < met[now.block()];
  }
};

struct ByteRun {
  std::size_t word = 0;
  std::size_t of_lane = 1;
  std::size_t lanes = 32;
};

/// Records accesses of several lanes as GlobalRaces does: by the fast path or, if that returns
/// false, lane by lane.
template <class Marks>
void note_run(Marks& in, const ByteRun& byte_run, ShadowEntry now, bool writes,
              const order_of_blocks& order, access_reports& reports) {
  if (in.note_run(byte_run.word, byte_run.of_lane, byte_run.lanes, now, writes, order)) return;
  for (std::size_t lane = 0; lane < byte_run.lanes; ++lane) {
    const std::size_t begin = 4 * (byte_run.word + lane * byte_run.of_lane);
    in.note(begin, begin + 4 * byte_run.of_lane, now.of_lane(lane), writes, order,
            [&](ShadowEntry one, bool is_write, std::size_t byte) {
              reports.emplace_back(one.bits(), is_write, byte);
            });
  }
}

class RandomAccesses {
 public:
  explicit RandomAccesses(unsigned seed) : numbers_(seed) {}

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(numbers_);
  }
  ByteRun next_run() {
    const std::size_t of_lane = std::size_t{1} << below(3);
    const std::size_t max_lanes = MarkedLine::words / of_lane;
    if (below(4) != 0) return {0, of_lane, max_lanes};
    const std::size_t first = below(static_cast<std::uint32_t>(max_lanes));
    return {first * of_lane, of_lane, 1 + below(static_cast<std::uint32_t>(max_lanes - first))};
  }
  ShadowEntry next_mark(std::uint32_t time, const ByteRun& byte_run) {
    const auto free_lanes = static_cast<std::uint32_t>(warp_size - byte_run.lanes);
    const std::uint32_t lane = free_lanes == 0 ? 0 : below(free_lanes + 1);
    return {time, below(5), below(order_of_blocks::count), 32 * below(2) + lane};
  }

 private:
  std::minstd_rand numbers_;
};

// MarkedWords, which records single words, is the reference for MarkedLine.
TEST(marked_page_test, lines_report_the_same_races_as_words) {
  std::size_t races = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomAccesses choose(seed);
    order_of_blocks order;
    MarkedLine line;
    MarkedWords words(MarkedLine::words);
    access_reports by_line;
    access_reports by_words;
    for (std::uint32_t time = 1; time < 60; ++time) {
      const ByteRun byte_run = choose.next_run();
      const ShadowEntry now = choose.next_mark(time, byte_run);
      const bool writes = choose.below(3) == 0;
      note_run(line, byte_run, now, writes, order, by_line);
      note_run(words, byte_run, now, writes, order, by_words);
      ASSERT_EQ(by_line, by_words) << "seed " << seed << ", access " << time;
      if (choose.below(3) == 0) order.met[now.block()] = time;
      if (choose.below(2) == 0) order.known_times[now.block()][choose.below(3)] = time;
    }
    races += by_line.size();
  }
  EXPECT_GT(races, 1000U);
}

TEST(marked_page_test, a_line_distinguishes_the_bytes_that_lanes_have_read) {
  const auto unordered = [](ShadowEntry one, ShadowEntry now) {
    return one.block() == now.block();
  };
  MarkedLine line;
  ASSERT_TRUE(line.note_run(0, 2, 16, ShadowEntry(1, 7, 1, 64), false, unordered));
  access_reports all;
  const auto add_report = [&](ShadowEntry one, bool is_write, std::size_t byte) {
    all.emplace_back(one.thread(), is_write, byte);
  };
  line.note(21, 22, ShadowEntry(1, 8, 2, 0), true, unordered, add_report);
  EXPECT_EQ(all, (access_reports{{64 + 2, false, 21}}));
  line.note(20, 21, ShadowEntry(1, 9, 1, 0), true, unordered, add_report);
  EXPECT_EQ(all.size(), 1U) << "same block, and another byte";
}

}  // namespace
}  // namespace skerry::emulation
