// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

class DriverStreams : public DriverTest {};

constexpr unsigned blocking = 0;
constexpr unsigned non_blocking = 1;

void* make_stream(unsigned flags) {
  void* stream = nullptr;
  EXPECT_EQ(CALL(cuStreamCreate, stream_create)(&stream, flags), 0);
  return stream;
}

void destroy(void* stream) { EXPECT_EQ(CALL(cuStreamDestroy, stream_destroy)(stream), 0); }

void enqueue(void* stream, void (*function)(void*), void* data) {
  EXPECT_EQ(CALL(cuLaunchHostFunc, launch_host_function)(stream, function, data), 0);
}

void set_late(void* flag) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  static_cast<std::atomic<int>*>(flag)->store(1);
}
void add_ten_if_set(void* flag) {
  int set = 1;
  static_cast<std::atomic<int>*>(flag)->compare_exchange_strong(set, 10);
}

TEST_F(DriverStreams, the_legacy_stream_waits_for_blocking_streams) {
  void* const stream = make_stream(blocking);
  std::atomic<int> flag{0};
  enqueue(stream, set_late, &flag);
  enqueue(nullptr, add_ten_if_set, &flag);
  ASSERT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(nullptr), 0);
  EXPECT_EQ(flag.load(), 10);
  destroy(stream);
}

TEST_F(DriverStreams, blocking_streams_wait_for_the_legacy_stream) {
  void* const stream = make_stream(blocking);
  std::atomic<int> flag{0};
  enqueue(nullptr, set_late, &flag);
  enqueue(stream, add_ten_if_set, &flag);
  ASSERT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream), 0);
  EXPECT_EQ(flag.load(), 10);
  destroy(stream);
}

TEST_F(DriverStreams, nonblocking_streams_do_not_wait_for_the_legacy_stream) {
  void* const stream = make_stream(non_blocking);
  std::atomic<int> flag{0};
  enqueue(nullptr, set_late, &flag);
  enqueue(stream, add_ten_if_set, &flag);
  ASSERT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream), 0);
  EXPECT_EQ(flag.load(), 0);
  ASSERT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 0);
  EXPECT_EQ(flag.load(), 1);
  destroy(stream);
}

TEST_F(DriverStreams, creation_parameters_can_be_read_back) {
  void* stream = nullptr;
  ASSERT_EQ(
      CALL(cuStreamCreateWithPriority, stream_create_with_priority)(&stream, non_blocking, -3), 0);
  int priority = 0;
  ASSERT_EQ(CALL(cuStreamGetPriority, stream_get_priority)(stream, &priority), 0);
  EXPECT_EQ(priority, -3);
  unsigned flags = 0;
  ASSERT_EQ(CALL(cuStreamGetFlags, stream_get_flags)(stream, &flags), 0);
  EXPECT_EQ(flags, non_blocking);
  void* context = nullptr;
  ASSERT_EQ(CALL(cuStreamGetCtx, stream_get_contexts)(stream, &context, nullptr), 0);
  EXPECT_EQ(context, context_);
  int status = 1;
  ASSERT_EQ(CALL(cuStreamIsCapturing, stream_is_capturing)(stream, &status), 0);
  EXPECT_EQ(status, 0);
  destroy(stream);
  EXPECT_EQ(CALL(cuStreamQuery, stream_query)(stream), 400);
  EXPECT_EQ(CALL(cuStreamDestroy, stream_destroy)(nullptr), 400);
  EXPECT_EQ(CALL(cuStreamCreate, stream_create)(&stream, 7), 1);
}

TEST_F(DriverStreams, callbacks_get_their_stream) {
  void* const stream = make_stream(non_blocking);
  struct Called {
    void* stream = nullptr;
    int status = -1;
  } recorded_call;
  const auto callback = [](void* callback_stream, int status, void* data) {
    *static_cast<Called*>(data) = {callback_stream, status};
  };
  ASSERT_EQ(CALL(cuStreamAddCallback, stream_add_callback)(stream, callback, &recorded_call, 0), 0);
  ASSERT_EQ(CALL(cuStreamSynchronize, stream_synchronize)(stream), 0);
  EXPECT_EQ(recorded_call.stream, stream);
  EXPECT_EQ(recorded_call.status, 0);
  destroy(stream);
}

TEST_F(DriverStreams, a_fill_of_host_memory_is_synchronous) {
  void* host = nullptr;
  ASSERT_EQ(CALL(cuMemHostAlloc, host_allocate)(&host, 64, 0), 0);
  std::memset(host, 1, 64);
  std::atomic<int> flag{0};
  enqueue(nullptr, set_late, &flag);
  ASSERT_EQ(CALL(cuMemsetD8, fill_bytes)(reinterpret_cast<address>(host), 7, 64), 0);
  EXPECT_EQ(static_cast<unsigned char*>(host)[63], 7);
  EXPECT_EQ(CALL(cuMemFreeHost, host_free)(host), 0);
}

TEST_F(DriverStreams, events_order_and_time_work) {
  void* const stream = make_stream(non_blocking);
  void* start = nullptr;
  void* end = nullptr;
  ASSERT_EQ(CALL(cuEventCreate, event_create)(&start, 0), 0);
  ASSERT_EQ(CALL(cuEventCreate, event_create)(&end, 0), 0);
  std::atomic<int> flag{0};
  ASSERT_EQ(CALL(cuEventRecord, event_record)(start, stream), 0);
  enqueue(stream, set_late, &flag);
  ASSERT_EQ(CALL(cuEventRecord, event_record)(end, stream), 0);
  EXPECT_EQ(CALL(cuEventQuery, event_query)(end), 600);
  ASSERT_EQ(CALL(cuEventSynchronize, event_synchronize)(end), 0);
  float milliseconds = 0;
  ASSERT_EQ(CALL(cuEventElapsedTime, event_elapsed)(&milliseconds, start, end), 0);
  EXPECT_GE(milliseconds, 45.0F);
  void* untimed = nullptr;
  ASSERT_EQ(CALL(cuEventCreate, event_create)(&untimed, 2), 0);
  EXPECT_EQ(CALL(cuEventElapsedTime, event_elapsed)(&milliseconds, start, untimed), 400);
  for (void* event : {start, end, untimed}) {
    EXPECT_EQ(CALL(cuEventDestroy, event_destroy)(event), 0);
  }
  EXPECT_EQ(CALL(cuEventDestroy, event_destroy)(start), 400);
  destroy(stream);
}

}  // namespace
}  // namespace skerry::emulation::driver
