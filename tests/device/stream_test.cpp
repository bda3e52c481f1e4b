// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/stream.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "device/deferred.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using stream_test = Rehearsed;

/// Writes to memory without declaring it to the launch, so that nothing waits for the write.
void store_untold(const StorageRef& target, int value) {
  launch(target->device(), store_kernel, StoreParams{ints(target), value}, {});
}

TEST_F(stream_test, delayed_work_runs_after_the_launch_has_returned) {
  const StorageRef block = allocate(cuda0, sizeof(int));
  store(block, 1);
  synchronize(cuda0);
  rehearsal::set_delay(30'000);
  store(block, 2);
  EXPECT_EQ(__atomic_load_n(ints(block), __ATOMIC_SEQ_CST), 1);
  EXPECT_FALSE(current_stream(cuda0).idle());
  synchronize(cuda0);
  EXPECT_EQ(__atomic_load_n(ints(block), __ATOMIC_SEQ_CST), 2);
  EXPECT_TRUE(current_stream(cuda0).idle());
}

TEST_F(stream_test, streams_without_an_event_are_not_ordered) {
  const StorageRef source = allocate(cuda0, sizeof(int));
  const StorageRef target = allocate(cuda0, sizeof(int));
  store(source, 1);
  synchronize(cuda0);

  const Stream writer = Stream::create(cuda0);
  const Stream reader = Stream::create(cuda0);
  rehearsal::set_delay(50'000);
  set_current_stream(writer);
  store_untold(source, 5);  // runs after 50 ms, later than the load
  store_untold(source, 2);
  set_current_stream(reader);
  rehearsal::set_delay(0);
  load(target, source);
  reader.synchronize();
  EXPECT_EQ(__atomic_load_n(ints(target), __ATOMIC_SEQ_CST), 1)
      << "rehearsed streams must not order work by accident";
}

TEST_F(stream_test, an_event_orders_streams) {
  const StorageRef source = allocate(cuda0, sizeof(int));
  const StorageRef target = allocate(cuda0, sizeof(int));
  synchronize(cuda0);
  const Stream writer = Stream::create(cuda0);
  const Stream reader = Stream::create(cuda0);
  rehearsal::set_delay(10'000);
  set_current_stream(writer);
  store_untold(source, 2);
  Event written(cuda0);
  written.record(writer);
  EXPECT_FALSE(written.done());
  written.wait(reader);
  set_current_stream(reader);
  load(target, source);
  reader.synchronize();
  EXPECT_TRUE(written.done());
  EXPECT_EQ(__atomic_load_n(ints(target), __ATOMIC_SEQ_CST), 2);
}

TEST_F(stream_test, a_stream_waits_for_a_stream_of_another_device) {
  const StorageRef source = allocate(cuda0, sizeof(int));
  const StorageRef target = allocate(cuda1, sizeof(int));
  rehearsal::set_delay(10'000);
  store_untold(source, 7);
  current_stream(cuda1).wait(current_stream(cuda0));
  // Kernels of rehearsed devices can read the memory of every device.
  load(target, source);
  synchronize(cuda1);
  EXPECT_EQ(__atomic_load_n(ints(target), __ATOMIC_SEQ_CST), 7);
}

TEST_F(stream_test, an_event_refers_to_its_last_record) {
  Event point(cuda0);
  EXPECT_TRUE(point.done()) << "nothing was recorded";
  const StorageRef block = allocate(cuda0, sizeof(int));
  point.record(current_stream(cuda0));
  rehearsal::set_delay(20'000);
  store(block, 1);
  point.synchronize();
  EXPECT_TRUE(point.done()) << "later work does not count";
  synchronize(cuda0);
}

TEST_F(stream_test, elapsed_is_the_time_between_two_events) {
  const StorageRef block = allocate(cuda0, sizeof(int));
  Event start(cuda0);
  Event end(cuda0);
  start.record(current_stream(cuda0));
  rehearsal::set_delay(20'000);
  store(block, 1);
  end.record(current_stream(cuda0));
  EXPECT_THROW(static_cast<void>(start.elapsed(end)), ValueError) << "not done";
  end.synchronize();
  EXPECT_GE(start.elapsed(end), 0.02);
  EXPECT_LT(start.elapsed(end), 5.0);
  EXPECT_EQ(end.elapsed(start), -start.elapsed(end));
  EXPECT_EQ(start.elapsed(start), 0.0);
}

TEST_F(stream_test, elapsed_rejects_events_that_are_not_recorded_or_on_other_devices) {
  Event recorded(cuda0);
  recorded.record(current_stream(cuda0));
  recorded.synchronize();
  EXPECT_THROW(static_cast<void>(recorded.elapsed(Event(cuda0))), ValueError);
  EXPECT_THROW(static_cast<void>(Event(cuda0).elapsed(recorded)), ValueError);
  EXPECT_THROW(static_cast<void>(recorded.elapsed(Event(cuda1))), DeviceMismatchError);
  EXPECT_THROW(static_cast<void>(recorded.elapsed(Event(cpu0))), DeviceMismatchError);
}

TEST_F(stream_test, cpu_events_are_done_and_timed_when_recorded) {
  Event start(cpu0);
  Event end(cpu0);
  EXPECT_THROW(static_cast<void>(start.elapsed(end)), ValueError);
  start.record(Stream(cpu0));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  end.record(Stream(cpu0));
  EXPECT_TRUE(end.done());
  EXPECT_GE(start.elapsed(end), 0.002);
}

TEST_F(stream_test, stream_scopes_nest_and_restore_the_previous_stream) {
  const Stream first = Stream::create(cuda0);
  const Stream second = Stream::create(cuda1);
  enter_stream(first);
  enter_stream(second);
  enter_stream(first);
  EXPECT_EQ(current_stream(cuda0), first);
  EXPECT_EQ(current_stream(cuda1), second);
  std::thread([&] { EXPECT_THROW(exit_stream(first), ValueError); }).join();
  exit_stream(first);
  EXPECT_EQ(current_stream(cuda0), first);
  exit_stream(second);
  EXPECT_EQ(current_stream(cuda1), Stream(cuda1));
  exit_stream(first);
  EXPECT_EQ(current_stream(cuda0), Stream(cuda0));
  EXPECT_THROW(exit_stream(first), ValueError);
}

TEST_F(stream_test, events_reject_streams_of_other_devices) {
  Event point(cuda0);
  EXPECT_THROW(point.record(Stream(cuda1)), DeviceMismatchError);
}

TEST_F(stream_test, current_stream_belongs_to_thread_and_device) {
  const Stream stream = Stream::create(cuda0);
  EXPECT_EQ(current_stream(cuda0), Stream(cuda0));
  set_current_stream(stream);
  EXPECT_EQ(current_stream(cuda0), stream);
  EXPECT_EQ(current_stream_handle(cuda0), stream.handle());
  EXPECT_EQ(current_stream(cuda1), Stream(cuda1));
  std::thread([] { EXPECT_EQ(current_stream(cuda0), Stream(cuda0)); }).join();
  set_current_stream(Stream(cuda0));
  EXPECT_EQ(current_stream_handle(cuda0), reinterpret_cast<void*>(1));
}

TEST_F(stream_test, cpu_devices_have_one_stream_that_is_always_done) {
  EXPECT_THROW(static_cast<void>(Stream::create(cpu0)), ValueError);
  EXPECT_EQ(Stream(cpu0).handle(), nullptr);
  EXPECT_TRUE(Stream(cpu0).idle());
  int value = 0;
  launch(cpu0, store_kernel, StoreParams{&value, 3}, {});
  EXPECT_EQ(value, 3);
  EXPECT_THROW(launch(cpu0, AnyKernel{}, StoreParams{&value, 3}, {}), NotImplementedError);
}

TEST_F(stream_test, handle_zero_is_rejected_and_one_is_the_default_stream) {
  EXPECT_THROW(static_cast<void>(Stream::from_handle(cuda0, nullptr)), ValueError);
  EXPECT_EQ(Stream::from_handle(cuda0, reinterpret_cast<void*>(1)), Stream(cuda0));
}

TEST_F(stream_test, launch_copies_parameters_larger_than_a_queue_item) {
  struct Large {
    int* target;
    int padding[300];
    int value;
  };
  const StorageRef block = allocate(cuda0, sizeof(int));
  rehearsal::set_delay(5'000);
  {
    Large params{ints(block), {}, 9};
    const AnyKernel kernel{.host = [](const void* p) {
      const auto& copied_params = *static_cast<const Large*>(p);
      __atomic_store_n(copied_params.target, copied_params.value, __ATOMIC_SEQ_CST);
    }};
    const MemoryUse uses[] = {writes(block)};
    launch(cuda0, kernel, params, uses);
    params.value = 0;
  }
  EXPECT_EQ(read_int(block), 9);
}

TEST_F(stream_test, a_full_stream_queue_keeps_the_order_of_work) {
  const StorageRef block = allocate(cuda0, sizeof(int));
  for (int i = 0; i < 5000; ++i) store(block, i);
  EXPECT_EQ(read_int(block), 4999);
}

/// Varies the pauses around the time that a stream's thread spins before it sleeps, and the work
/// around the time that a waiting thread spins. A lost wake-up would hang.
TEST_F(stream_test, no_wake_up_is_lost_while_a_stream_falls_asleep) {
  const StorageRef block = allocate(cuda0, sizeof(int));
  const auto busy_for = [](std::chrono::nanoseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  for (int i = 0; i < 4000; ++i) {
    rehearsal::set_delay(i % 4 == 0 ? 1 : 0);
    busy_for(std::chrono::nanoseconds(15'000 + i % 100 * 100));
    store(block, i);
    if (i % 2 == 0) {
      current_stream(cuda0).synchronize();
    } else {
      synchronize(cuda0);
    }
    ASSERT_EQ(__atomic_load_n(ints(block), __ATOMIC_SEQ_CST), i);
  }
}

TEST_F(stream_test, threads_may_use_a_device_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const Device device{cuda_kind, static_cast<std::int16_t>(t % 2)};
      const Stream stream = Stream::create(device);
      set_current_stream(stream);
      for (int i = 0; i < 200; ++i) {
        const StorageRef a = allocate(device, 4096);
        const StorageRef b = allocate(device, sizeof(int));
        store(a, i);
        load(b, a);
        EXPECT_EQ(read_int(b), i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(stream_test, calls_restore_the_current_cuda_device) {
  const cuda::Api& calls = *rehearsal::calls_table();
  ASSERT_EQ(rehearsal::set_device(2), cuda::success);
  const StorageRef block = allocate(cuda1, 100);
  store(block, 1);
  static_cast<void>(read_int(block));
  synchronize(cuda0);
  int current = -1;
  calls.get_device(&current);
  EXPECT_EQ(current, 2);
  rehearsal::set_device(0);
}

struct FindParams {
  std::int64_t* word;
  std::int64_t value;
};
void find_host(const void* params) {
  const auto& p = *static_cast<const FindParams*>(params);
  __atomic_store_n(p.word, p.value, __ATOMIC_RELEASE);
}
constexpr AnyKernel find_something{.host = find_host};

/// Enqueues a kernel that reports `value` as a deferred error; 0 means no error.
void find(Device device, std::int64_t value) {
  const OperationScope scope("find");
  const DeferredError error{.raise =
                                [](const DeferredError& /*error*/, std::int64_t found_value) {
                                  throw IndexError("found " + std::to_string(found_value));
                                },
                            .values = {}};
  const DeferredWord word(device, error);
  launch(device, find_something, FindParams{word.get(), value}, {});
}

std::string text_of(const auto& call) {
  try {
    call();
  } catch (const IndexError& error) {
    return error.what();
  }
  return "";
}

TEST_F(stream_test, deferred_errors_are_raised_once_by_a_wait) {
  const auto wait = [] { synchronize(cuda0); };
  find(cuda0, 0);
  EXPECT_EQ(text_of(wait), "");
  rehearsal::set_delay(2'000);
  find(cuda0, 7);
  find(cuda0, 8);
  synchronize(cuda1);
  EXPECT_EQ(text_of(wait), "find: found 7");
  EXPECT_EQ(text_of(wait), "");
  find(cuda0, 5);
  EXPECT_EQ(text_of([] { current_stream(cuda0).synchronize(); }), "find: found 5");
  const StorageRef block = allocate(cuda0, sizeof(int));
  store(block, 3);
  find(cuda0, 6);
  EXPECT_EQ(text_of([&] { static_cast<void>(read_int(block)); }), "find: found 6");
  EXPECT_EQ(read_int(block), 3);
}

TEST_F(stream_test, waiting_for_one_stream_keeps_deferred_errors_of_another) {
  const Stream other = Stream::create(cuda0);
  set_current_stream(other);
  rehearsal::set_delay(20'000);
  find(cuda0, 9);
  rehearsal::set_delay(0);
  set_current_stream(Stream(cuda0));
  // On a slow machine the kernel may have ended by now.
  const std::string early = text_of([] { Stream(cuda0).synchronize(); });
  EXPECT_EQ(early + text_of([&] { other.synchronize(); }), "find: found 9");
  EXPECT_EQ(text_of([&] { other.synchronize(); }), "");
}

TEST_F(stream_test, deferred_errors_work_for_any_number_of_launches) {
  for (int i = 0; i < 5000; ++i) find(cuda0, 0);
  find(cuda0, 4);
  EXPECT_EQ(text_of([] { synchronize(cuda0); }), "find: found 4");
}

}  // namespace
}  // namespace skerry
