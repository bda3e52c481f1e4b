// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/interruption.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>

namespace skerry::emulation {
namespace {

using clock = std::chrono::steady_clock;

constinit int handled = 0;

void handle(int) { ++handled; }

TEST(EmulationInterruption, the_previous_handler_is_called) {
  handled = 0;
  ASSERT_NE(std::signal(SIGINT, handle), SIG_ERR);
  const std::uint64_t interruptions_before = interruptions();
  {
    const InterruptionMonitor monitor;
    const InterruptionMonitor another;
    ASSERT_EQ(std::raise(SIGINT), 0);
  }
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(interruptions(), interruptions_before + 1);
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), handle);
}

TEST(EmulationInterruption, only_a_second_interruption_ends_work_at_once) {
  ASSERT_NE(std::signal(SIGINT, handle), SIG_ERR);
  const std::uint64_t interruptions_before = interruptions();
  const InterruptionMonitor monitor;
  const auto later = std::chrono::seconds(3600);
  EXPECT_FALSE(has_to_end(interruptions_before, clock::now() + later));
  ASSERT_EQ(std::raise(SIGINT), 0);
  const auto now = clock::now();
  EXPECT_FALSE(has_to_end(interruptions_before, now));
  EXPECT_TRUE(has_to_end(interruptions_before, now + later));
  EXPECT_FALSE(has_to_end(interruptions(), now + later)) << "launched after the interruption";
  ASSERT_EQ(std::raise(SIGINT), 0);
  EXPECT_TRUE(has_to_end(interruptions_before, now));
}

TEST(EmulationInterruption, a_process_without_a_handler_gets_none) {
  for (auto* const action : {SIG_DFL, SIG_IGN}) {
    ASSERT_NE(std::signal(SIGINT, action), SIG_ERR);
    const InterruptionMonitor monitor;
    EXPECT_EQ(std::signal(SIGINT, action), action);
  }
  static_cast<void>(std::signal(SIGINT, SIG_DFL));
}

TEST(EmulationInterruption, a_handler_installed_later_is_kept) {
  ASSERT_NE(std::signal(SIGINT, SIG_DFL), SIG_ERR);
  {
    const InterruptionMonitor monitor;
    static_cast<void>(std::signal(SIGINT, handle));
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), handle);
}

}  // namespace
}  // namespace skerry::emulation
