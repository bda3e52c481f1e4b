// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/shadow_entries.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace skerry::emulation {
namespace {

constexpr std::uint32_t warps = 3;

/// All accesses to a word, with the barriers between them.
class AccessHistory {
 public:
  void synchronize() { phase_ = static_cast<std::uint32_t>(accesses_.size()); }
  void synchronize_warp(std::uint32_t warp) {
    synced_[warp] = static_cast<std::uint32_t>(accesses_.size());
  }
  /// Adds an access. Returns whether an earlier one conflicts and is not ordered before it.
  [[nodiscard]] bool add(std::uint32_t thread, bool writes) {
    bool races = false;
    for (std::size_t k = phase_; k < accesses_.size(); ++k) {
      const Access& one = accesses_[k];
      const std::uint32_t warp = thread / warp_size;
      const bool is_before =
          one.thread == thread || (one.thread / warp_size == warp && k < synced_[warp]);
      races |= !is_before && (writes || one.writes);
    }
    accesses_.push_back({thread, writes});
    return races;
  }

 private:
  struct Access {
    std::uint32_t thread;
    bool writes;
  };
  std::vector<Access> accesses_;
  std::size_t phase_ = 0;
  std::array<std::size_t, warps> synced_{};
};

// Two of many unordered reads are recorded.
TEST(EmulationShadowEntries, the_first_race_of_a_word_is_found) {
  std::size_t races = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::minstd_rand numbers(seed);
    const auto below = [&](std::uint32_t limit) {
      return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(numbers);
    };
    BlockClock clock(warps);
    MarkedWords words(1);
    AccessHistory history;
    const auto order = [&](ShadowEntry one, ShadowEntry now) { return clock.is_before(one, now); };
    const std::uint32_t writes_in = 2 + below(12);
    for (int k = 0; k < 24; ++k) {
      const std::uint32_t thread = below(warps) * warp_size + below(3);
      const std::uint32_t choice = below(12);
      if (choice == 0) {
        clock.synchronize();
        history.synchronize();
      } else if (choice < 4) {
        clock.synchronize_warp(thread / warp_size);
        history.synchronize_warp(thread / warp_size);
      } else {
        const bool writes = below(writes_in) == 0;
        const ShadowEntry now(clock.time(), 0, 0, thread);
        bool is_found = false;
        const auto note_conflict = [&](ShadowEntry, bool, std::size_t) { is_found = true; };
        if (writes || below(2) == 0 || !words.note_read(0, now, clock.phase_bits(), order))
          words.note(0, 4, now, writes, order, note_conflict);
        const bool is_race = history.add(thread, writes);
        ASSERT_EQ(is_found, is_race) << "seed " << seed << ", access " << k;
        if (is_race) {
          ++races;
          break;
        }
      }
    }
  }
  EXPECT_GT(races, 5'000U);
}

}  // namespace
}  // namespace skerry::emulation
