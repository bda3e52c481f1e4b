// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "device/cpu/memory.hpp"

#if defined(__SANITIZE_THREAD__)
// By default TSan ends a forked child that starts threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace skerry {
namespace {

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { cpu::set_thread_count(4); }
  void TearDown() override { cpu::set_thread_count(threads_before_); }

 private:
  int threads_before_ = cpu::thread_count();
};

/// Checks that a loop visits each index once. Ranges may run on several threads, so each index has
/// its own byte.
void expect_each_index_once(std::int64_t count, std::int64_t grain_size) {
  std::vector<unsigned char> visit_counts(static_cast<std::size_t>(count));
  cpu::parallel_for(count, grain_size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++visit_counts[static_cast<std::size_t>(i)];
  });
  for (const unsigned char times : visit_counts) ASSERT_EQ(times, 1) << count << ", " << grain_size;
}

TEST_F(ThreadPool, covers_each_index_once) {
  for (const int threads : {1, 2, 3, 4, 7}) {
    cpu::set_thread_count(threads);
    for (const std::int64_t count :
         {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 1000, 4095, 4097, 100003}) {
      for (const std::int64_t grain_size : {-1, 0, 1, 2, 7, 64, 100, 1024, 100003, 1000000}) {
        expect_each_index_once(count, grain_size);
      }
    }
  }
}

TEST_F(ThreadPool, ranges_are_no_shorter_than_the_grain) {
  std::atomic<int> shorter{0};
  cpu::parallel_for(100003, 1000, [&](std::int64_t begin, std::int64_t end) {
    if (end - begin < 1000 && end != 100003) ++shorter;
  });
  EXPECT_EQ(shorter, 0);
}

TEST_F(ThreadPool, several_threads_take_part) {
  std::atomic<int> inside{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  cpu::parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
    ++inside;
    while (inside < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 2) << "each range waits until the other has begun";
}

/// The kernel ends a process without calling a handler if the fault's signal is blocked.
TEST_F(ThreadPool, workers_block_signals_except_those_of_their_own_faults) {
  const std::thread::id caller = std::this_thread::get_id();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::atomic<bool> worker_ran{false};
  cpu::parallel_for(4, 1, [&](std::int64_t, std::int64_t) {
    if (std::this_thread::get_id() == caller) {
      while (!worker_ran && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      return;
    }
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
    }
    for (const int signal : {SIGINT, SIGTERM, SIGALRM}) {
      EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
    }
    worker_ran = true;
  });
  EXPECT_TRUE(worker_ran) << "no worker took part";
}

TEST_F(ThreadPool, count_up_to_the_grain_is_one_range_on_the_calling_thread) {
  const auto self = std::this_thread::get_id();
  int calls = 0;
  cpu::parallel_for(1000, 1000, [&](std::int64_t begin, std::int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
    EXPECT_EQ(std::this_thread::get_id(), self);
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, counts_near_the_end_of_int64_do_not_overflow) {
  constexpr std::int64_t max_count = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t count : {max_count, max_count - 1, max_count / 2}) {
    std::atomic<std::uint64_t> covered{0};
    cpu::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      covered += static_cast<std::uint64_t>(end - begin);
    });
    EXPECT_EQ(covered, static_cast<std::uint64_t>(count));
  }
}

TEST_F(ThreadPool, a_nested_loop_runs) {
  std::atomic<int> sum{0};
  cpu::parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      cpu::parallel_for(100, 1,
                        [&](std::int64_t b, std::int64_t e) { sum += static_cast<int>(e - b); });
    }
  });
  EXPECT_EQ(sum, 10000);
}

TEST_F(ThreadPool, concurrent_callers_each_get_their_own_result) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int round = 0; round < 500; ++round) {
        const std::int64_t count = 1000 + 37 * t + round;
        std::vector<int> values(static_cast<std::size_t>(count));
        cpu::parallel_for(count, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) values[static_cast<std::size_t>(i)] += t + 1;
        });
        if (std::accumulate(values.begin(), values.end(), std::int64_t{0}) != count * (t + 1)) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, works_after_its_threads_have_slept) {
  for (int round = 0; round < 50; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    expect_each_index_once(1000, 1);
  }
}

/// Varies pauses and loop bodies around the spin time, so that each side meets the other at every
/// step of falling asleep: a lost wake-up would hang.
TEST_F(ThreadPool, no_wake_up_is_lost_while_threads_fall_asleep) {
  const auto busy_for = [](std::chrono::nanoseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  std::int64_t covered = 0;
  for (int round = 0; round < 4000; ++round) {
    busy_for(std::chrono::nanoseconds(45'000 + round % 100 * 100));
    std::atomic<std::int64_t> sum{0};
    cpu::parallel_for(4, 1, [&](std::int64_t begin, std::int64_t end) {
      if (begin == 3) busy_for(std::chrono::nanoseconds(45'000 + round % 97 * 100));
      sum += end - begin;
    });
    covered += sum;
  }
  EXPECT_EQ(covered, 4 * 4000);
}

TEST_F(ThreadPool, the_number_of_threads_is_clamped) {
  cpu::set_thread_count(-5);
  EXPECT_EQ(cpu::thread_count(), 1);
  cpu::set_thread_count(1 << 20);
  EXPECT_EQ(cpu::thread_count(), 1024);
}

[[maybe_unused]] bool child_works() {
  std::atomic<std::int64_t> sum{0};
  cpu::parallel_for(10000, 10, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  for (const std::size_t nbytes : {0u, 100u, 5000u, 3u << 20}) {
    const StorageRef block = cpu::allocate(1, nbytes);
    if (nbytes != 0) block->data()[nbytes - 1] = 1;
  }
  return sum == 10000 && cpu::statistics(1).live_blocks == 0;
}

/// Returns whether the child exited successfully in time; kills one that hangs.
[[maybe_unused]] bool ends_well(pid_t child, std::chrono::seconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(ThreadPool, forked_children_compute_and_allocate_while_the_parent_does) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's own locks are not safe after a fork with several threads";
#elif defined(__SANITIZE_ADDRESS__)
  constexpr int forks = 50;
#else
  constexpr int forks = 1000;
#endif
#if !defined(__SANITIZE_THREAD__)
  expect_each_index_once(100000, 1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (unsigned i = 0; !stop; ++i) {
        const StorageRef block = cpu::allocate(2, std::size_t{1} << (i % 22));
        cpu::parallel_for(1000, 10, [](std::int64_t, std::int64_t) {});
        if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    });
  }
  int failed = 0;
  // Each fork waits for a core several times, so on a busy machine not all fit into the test's
  // time.
  const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(15);
  for (int i = 0; i < forks && failed == 0; ++i) {
    if (std::chrono::steady_clock::now() > enough) break;
    const pid_t child = fork();
    if (child == 0) _exit(child_works() ? 0 : 1);
    ASSERT_GT(child, 0);
    if (!ends_well(child, std::chrono::seconds(20))) ++failed;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
#endif
}

}  // namespace
}  // namespace skerry
