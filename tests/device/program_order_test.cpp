// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Uses of one storage take effect in program order, whatever the streams.

#include <chrono>
#include <thread>

#include "core/errors.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/interchange.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

class ProgramOrderTest : public Rehearsed {
 protected:
  static constexpr int slow_us = 30'000;

  static StorageRef block_of(int value, Device device = cuda0) {
    const StorageRef block = allocate(device, sizeof(int));
    store(block, value);
    synchronize(device);
    return block;
  }
  static int now(const StorageRef& block) { return __atomic_load_n(ints(block), __ATOMIC_SEQ_CST); }
  template <class Call>
  static std::uint64_t calls_of(Call call) {
    const std::uint64_t calls_before = rehearsal::calls();
    call();
    return rehearsal::calls() - calls_before;
  }
};

// Kernels that detect concurrency: each waits up to 0.5 s until the other has begun ("meets" it).

struct MeetParams {
  std::atomic<int>* here;
  int* met;
};
constexpr AnyKernel meeting{.host = [](const void* params) {
  const auto& p = *static_cast<const MeetParams*>(params);
  p.here->fetch_add(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (p.here->load() < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  if (p.here->load() >= 2) __atomic_fetch_add(p.met, 1, __ATOMIC_SEQ_CST);
}};

/// Launches two kernels and returns how many of them met the other: 2 if they ran concurrently.
template <class First, class Second>
int meet(First first, Second second) {
  std::atomic<int> here{0};
  int met = 0;
  const MeetParams params{&here, &met};
  first(params);
  second(params);
  for (const Device device : {cuda0, cuda1}) synchronize(device);
  return __atomic_load_n(&met, __ATOMIC_SEQ_CST);
}

TEST_F(ProgramOrderTest, a_read_waits_for_the_write_on_another_stream) {
  const StorageRef source = block_of(1);
  const StorageRef target = block_of(0);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(source, 2);
  rehearsal::set_delay(0);
  set_current_stream(Stream::create(cuda0));
  load(target, source);
  set_current_stream(Stream(cuda0));
  EXPECT_EQ(read_int(target), 2);
}

TEST_F(ProgramOrderTest, a_write_waits_for_all_reads_on_other_streams) {
  const StorageRef source = block_of(1);
  StorageRef targets[3];
  for (StorageRef& target : targets) {
    target = block_of(0);
    set_current_stream(Stream::create(cuda0));
    rehearsal::set_delay(slow_us);
    load(target, source);
  }
  rehearsal::set_delay(0);
  set_current_stream(Stream(cuda0));
  store(source, 2);
  for (const StorageRef& target : targets) EXPECT_EQ(read_int(target), 1);
  EXPECT_EQ(read_int(source), 2);
}

TEST_F(ProgramOrderTest, a_write_waits_for_the_write_on_another_stream) {
  const StorageRef block = block_of(1);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(block, 2);
  rehearsal::set_delay(0);
  set_current_stream(Stream::create(cuda0));
  store(block, 3);
  EXPECT_EQ(read_int(block), 3);
}

TEST_F(ProgramOrderTest, a_host_read_waits_for_the_write_on_another_stream) {
  const StorageRef block = block_of(1);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(block, 2);
  set_current_stream(Stream(cuda0));
  EXPECT_EQ(read_int(block), 2);
}

TEST_F(ProgramOrderTest, new_memory_is_ordered_after_its_previous_use) {
  rehearsal::set_delay(slow_us);
  StorageRef block = allocate(cuda0, 5000);
  const char* const data = block->data();
  store(block, 1);
  block = {};
  block = allocate(cuda0, 5000);
  ASSERT_EQ(block->data(), data);
  rehearsal::set_delay(0);
  set_current_stream(Stream::create(cuda0));
  store(block, 2);
  synchronize(cuda0);
  EXPECT_EQ(now(block), 2);
}

TEST_F(ProgramOrderTest, a_copy_between_devices_waits_and_is_waited_for) {
  const StorageRef source = block_of(1);
  const StorageRef target = block_of(0, cuda1);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(source, 2);
  set_current_stream(Stream::create(cuda0));
  set_current_stream(Stream::create(cuda1));
  copy_bytes(target, 0, source, 0, sizeof(int));
  rehearsal::set_delay(0);
  set_current_stream(Stream(cuda0));
  store(source, 3);
  set_current_stream(Stream(cuda1));
  EXPECT_EQ(read_int(target), 2);
  EXPECT_EQ(read_int(source), 3);
}

TEST_F(ProgramOrderTest, memory_that_another_device_still_reads_is_not_reused) {
  StorageRef source = allocate(cuda0, 5000);
  const char* const data = source->data();
  const StorageRef target = allocate(cuda1, 5000);
  synchronize(cuda0);
  rehearsal::set_delay(slow_us);
  copy_bytes(target, 0, source, 0, 5000);
  source = {};
  EXPECT_NE(allocate(cuda0, 5000)->data(), data);
  synchronize(cuda1);
  const StorageRef blocks[] = {allocate(cuda0, 5000), allocate(cuda0, 5000)};
  EXPECT_TRUE(blocks[0]->data() == data || blocks[1]->data() == data);
}

TEST_F(ProgramOrderTest, two_streams_read_one_block_concurrently) {
  const StorageRef block = block_of(1);
  const MemoryUse uses[] = {reads(block)};
  const auto on_a_stream = [&](const MeetParams& params) {
    set_current_stream(Stream::create(cuda0));
    launch(cuda0, meeting, params, uses);
  };
  EXPECT_EQ(meet(on_a_stream, on_a_stream), 2);
}

TEST_F(ProgramOrderTest, work_on_different_blocks_runs_concurrently) {
  const StorageRef blocks[] = {block_of(1), block_of(2)};
  int k = 0;
  const auto on_a_stream = [&](const MeetParams& params) {
    const MemoryUse uses[] = {writes(blocks[k++])};
    set_current_stream(Stream::create(cuda0));
    launch(cuda0, meeting, params, uses);
  };
  EXPECT_EQ(meet(on_a_stream, on_a_stream), 2);
}

TEST_F(ProgramOrderTest, a_copy_to_another_device_runs_concurrently_with_other_work_of_both) {
  const StorageRef source = block_of(1);
  const StorageRef target = block_of(0, cuda1);
  const StorageRef blocks[] = {block_of(1), block_of(0, cuda1)};
  const Stream copies = Stream::create(cuda1);
  const auto launch_on = [&](Device device, const StorageRef& block) {
    return [device, &block, &copies, &source, &target](const MeetParams& params) {
      if (device == cuda0) {
        set_current_stream(copies);
        copy_bytes(target, 0, source, 0, sizeof(int));
        set_current_stream(Stream(cuda1));
      }
      const MemoryUse uses[] = {writes(block)};
      launch(device, meeting, params, uses);
    };
  };
  rehearsal::set_delay(1000);
  EXPECT_EQ(meet(launch_on(cuda0, blocks[0]), launch_on(cuda1, blocks[1])), 2);
}

TEST_F(ProgramOrderTest, neither_a_finished_use_nor_later_work_is_waited_for) {
  const StorageRef block = block_of(1);
  const StorageRef other = block_of(1);
  const MemoryUse first[] = {writes(other)};
  const MemoryUse second[] = {writes(block)};
  // The default stream, which wrote `block` and was waited for, is busy.
  EXPECT_EQ(meet([&](const MeetParams& params) { launch(cuda0, meeting, params, first); },
                 [&](const MeetParams& params) {
                   set_current_stream(Stream::create(cuda0));
                   launch(cuda0, meeting, params, second);
                 }),
            2);
}

TEST_F(ProgramOrderTest, ordering_on_one_stream_makes_no_call) {
  const StorageRef source = block_of(1);
  const StorageRef target = block_of(0);
  for (const Stream& stream : {Stream(cuda0), Stream::create(cuda0)}) {
    set_current_stream(stream);
    store(source, 1);
    load(target, source);
    int anything = 0;
    const std::uint64_t call_count =
        calls_of([&] { launch(cuda0, store_kernel, StoreParams{&anything, 1}, {}); });
    EXPECT_LE(call_count, 3u);
    EXPECT_EQ(calls_of([&] { store(source, 2); }), call_count);
    EXPECT_EQ(calls_of([&] { load(target, source); }), call_count);
    EXPECT_EQ(calls_of([&] { store(source, 3); }), call_count);
    stream.synchronize();
    EXPECT_EQ(calls_of([&] { load(target, source); }), call_count) << "a wait changes nothing";
    synchronize(cuda0);
  }
}

TEST_F(ProgramOrderTest, a_stream_waits_once_for_the_work_of_another) {
  const StorageRef sources[] = {block_of(1), block_of(2), block_of(3)};
  const StorageRef target = block_of(0);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(1000);
  for (const StorageRef& source : sources) store(source, 4);
  const Stream reader = Stream::create(cuda0);
  set_current_stream(reader);
  const std::uint64_t waits = rehearsal::calls(&cuda::Api::stream_wait_event);
  const std::uint64_t records = rehearsal::calls(&cuda::Api::event_record);
  for (const StorageRef& source : sources) load(target, source);
  for (const StorageRef& source : sources) load(target, source);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::stream_wait_event), waits + 1);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::event_record), records + 1);
}

