// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Uses of one storage take effect in the order in which they were made, on whatever streams.

#include <chrono>
#include <thread>

#include "core/errors.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/interchange.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

class program_order_test : public rehearsed {
 protected:
  static constexpr int slow_us = 30'000;

  static storage_ref block_of(int value, device where = cuda0) {
    const storage_ref block = allocate(where, sizeof(int));
    store(block, value);
    synchronize(where);
    return block;
  }
  static int now(const storage_ref& block) {
    return __atomic_load_n(ints(block), __ATOMIC_SEQ_CST);
  }
  template <class Call>
  static std::uint64_t calls_of(Call call) {
    const std::uint64_t before = rehearsal::calls();
    call();
    return rehearsal::calls() - before;
  }
};

// Two kernels that meet run at the same time: each waits until the other has begun.

struct meet_params {
  std::atomic<int>* here;
  int* met;
};
constexpr kernel meeting{.host = [](const void* params) {
  const auto& p = *static_cast<const meet_params*>(params);
  p.here->fetch_add(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (p.here->load() < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  if (p.here->load() >= 2) __atomic_fetch_add(p.met, 1, __ATOMIC_SEQ_CST);
}};

/// How many of the two met.
template <class First, class Second>
int meet(First first, Second second) {
  std::atomic<int> here{0};
  int met = 0;
  const meet_params params{&here, &met};
  first(params);
  second(params);
  for (const device each : {cuda0, cuda1}) synchronize(each);
  return __atomic_load_n(&met, __ATOMIC_SEQ_CST);
}

TEST_F(program_order_test, a_read_waits_for_the_write_on_another_stream) {
  const storage_ref source = block_of(1);
  const storage_ref target = block_of(0);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(source, 2);
  rehearsal::set_delay(0);
  set_current_stream(stream::create(cuda0));
  load(target, source);
  set_current_stream(stream(cuda0));
  EXPECT_EQ(read_int(target), 2);
}

TEST_F(program_order_test, a_write_waits_for_all_reads_on_other_streams) {
  const storage_ref source = block_of(1);
  storage_ref targets[3];
  for (storage_ref& target : targets) {
    target = block_of(0);
    set_current_stream(stream::create(cuda0));
    rehearsal::set_delay(slow_us);
    load(target, source);
  }
  rehearsal::set_delay(0);
  set_current_stream(stream(cuda0));
  store(source, 2);
  for (const storage_ref& target : targets) EXPECT_EQ(read_int(target), 1);
  EXPECT_EQ(read_int(source), 2);
}

TEST_F(program_order_test, a_write_waits_for_the_write_on_another_stream) {
  const storage_ref block = block_of(1);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(block, 2);
  rehearsal::set_delay(0);
  set_current_stream(stream::create(cuda0));
  store(block, 3);
  EXPECT_EQ(read_int(block), 3);
}

TEST_F(program_order_test, a_host_read_waits_for_the_write_on_another_stream) {
  const storage_ref block = block_of(1);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(block, 2);
  set_current_stream(stream(cuda0));
  EXPECT_EQ(read_int(block), 2);
}

TEST_F(program_order_test, fresh_memory_is_in_order_with_what_used_it_before) {
  rehearsal::set_delay(slow_us);
  storage_ref block = allocate(cuda0, 5000);
  const char* const data = block->data();
  store(block, 1);
  block = {};
  block = allocate(cuda0, 5000);
  ASSERT_EQ(block->data(), data);
  rehearsal::set_delay(0);
  set_current_stream(stream::create(cuda0));
  store(block, 2);
  synchronize(cuda0);
  EXPECT_EQ(now(block), 2);
}

TEST_F(program_order_test, a_copy_between_devices_waits_and_is_waited_for) {
  const storage_ref source = block_of(1);
  const storage_ref target = block_of(0, cuda1);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(source, 2);
  set_current_stream(stream::create(cuda0));
  set_current_stream(stream::create(cuda1));
  copy_bytes(target, 0, source, 0, sizeof(int));
  rehearsal::set_delay(0);
  set_current_stream(stream(cuda0));
  store(source, 3);
  set_current_stream(stream(cuda1));
  EXPECT_EQ(read_int(target), 2);
  EXPECT_EQ(read_int(source), 3);
}

TEST_F(program_order_test, memory_that_another_device_still_reads_is_not_used_again) {
  storage_ref source = allocate(cuda0, 5000);
  const char* const data = source->data();
  const storage_ref target = allocate(cuda1, 5000);
  synchronize(cuda0);
  rehearsal::set_delay(slow_us);
  copy_bytes(target, 0, source, 0, 5000);
  source = {};
  EXPECT_NE(allocate(cuda0, 5000)->data(), data);
  synchronize(cuda1);
  const storage_ref blocks[] = {allocate(cuda0, 5000), allocate(cuda0, 5000)};
  EXPECT_TRUE(blocks[0]->data() == data || blocks[1]->data() == data);
}

TEST_F(program_order_test, two_streams_read_one_block_side_by_side) {
  const storage_ref block = block_of(1);
  const memory_use uses[] = {reads(block)};
  const auto on_a_stream = [&](const meet_params& params) {
    set_current_stream(stream::create(cuda0));
    launch(cuda0, meeting, params, uses);
  };
  EXPECT_EQ(meet(on_a_stream, on_a_stream), 2);
}

TEST_F(program_order_test, work_on_different_blocks_runs_side_by_side) {
  const storage_ref blocks[] = {block_of(1), block_of(2)};
  int k = 0;
  const auto on_a_stream = [&](const meet_params& params) {
    const memory_use uses[] = {writes(blocks[k++])};
    set_current_stream(stream::create(cuda0));
    launch(cuda0, meeting, params, uses);
  };
  EXPECT_EQ(meet(on_a_stream, on_a_stream), 2);
}

TEST_F(program_order_test, a_copy_to_another_device_runs_beside_other_work_of_both) {
  const storage_ref source = block_of(1);
  const storage_ref target = block_of(0, cuda1);
  const storage_ref others[] = {block_of(1), block_of(0, cuda1)};
  const stream copies = stream::create(cuda1);
  const auto on = [&](device where, const storage_ref& block) {
    return [where, &block, &copies, &source, &target](const meet_params& params) {
      if (where == cuda0) {
        set_current_stream(copies);
        copy_bytes(target, 0, source, 0, sizeof(int));
        set_current_stream(stream(cuda1));
      }
      const memory_use uses[] = {writes(block)};
      launch(where, meeting, params, uses);
    };
  };
  rehearsal::set_delay(1000);
  EXPECT_EQ(meet(on(cuda0, others[0]), on(cuda1, others[1])), 2);
}

TEST_F(program_order_test, a_use_that_is_done_is_not_waited_for_nor_what_came_after_it) {
  const storage_ref block = block_of(1);
  const storage_ref other = block_of(1);
  const memory_use first[] = {writes(other)};
  const memory_use second[] = {writes(block)};
  // The default stream, which has written the second one and was waited for, is busy.
  EXPECT_EQ(meet([&](const meet_params& params) { launch(cuda0, meeting, params, first); },
                 [&](const meet_params& params) {
                   set_current_stream(stream::create(cuda0));
                   launch(cuda0, meeting, params, second);
                 }),
            2);
}

TEST_F(program_order_test, on_one_stream_it_calls_nothing) {
  const storage_ref source = block_of(1);
  const storage_ref target = block_of(0);
  for (const stream& on : {stream(cuda0), stream::create(cuda0)}) {
    set_current_stream(on);
    store(source, 1);
    load(target, source);
    int anything = 0;
    const std::uint64_t plain =
        calls_of([&] { launch(cuda0, store_kernel, store_params{&anything, 1}, {}); });
    EXPECT_LE(plain, 3u);
    EXPECT_EQ(calls_of([&] { store(source, 2); }), plain);
    EXPECT_EQ(calls_of([&] { load(target, source); }), plain);
    EXPECT_EQ(calls_of([&] { store(source, 3); }), plain);
    on.synchronize();
    EXPECT_EQ(calls_of([&] { load(target, source); }), plain) << "a wait changes nothing";
    synchronize(cuda0);
  }
}

TEST_F(program_order_test, a_stream_waits_once_for_the_work_of_another) {
  const storage_ref sources[] = {block_of(1), block_of(2), block_of(3)};
  const storage_ref target = block_of(0);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(1000);
  for (const storage_ref& each : sources) store(each, 4);
  const stream reader = stream::create(cuda0);
  set_current_stream(reader);
  const std::uint64_t waits = rehearsal::calls(&cuda::api::stream_wait_event);
  const std::uint64_t records = rehearsal::calls(&cuda::api::event_record);
  for (const storage_ref& each : sources) load(target, each);
  for (const storage_ref& each : sources) load(target, each);
  EXPECT_EQ(rehearsal::calls(&cuda::api::stream_wait_event), waits + 1);
  EXPECT_EQ(rehearsal::calls(&cuda::api::event_record), records + 1);
}

TEST_F(program_order_test, streams_that_take_turns_make_no_new_events) {
  const storage_ref block = block_of(0);
  const stream streams[] = {stream::create(cuda0), stream::create(cuda0), stream::create(cuda0)};
  const auto turn = [&](int value) {
    for (const stream& each : streams) {
      set_current_stream(each);
      store(block, value);
    }
  };
  for (int i = 0; i < 100; ++i) turn(i);
  const std::uint64_t created = rehearsal::calls(&cuda::api::event_create);
  for (int i = 0; i < 1000; ++i) turn(i);
  EXPECT_LE(rehearsal::calls(&cuda::api::event_create), created + 3);
  EXPECT_EQ(read_int(block), 999);
}

TEST_F(program_order_test, a_foreign_stream_may_be_gone_when_its_work_is_waited_for) {
  const cuda::api& table = *rehearsal::calls_table();
  const storage_ref block = block_of(0);
  const storage_ref target = block_of(0);
  for (int i = 1; i <= 100; ++i) {
    void* handle = nullptr;
    ASSERT_EQ(table.stream_create(&handle), cuda::success);
    set_current_stream(stream::from_handle(cuda0, handle));
    rehearsal::set_delay(i < 5 ? 5'000 : 0);
    store(block, i);
    rehearsal::set_delay(0);
    set_current_stream(stream(cuda0));
    ASSERT_EQ(table.stream_destroy(handle), cuda::success);
    load(target, block);
    ASSERT_EQ(read_int(target), i);
  }
}

TEST_F(program_order_test, a_foreign_stream_that_was_waited_for_out_of_use_is_waited_for_again) {
  const cuda::api& table = *rehearsal::calls_table();
  const storage_ref block = block_of(0);
  const storage_ref target = block_of(0);
  void* handle = nullptr;
  ASSERT_EQ(table.stream_create(&handle), cuda::success);
  const stream foreign = stream::from_handle(cuda0, handle);
  cuda::stream_set& streams = *cuda::use(cuda0).streams;
  for (int i = 1; i <= 3; ++i) {
    set_current_stream(foreign);
    rehearsal::set_delay(slow_us);
    store(block, i);
    rehearsal::set_delay(0);
    set_current_stream(stream(cuda0));
    load(target, block);
    ASSERT_EQ(read_int(target), i);
    cuda::timeline* const work = streams.find(handle);
    ASSERT_NE(work, nullptr);
    EXPECT_TRUE(work->wait(work->now()));
  }
  ASSERT_EQ(table.stream_destroy(handle), cuda::success);
}

TEST_F(program_order_test, a_foreign_stream_out_of_use_is_done_when_its_work_is) {
  const cuda::api& table = *rehearsal::calls_table();
  const storage_ref block = block_of(0);
  void* handle = nullptr;
  ASSERT_EQ(table.stream_create(&handle), cuda::success);
  set_current_stream(stream::from_handle(cuda0, handle));
  rehearsal::set_delay(slow_us);
  store(block, 1);
  rehearsal::set_delay(0);
  set_current_stream(stream(cuda0));
  cuda::timeline* const work = cuda::use(cuda0).streams->find(handle);
  ASSERT_NE(work, nullptr);
  // Not only up to the stretch of the store: memory that was handed on is noted in the last one.
  EXPECT_FALSE(work->is_done(work->now()));
  EXPECT_TRUE(work->wait(work->now()));
  EXPECT_EQ(now(block), 1);
  ASSERT_EQ(table.stream_destroy(handle), cuda::success);
}

TEST_F(program_order_test, memory_of_others_is_in_order_too) {
  int value = 0;
  const storage_ref memory = block_of(1);
  const storage_ref foreign = adopt(cuda0, memory->data(), sizeof value, false, nullptr, nullptr);
  const storage_ref target = block_of(0);
  set_current_stream(stream::create(cuda0));
  rehearsal::set_delay(slow_us);
  store(foreign, 5);
  rehearsal::set_delay(0);
  set_current_stream(stream(cuda0));
  load(target, foreign);
  EXPECT_EQ(read_int(target), 5);
}

TEST_F(program_order_test, a_launch_that_fails_leaves_the_order_as_it_was) {
  for (const rehearsal::entry failing :
       {rehearsal::entry(&cuda::api::stream_is_capturing),
        rehearsal::entry(&cuda::api::event_record), rehearsal::entry(&cuda::api::stream_wait_event),
        rehearsal::entry(&cuda::api::launch_host_kernel)}) {
    const storage_ref source = block_of(1);
    const storage_ref target = block_of(0);
    const stream writer = stream::create(cuda0);
    const stream reader = stream::create(cuda0);
    set_current_stream(writer);
    rehearsal::set_delay(slow_us);
    store(source, 2);
    rehearsal::set_delay(0);
    set_current_stream(reader);
    // The reader's own stream is asked first whether it is captured.
    rehearsal::fail_entry(failing, failing == &cuda::api::stream_is_capturing ? 2 : 1,
                          cuda::invalid_value);
    EXPECT_THROW(load(target, source), device_error);
    rehearsal::clear();
    load(target, source);
    set_current_stream(writer);
    store(source, 3);
    EXPECT_EQ(read_int(target), 2);
    EXPECT_EQ(read_int(source), 3);
  }
}

TEST_F(program_order_test, work_on_a_stream_that_is_captured_now_can_t_be_waited_for) {
  const storage_ref block = block_of(1);
  const stream captured = stream::create(cuda0);
  set_current_stream(captured);
  store(block, 2);
  rehearsal::set_captured(captured.handle());
  set_current_stream(stream(cuda0));
  EXPECT_THROW(store(block, 3), value_error);
  rehearsal::set_captured(nullptr);
  store(block, 3);
  EXPECT_EQ(read_int(block), 3);
}

TEST_F(program_order_test, threads_read_one_block_and_write_their_own) {
  const storage_ref shared = block_of(7);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      set_current_stream(stream::create(cuda0));
      for (int i = 0; i < 200; ++i) {
        const storage_ref mine = allocate(cuda0, sizeof(int));
        load(mine, shared);
        EXPECT_EQ(read_int(mine), 7);
      }
    });
  }
  for (auto& each : threads) each.join();
  store(shared, 8);
  EXPECT_EQ(read_int(shared), 8);
}

/// One after the other, in turns: the order of the program is the order of the turns.
TEST_F(program_order_test, threads_that_hand_a_block_on_are_in_order) {
  const storage_ref block = block_of(0);
  const storage_ref target = block_of(0);
  for (int i = 1; i <= 20; ++i) {
    std::thread([&] {
      set_current_stream(stream::create(cuda0));
      rehearsal::set_delay(i % 4 == 0 ? 3'000 : 0);
      store(block, i);
      rehearsal::set_delay(0);
    }).join();
    load(target, block);
    ASSERT_EQ(read_int(target), i);
  }
}

TEST_F(program_order_test, streams_that_use_one_block_at_once_do_no_harm) {
  const storage_ref block = block_of(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      set_current_stream(t % 2 == 0 ? stream::create(cuda0) : stream(cuda0));
      for (int i = 0; i < 200; ++i) {
        store(block, i);
        if (i % 10 == 0) synchronize(cuda0);
      }
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(read_int(block), 199);
}

}  // namespace
}  // namespace skerry
