// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Failures of the CUDA runtime: fails each call in turn, with every kind of error.

#include <cstring>
#include <functional>
#include <string>

#include "core/errors.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using fault_test = Rehearsed;

struct Held {
  std::size_t live_blocks;
  std::size_t live_bytes;
};

Held held_now() {
  Held sum{};
  for (const Device device : devices()) {
    const MemoryStatistics now = statistics(device);
    sum.live_blocks += now.live_blocks;
    sum.live_bytes += now.live_bytes;
  }
  return sum;
}

/// Runs `body` with call 1, 2, … failing with `code` until it succeeds; returns the number of
/// failures. Each failure must be a typed error and leak nothing.
int fail_each_call(int code, bool sticky, const std::function<void()>& body) {
  body();
  const Held held_before = held_now();
  int failures = 0;
  for (std::uint64_t k = 1;; ++k) {
    rehearsal::fail_call(k, code, sticky);
    bool failed = false;
    try {
      body();
    } catch (const OutOfMemoryError&) {
      EXPECT_EQ(code, cuda::memory_allocation) << "call " << k;
      failed = true;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), code) << "call " << k;
      EXPECT_FALSE(error.fatal()) << "call " << k;
      failed = true;
    }
    const bool reached = rehearsal::calls() >= k;
    rehearsal::clear();
    const Held held_after = held_now();
    EXPECT_EQ(held_after.live_blocks, held_before.live_blocks) << "call " << k;
    EXPECT_EQ(held_after.live_bytes, held_before.live_bytes) << "call " << k;
    if (failed) ++failures;
    if (!reached) return failures;
    if (k > 1000) {
      ADD_FAILURE() << "still fails";
      return failures;
    }
  }
}

void allocate_and_free() {
  trim(cuda0);
  const StorageRef block = allocate(cuda0, 1000);
}

void copy_there_and_back() {
  const StorageRef host = allocate(cpu0, 100);
  std::memset(host->data(), 7, 100);
  const StorageRef device_block = allocate(cuda0, 100);
  const StorageRef other = allocate(cuda1, 100);
  copy_bytes(device_block, 0, host, 0, 100);
  copy_bytes(other, 0, device_block, 0, 100);
  copy_bytes(host, 0, other, 0, 100);
}

void launch_on_two_streams() {
  const StorageRef block = allocate(cuda0, sizeof(int));
  const Stream other = Stream::create(cuda0);
  store(block, 1);
  other.wait(current_stream(cuda0));
  const Stream previous_stream = current_stream(cuda0);
  set_current_stream(other);
  try {
    store(block, 2);
  } catch (...) {
    set_current_stream(previous_stream);
    throw;
  }
  set_current_stream(previous_stream);
  synchronize(cuda0);
}

TEST_F(fault_test, each_failing_call_of_an_allocation_is_reported_or_survived) {
  for (const int code : {cuda::invalid_value, cuda::memory_allocation}) {
    // Trimming ignores failures, and allocations that run out of memory are retried, so few
    // failures reach the caller.
    EXPECT_GE(fail_each_call(code, false, allocate_and_free), code == cuda::invalid_value ? 1 : 0);
  }
}

TEST_F(fault_test, each_failing_call_of_a_copy_is_reported) {
  EXPECT_GE(fail_each_call(cuda::invalid_value, false, copy_there_and_back), 10);
  EXPECT_GE(fail_each_call(cuda::memory_allocation, false, copy_there_and_back), 10);
}

TEST_F(fault_test, each_failing_call_of_a_launch_is_reported) {
  EXPECT_GE(fail_each_call(cuda::invalid_value, false, launch_on_two_streams), 5);
  EXPECT_GE(fail_each_call(719 - 400, false, launch_on_two_streams), 5);
}

TEST_F(fault_test, a_failure_is_not_left_for_the_next_caller) {
  rehearsal::fail_entry(&cuda::Api::stream_synchronize, 1, cuda::invalid_value);
  EXPECT_THROW(current_stream(cuda0).synchronize(), DeviceError);
  EXPECT_EQ(rehearsal::calls_table()->get_last_error(), cuda::success);
  EXPECT_NO_THROW(current_stream(cuda0).synchronize());
}

TEST_F(fault_test, querying_completion_leaves_no_error_behind) {
  const StorageRef block = allocate(cuda0, sizeof(int));
  rehearsal::set_delay(5'000);
  store(block, 1);
  EXPECT_FALSE(current_stream(cuda0).idle());
  EXPECT_EQ(rehearsal::calls_table()->get_last_error(), cuda::success);
}

TEST(fatal_error_test, only_the_failed_device_is_lost_and_reports_the_first_cause) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto require_true = [](bool good, const char* message) {
          if (good) return;
          std::fprintf(stderr, "failed: %s\n", message);
          std::_Exit(1);
        };
        const auto error_of = [](const std::function<void()>& body) {
          try {
            body();
          } catch (const DeviceError& error) {
            return std::pair(error.fatal() ? error.code() : 0, std::string(error.what()));
          }
          return std::pair(0, std::string());
        };
        rehearse(2);
        StorageRef lost = allocate(cuda0, sizeof(int));
        const StorageRef live_block = allocate(cuda1, sizeof(int));
        rehearsal::fail_entry(&cuda::Api::launch_host_kernel, 1, 719, true);
        const auto first = error_of([&] { store(lost, 1); });
        require_true(first.first == 719, "the launch fails with 719");
        require_true(first.second.find("cudaErrorLaunchFailure") != std::string::npos, "names it");
        require_true(error_of([] { synchronize(cuda0); }) == first, "later calls repeat it");
        require_true(error_of([] { static_cast<void>(allocate(cuda0, 1)); }) == first, "allocate");
        require_true(error_of([] { require(cuda0); }) == first, "require");
        const std::uint64_t calls = rehearsal::calls();
        require_true(error_of([&] { store(lost, 1); }) == first, "fails fast");
        require_true(rehearsal::calls() == calls, "without a call");
        lost = {};
        require_true(statistics(cuda0).live_bytes == 0, "frees without an error");
        store(live_block, 3);
        require_true(read_int(live_block) == 3, "the other device works");
        static_cast<void>(allocate(cpu0, 100));
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skerry