TEST_F(ProgramOrderTest, alternating_streams_create_no_new_events) {
  const StorageRef block = block_of(0);
  const Stream streams[] = {Stream::create(cuda0), Stream::create(cuda0), Stream::create(cuda0)};
  const auto turn = [&](int value) {
    for (const Stream& stream : streams) {
      set_current_stream(stream);
      store(block, value);
    }
  };
  for (int i = 0; i < 100; ++i) turn(i);
  const std::uint64_t created = rehearsal::calls(&cuda::Api::event_create);
  for (int i = 0; i < 1000; ++i) turn(i);
  EXPECT_LE(rehearsal::calls(&cuda::Api::event_create), created + 3);
  EXPECT_EQ(read_int(block), 999);
}

TEST_F(ProgramOrderTest, a_foreign_stream_may_be_destroyed_before_its_work_is_waited_for) {
  const cuda::Api& table = *rehearsal::calls_table();
  const StorageRef block = block_of(0);
  const StorageRef target = block_of(0);
  for (int i = 1; i <= 100; ++i) {
    void* handle = nullptr;
    ASSERT_EQ(table.stream_create(&handle), cuda::success);
    set_current_stream(Stream::from_handle(cuda0, handle));
    rehearsal::set_delay(i < 5 ? 5'000 : 0);
    store(block, i);
    rehearsal::set_delay(0);
    set_current_stream(Stream(cuda0));
    ASSERT_EQ(table.stream_destroy(handle), cuda::success);
    load(target, block);
    ASSERT_EQ(read_int(target), i);
  }
}

TEST_F(ProgramOrderTest, a_foreign_stream_that_was_waited_for_while_closed_is_waited_for_again) {
  const cuda::Api& table = *rehearsal::calls_table();
  const StorageRef block = block_of(0);
  const StorageRef target = block_of(0);
  void* handle = nullptr;
  ASSERT_EQ(table.stream_create(&handle), cuda::success);
  const Stream foreign = Stream::from_handle(cuda0, handle);
  cuda::StreamSet& streams = *cuda::usable_state(cuda0).streams;
  for (int i = 1; i <= 3; ++i) {
    set_current_stream(foreign);
    rehearsal::set_delay(slow_us);
    store(block, i);
    rehearsal::set_delay(0);
    set_current_stream(Stream(cuda0));
    load(target, block);
    ASSERT_EQ(read_int(target), i);
    cuda::StreamState* const stream_state = streams.find(handle);
    ASSERT_NE(stream_state, nullptr);
    EXPECT_TRUE(stream_state->wait(stream_state->now()));
  }
  ASSERT_EQ(table.stream_destroy(handle), cuda::success);
}

TEST_F(ProgramOrderTest, a_closed_foreign_stream_is_done_when_its_work_is) {
  const cuda::Api& table = *rehearsal::calls_table();
  const StorageRef block = block_of(0);
  void* handle = nullptr;
  ASSERT_EQ(table.stream_create(&handle), cuda::success);
  set_current_stream(Stream::from_handle(cuda0, handle));
  rehearsal::set_delay(slow_us);
  store(block, 1);
  rehearsal::set_delay(0);
  set_current_stream(Stream(cuda0));
  cuda::StreamState* const stream_state = cuda::usable_state(cuda0).streams->find(handle);
  ASSERT_NE(stream_state, nullptr);
  // Check the current epoch, not that of the store: exported memory is recorded under the current
  // one.
  EXPECT_FALSE(stream_state->is_done(stream_state->now()));
  EXPECT_TRUE(stream_state->wait(stream_state->now()));
  EXPECT_EQ(now(block), 1);
  ASSERT_EQ(table.stream_destroy(handle), cuda::success);
}

TEST_F(ProgramOrderTest, foreign_memory_is_ordered_too) {
  int value = 0;
  const StorageRef memory = block_of(1);
  const StorageRef foreign = adopt(cuda0, memory->data(), sizeof value, false, nullptr, nullptr);
  const StorageRef target = block_of(0);
  set_current_stream(Stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(foreign, 5);
  rehearsal::set_delay(0);
  set_current_stream(Stream(cuda0));
  load(target, foreign);
  EXPECT_EQ(read_int(target), 5);
}

TEST_F(ProgramOrderTest, a_launch_that_fails_leaves_the_order_as_it_was) {
  for (const rehearsal::Entry failing :
       {rehearsal::Entry(&cuda::Api::stream_is_capturing),
        rehearsal::Entry(&cuda::Api::event_record), rehearsal::Entry(&cuda::Api::stream_wait_event),
        rehearsal::Entry(&cuda::Api::launch_host_kernel)}) {
    const StorageRef source = block_of(1);
    const StorageRef target = block_of(0);
    const Stream writer = Stream::create(cuda0);
    const Stream reader = Stream::create(cuda0);
    set_current_stream(writer);
    rehearsal::set_delay(slow_us);
    store(source, 2);
    rehearsal::set_delay(0);
    set_current_stream(reader);
    // The reader's own stream is checked for capturing first.
    rehearsal::fail_entry(failing, failing == &cuda::Api::stream_is_capturing ? 2 : 1,
                          cuda::invalid_value);
    EXPECT_THROW(load(target, source), DeviceError);
    rehearsal::clear();
    load(target, source);
    set_current_stream(writer);
    store(source, 3);
    EXPECT_EQ(read_int(target), 2);
    EXPECT_EQ(read_int(source), 3);
  }
}

TEST_F(ProgramOrderTest, work_on_a_stream_that_is_being_captured_can_t_be_waited_for) {
  const StorageRef block = block_of(1);
  const Stream captured = Stream::create(cuda0);
  set_current_stream(captured);
  store(block, 2);
  rehearsal::set_captured(captured.handle());
  set_current_stream(Stream(cuda0));
  EXPECT_THROW(store(block, 3), ValueError);
  rehearsal::set_captured(nullptr);
  store(block, 3);
  EXPECT_EQ(read_int(block), 3);
}

TEST_F(ProgramOrderTest, threads_read_one_block_and_write_their_own) {
  const StorageRef shared = block_of(7);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      set_current_stream(Stream::create(cuda0));
      for (int i = 0; i < 200; ++i) {
        const StorageRef own_block = allocate(cuda0, sizeof(int));
        load(own_block, shared);
        EXPECT_EQ(read_int(own_block), 7);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  store(shared, 8);
  EXPECT_EQ(read_int(shared), 8);
}

/// Threads take turns: program order is the order of the turns.
TEST_F(ProgramOrderTest, threads_that_pass_on_a_block_are_ordered) {
  const StorageRef block = block_of(0);
  const StorageRef target = block_of(0);
  for (int i = 1; i <= 20; ++i) {
    std::thread([&] {
      set_current_stream(Stream::create(cuda0));
      rehearsal::set_delay(i % 4 == 0 ? 3'000 : 0);
      store(block, i);
      rehearsal::set_delay(0);
    }).join();
    load(target, block);
    ASSERT_EQ(read_int(target), i);
  }
}

TEST_F(ProgramOrderTest, concurrent_uses_of_one_block_are_safe) {
  const StorageRef block = block_of(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      set_current_stream(t % 2 == 0 ? Stream::create(cuda0) : Stream(cuda0));
      for (int i = 0; i < 200; ++i) {
        store(block, i);
        if (i % 10 == 0) synchronize(cuda0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read_int(block), 199);
}

}  // namespace
}  // namespace skerry
