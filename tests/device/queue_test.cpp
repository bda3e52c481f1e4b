// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace skerry::rehearsal {
namespace {

using namespace std::chrono_literals;

/// Longer than the stream's thread spins and naps before it sleeps.
constexpr auto long_pause = 10ms;

struct ObservedWork {
  std::vector<int> numbers;
  std::vector<std::thread::id> threads;
};

void note(WorkItem& self, int) noexcept {
  auto& observed = *static_cast<ObservedWork*>(self.target);
  observed.numbers.push_back(self.value);
  observed.threads.push_back(std::this_thread::get_id());
}

std::uint64_t submit(Queue& queue, ObservedWork& observed, int number,
                     bool is_the_threads = false) {
  WorkItem* const item = queue.prepare();
  item->action = note;
  item->target = &observed;
  item->value = number;
  item->is_the_threads = is_the_threads;
  return queue.submit(item);
}

class QueueTest : public testing::Test {
 protected:
  void TearDown() override {
    queue->wait_all();
    queue->close();
  }
  std::shared_ptr<Queue> queue = std::make_shared<Queue>(0);
};

TEST_F(QueueTest, a_waiting_thread_runs_work_instead_of_waking_the_stream_thread) {
  ObservedWork all;
  int here = 0;
  // Occasionally the stream's thread is faster.
  for (int round = 0; round < 20 && here == 0; ++round) {
    std::this_thread::sleep_for(long_pause);
    queue->wait(submit(*queue, all, round));
    if (all.threads.back() == std::this_thread::get_id()) ++here;
  }
  EXPECT_GT(here, 0);
}

TEST_F(QueueTest, work_that_may_wait_runs_on_the_streams_own_thread) {
  ObservedWork all;
  for (int round = 0; round < 20; ++round) {
    submit(*queue, all, 2 * round);
    queue->wait(submit(*queue, all, 2 * round + 1, true));
    EXPECT_NE(all.threads.back(), std::this_thread::get_id());
  }
}

TEST_F(QueueTest, a_waiting_thread_runs_no_later_work) {
  ObservedWork all;
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(long_pause);
    const std::uint64_t first = submit(*queue, all, 2 * round);
    submit(*queue, all, 2 * round + 1);
    queue->wait(first);
    queue->wait_all();
    ASSERT_EQ(all.numbers.size(), static_cast<std::size_t>(2 * round + 2));
  }
}

TEST_F(QueueTest, a_starting_thread_leaves_work_to_the_thread_that_runs_it) {
  struct Alone {
    std::atomic<int> running{0};
    std::atomic<int> max_running{0};
  };
  const auto run_slowly = [](WorkItem& self, int) noexcept {
    auto& in = *static_cast<Alone*>(self.target);
    const int now = ++in.running;
    if (now > in.max_running) in.max_running = now;
    std::this_thread::sleep_for(1ms);
    --in.running;
  };
  for (int round = 0; round < 50; ++round) {
    auto new_queue = std::make_shared<Queue>(0);
    Alone all;
    for (int k = 0; k < 3; ++k) {
      WorkItem* const item = new_queue->prepare();
      item->action = run_slowly;
      item->target = &all;
      new_queue->submit(item);
    }
    new_queue->wait_all();
    new_queue->close();
    ASSERT_EQ(all.max_running, 1);
  }
}

TEST_F(QueueTest, work_runs_in_order_one_at_a_time_with_any_number_of_waiters) {
  ObservedWork all;  // no lock: one item runs at a time
  std::atomic<std::uint64_t> last{0};
  std::atomic<bool> is_over{false};
  const auto wait_again_and_again = [&] {
    while (!is_over) queue->wait(last.load());
  };
  std::thread one(wait_again_and_again);
  std::thread other(wait_again_and_again);
  constexpr int count = 5000;
  for (int number = 0; number < count; ++number) {
    last = submit(*queue, all, number, number % 7 == 0);
    if (number % 3 == 0) queue->wait(last.load());
    if (number % 1000 == 0) std::this_thread::sleep_for(3ms);
  }
  is_over = true;
  one.join();
  other.join();
  queue->wait_all();
  ASSERT_EQ(all.numbers.size(), static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    ASSERT_EQ(all.numbers[static_cast<std::size_t>(number)], number);
  }
}

}  // namespace
}  // namespace skerry::rehearsal
