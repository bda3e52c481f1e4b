// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/captures.hpp"

#include <atomic>
#include <memory>

#include "device/cuda/api.hpp"
#include "device/rehearsal/queue.hpp"
#include "device/rehearsal/work.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

/// Calls of the simulated runtime, as another library makes them.
class captures_test : public Rehearsed {
 protected:
  void SetUp() override {
    Rehearsed::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(calls_.push_device(0), cuda::success);
    for (void*& stream : streams_) ASSERT_EQ(calls_.stream_create(&stream), cuda::success);
    for (void*& event : events_) ASSERT_EQ(calls_.event_create(&event), cuda::success);
  }
  void TearDown() override {
    if (!IsSkipped()) {
      for (void* const event : events_) EXPECT_EQ(calls_.event_destroy(event), cuda::success);
      for (void* const stream : streams_) EXPECT_EQ(calls_.stream_destroy(stream), cuda::success);
      EXPECT_EQ(calls_.pop_device(), cuda::success);
    }
    Rehearsed::TearDown();
  }

  void begin(int i = 0) { ASSERT_EQ(calls_.stream_begin_capture(streams_[i]), cuda::success); }
  /// Makes stream `later` wait for stream `earlier`.
  int order(int later, int earlier) {
    EXPECT_EQ(calls_.event_record(events_[earlier], streams_[earlier]), cuda::success);
    return calls_.stream_wait_event(streams_[later], events_[earlier]);
  }
  void add(int i, int value) {
    ASSERT_EQ(calls_.launch_host_function(streams_[i], append, &digits_[value]), cuda::success);
  }
  static void append(void* data) {
    const int* const digit = static_cast<int*>(data);
    number_ = 10 * number_ + *digit;
  }
  int end(int i = 0) { return calls_.stream_end_capture(streams_[i], &graph_); }
  int launch_and_wait(int i) {
    number_ = 0;
    EXPECT_EQ(calls_.graph_launch(graph_, streams_[i]), cuda::success);
    EXPECT_EQ(calls_.stream_synchronize(streams_[i]), cuda::success);
    return number_;
  }

  const cuda::Api& calls_ = *rehearsal::calls_table();
  void* streams_[3]{};
  void* events_[3]{};
  void* graph_ = nullptr;
  int digits_[4]{0, 1, 2, 3};
  static inline std::atomic<int> number_{0};
};

TEST_F(captures_test, work_of_joined_streams_runs_in_each_launch_only) {
  number_ = 0;
  begin();
  add(0, 1);
  ASSERT_EQ(order(1, 0), cuda::success);
  add(1, 2);
  ASSERT_EQ(order(0, 1), cuda::success);
  add(0, 3);
  ASSERT_EQ(end(), cuda::success);
  ASSERT_EQ(calls_.stream_synchronize(streams_[1]), cuda::success);
  EXPECT_EQ(number_, 0);
  EXPECT_EQ(launch_and_wait(2), 123);
  EXPECT_EQ(launch_and_wait(0), 123);
  EXPECT_EQ(calls_.graph_destroy(graph_), cuda::success);
  EXPECT_EQ(calls_.graph_launch(graph_, streams_[0]), cuda::invalid_resource_handle);
}

TEST_F(captures_test, a_destroyed_graph_still_runs) {
  begin();
  add(0, 2);
  ASSERT_EQ(end(), cuda::success);
  number_ = 0;
  rehearsal::set_delay(10'000);
  ASSERT_EQ(calls_.graph_launch(graph_, streams_[1]), cuda::success);
  ASSERT_EQ(calls_.graph_destroy(graph_), cuda::success);
  ASSERT_EQ(calls_.stream_synchronize(streams_[1]), cuda::success);
  EXPECT_EQ(number_, 2);
}

struct CountedTask final : rehearsal::Task {
  static inline std::atomic<int> submissions{0};
  static inline std::atomic<int> runs{0};
  void note_submission() noexcept override { ++submissions; }
  int run(int /*ordinal*/) noexcept override {
    ++runs;
    return cuda::success;
  }
};

TEST_F(captures_test, tasks_note_each_launch) {
  begin();
  ASSERT_EQ(rehearsal::launch_task(streams_[0], std::make_unique<CountedTask>()), cuda::success);
  ASSERT_EQ(end(), cuda::success);
  EXPECT_EQ(CountedTask::submissions, 0);
  for (int launches = 1; launches <= 3; ++launches) {
    static_cast<void>(launch_and_wait(1));
    EXPECT_EQ(CountedTask::submissions, launches);
    EXPECT_EQ(CountedTask::runs, launches);
  }
  EXPECT_EQ(calls_.graph_destroy(graph_), cuda::success);
}

TEST_F(captures_test, unjoined_work_fails_the_capture) {
  begin();
  ASSERT_EQ(order(1, 0), cuda::success);
  add(1, 2);
  EXPECT_EQ(end(), cuda::stream_capture_unjoined);
  EXPECT_EQ(graph_, nullptr);
  EXPECT_EQ(end(), cuda::illegal_state);
}

TEST_F(captures_test, waits_of_the_host_invalidate_the_capture) {
  begin();
  EXPECT_EQ(calls_.stream_synchronize(streams_[0]), cuda::stream_capture_unsupported);
  EXPECT_EQ(end(), cuda::stream_capture_invalidated);
  begin();
  EXPECT_EQ(calls_.stream_query(streams_[0]), cuda::stream_capture_unsupported);
  EXPECT_EQ(end(), cuda::stream_capture_invalidated);
  begin();
  EXPECT_EQ(calls_.device_synchronize(), cuda::stream_capture_unsupported);
  EXPECT_EQ(end(), cuda::stream_capture_invalidated);
  EXPECT_EQ(calls_.device_synchronize(), cuda::success);
}

TEST_F(captures_test, events_order_work_of_one_capture_only) {
  ASSERT_EQ(calls_.event_record(events_[2], streams_[2]), cuda::success);
  begin(0);
  begin(1);
  EXPECT_EQ(order(1, 0), cuda::stream_capture_merge);
  add(2, 3);
  EXPECT_EQ(order(0, 2), cuda::stream_capture_isolation);
  EXPECT_EQ(calls_.stream_begin_capture(streams_[0]), cuda::illegal_state);
  EXPECT_EQ(calls_.stream_end_capture(streams_[0], nullptr), cuda::success);
  EXPECT_EQ(calls_.stream_end_capture(streams_[1], nullptr), cuda::success);
}

TEST_F(captures_test, default_streams_are_not_captured) {
  for (void* const stream : {static_cast<void*>(nullptr), cuda::legacy_stream}) {
    EXPECT_EQ(calls_.stream_begin_capture(stream), cuda::stream_capture_unsupported);
  }
  int is_capturing = 1;
  EXPECT_EQ(calls_.stream_is_capturing(streams_[0], &is_capturing), cuda::success);
  EXPECT_EQ(is_capturing, 0);
  begin();
  EXPECT_EQ(calls_.stream_is_capturing(streams_[0], &is_capturing), cuda::success);
  EXPECT_EQ(is_capturing, 1);
  EXPECT_EQ(calls_.stream_end_capture(streams_[0], nullptr), cuda::success);
}

}  // namespace
}  // namespace skerry
