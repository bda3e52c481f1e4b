// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace skerry::rehearsal {
namespace {

using namespace std::chrono_literals;

/// Longer than the stream's thread stays awake.
constexpr auto long_pause = 10ms;

struct Seen {
  std::vector<int> numbers;
  std::vector<std::thread::id> threads;
};

void note(Work& self, int) noexcept {
  auto& into = *static_cast<Seen*>(self.target);
  into.numbers.push_back(self.value);
  into.threads.push_back(std::this_thread::get_id());
}

std::uint64_t submit(Queue& on, Seen& into, int number, bool is_the_threads = false) {
  Work* const item = on.prepare();
  item->run = note;
  item->target = &into;
  item->value = number;
  item->is_the_threads = is_the_threads;
  return on.submit(item);
}

class QueueTest : public testing::Test {
 protected:
  void TearDown() override {
    on->wait_all();
    on->close();
  }
  std::shared_ptr<Queue> on = std::make_shared<Queue>(0);
};

TEST_F(QueueTest, who_waits_runs_what_a_sleeping_thread_would_have_to_be_woken_for) {
  Seen all;
  int here = 0;
  // Once in a while the thread is faster.
  for (int round = 0; round < 20 && here == 0; ++round) {
    std::this_thread::sleep_for(long_pause);
    on->wait(submit(*on, all, round));
    if (all.threads.back() == std::this_thread::get_id()) ++here;
  }
  EXPECT_GT(here, 0);
}

TEST_F(QueueTest, what_may_wait_for_others_runs_on_the_streams_own_thread) {
  Seen all;
  for (int round = 0; round < 20; ++round) {
    submit(*on, all, 2 * round);
    on->wait(submit(*on, all, 2 * round + 1, true));
    EXPECT_NE(all.threads.back(), std::this_thread::get_id());
  }
}

TEST_F(QueueTest, who_waits_runs_nothing_behind_what_it_waits_for) {
  Seen all;
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(long_pause);
    const std::uint64_t first = submit(*on, all, 2 * round);
    submit(*on, all, 2 * round + 1);
    on->wait(first);
    on->wait_all();
    ASSERT_EQ(all.numbers.size(), static_cast<std::size_t>(2 * round + 2));
  }
}

TEST_F(QueueTest, a_thread_that_starts_leaves_the_work_to_who_has_begun) {
  struct Alone {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
  };
  const auto run_slowly = [](Work& self, int) noexcept {
    auto& in = *static_cast<Alone*>(self.target);
    const int now = ++in.running;
    if (now > in.most) in.most = now;
    std::this_thread::sleep_for(1ms);
    --in.running;
  };
  for (int round = 0; round < 50; ++round) {
    auto fresh = std::make_shared<Queue>(0);
    Alone all;
    for (int k = 0; k < 3; ++k) {
      Work* const item = fresh->prepare();
      item->run = run_slowly;
      item->target = &all;
      fresh->submit(item);
    }
    fresh->wait_all();
    fresh->close();
    ASSERT_EQ(all.most, 1);
  }
}

TEST_F(QueueTest, work_runs_alone_and_in_order_whoever_waits) {
  Seen all;  // without a lock: one runs at a time
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> is_over{false};
  const auto wait_again_and_again = [&] {
    while (!is_over) on->wait(last.load());
  };
  std::thread one(wait_again_and_again);
  std::thread other(wait_again_and_again);
  constexpr int count = 5000;
  for (int number = 0; number < count; ++number) {
    last = submit(*on, all, number, number % 7 == 0);
    if (number % 3 == 0) on->wait(last.load());
    if (number % 1000 == 0) std::this_thread::sleep_for(3ms);
  }
  is_over = true;
  one.join();
  other.join();
  on->wait_all();
  ASSERT_EQ(all.numbers.size(), static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    ASSERT_EQ(all.numbers[static_cast<std::size_t>(number)], number);
  }
}

}  // namespace
}  // namespace skerry::rehearsal
