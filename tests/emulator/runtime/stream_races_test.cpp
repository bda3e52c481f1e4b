// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Unordered accesses of two streams to the same memory are reported, whichever happens first.

#include "device/emulator/runtime/stream_races.hpp"

#include <malloc.h>

#include "device/emulator/runtime/launches.hpp"
#include "device/emulator/runtime/reports.hpp"
#include "device/rehearsal/stream_order.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

constexpr int host_to_device = 1;
constexpr int device_to_device = 3;

/// Sets to[i] = from[i] for every thread i of one block.
constexpr std::string_view move_ptx = R"(
.visible .entry move(.param .u64 to, .param .u64 from) {
  .reg .b32 %r<3>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd5];
  st.global.u32 [%rd4], %r2;
  ret;
}
)";

/// Adds 1 to data[i] atomically for every thread i of one block.
constexpr std::string_view add_ptx = R"(
.visible .entry add(.param .u64 data) {
  .reg .b32 %r<2>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  red.global.add.u32 [%rd3], 1;
  ret;
}
)";

class StreamRacesTest : public EmulatedDevices {
 protected:
  void SetUp() override {
    EmulatedDevices::SetUp();
    follow_streams();
    ASSERT_EQ(stream_create(&first, 1), cuda::success);
    ASSERT_EQ(stream_create(&second, 1), cuda::success);
    ASSERT_EQ(event_create_with_flags(&event, 2), cuda::success);
    data = device_memory(32);
    other = device_memory(32);
  }
  void TearDown() override {
    rehearsal::clear();
    EXPECT_EQ(stream_synchronize(first), cuda::success);
    EXPECT_EQ(stream_synchronize(second), cuda::success);
    rehearsal::follows_order.store(false);
    EXPECT_EQ(deallocate(data), cuda::success);
    EXPECT_EQ(deallocate(other), cuda::success);
    EXPECT_EQ(event_destroy(event), cuda::success);
    EXPECT_EQ(stream_destroy(first), cuda::success);
    EXPECT_EQ(stream_destroy(second), cuda::success);
    EmulatedDevices::TearDown();
  }

  /// Sets destination[0:32] = 1.
  void write(void* stream, std::uint32_t* destination) {
    ASSERT_EQ(launch(store, {}, {32, 1, 1}, destination, 1, 0, stream), cuda::success);
  }
  void copy_by_kernel(void* stream, std::uint32_t* destination, std::uint32_t* source,
                      unsigned count = 32) {
    void* arguments[] = {&destination, &source};
    ASSERT_EQ(launch_kernel(move, {}, {count, 1, 1}, arguments, 0, stream), cuda::success);
  }
  void add_atomically(void* stream) {
    void* arguments[] = {&data};
    ASSERT_EQ(launch_kernel(add, {}, {32, 1, 1}, arguments, 0, stream), cuda::success);
  }
  void order_by_event(void* earlier_stream, void* behind) {
    ASSERT_EQ(event_record(event, earlier_stream), cuda::success);
    ASSERT_EQ(stream_wait_event(behind, event, 0), cuda::success);
  }
  static void expect_race(std::initializer_list<std::string_view> words) {
    EXPECT_EQ(device_synchronize(), code::launch_failure);
    for (const std::string_view word : words) {
      EXPECT_NE(last_report().find(word), std::string::npos) << word << " in " << last_report();
    }
    rehearsal::clear();
    // A failing call may return before the other streams are idle.
    EXPECT_EQ(device_synchronize(), cuda::success);
  }
  static void expect_none() { EXPECT_EQ(device_synchronize(), cuda::success) << last_report(); }

  ProgramImage image{fat_binary(std::string(ptx_head) + std::string(store_ptx) +
                                std::string(move_ptx) + std::string(add_ptx))};
  const void* store = image.kernel("store");
  const void* move = image.kernel("move");
  const void* add = image.kernel("add");
  void* first = nullptr;
  void* second = nullptr;
  void* event = nullptr;
  std::uint32_t* data = nullptr;
  std::uint32_t* other = nullptr;
};

TEST_F(StreamRacesTest, an_unordered_read_after_write_is_a_race) {
  write(first, data);
  // A query of another stream does not order the write, even if that is complete by then.
  while (stream_query(nullptr) == cuda::not_ready) {
  }
  copy_by_kernel(second, other, data);
  expect_race({"race between streams", "move", "store", "no event"});
}

TEST_F(StreamRacesTest, streams_events_and_the_host_order_accesses) {
  write(first, data);
  copy_by_kernel(first, other, data);
  order_by_event(first, second);
  copy_by_kernel(second, data, other);
  ASSERT_EQ(stream_synchronize(second), cuda::success);
  write(first, other);
  ASSERT_EQ(event_record(event, first), cuda::success);
  ASSERT_EQ(event_synchronize(event), cuda::success);
  copy_by_kernel(second, data, other);
  ASSERT_EQ(device_synchronize(), cuda::success);
  write(first, data);
  expect_none();
}

TEST_F(StreamRacesTest, an_event_orders_only_work_before_its_record) {
  ASSERT_EQ(event_record(event, first), cuda::success);
  write(first, data);
  ASSERT_EQ(stream_wait_event(second, event, 0), cuda::success);
  copy_by_kernel(second, other, data);
  expect_race({"move", "store"});
}

TEST_F(StreamRacesTest, an_event_orders_what_its_stream_waited_for) {
  void* third = nullptr;
  ASSERT_EQ(stream_create(&third, 1), cuda::success);
  write(third, data);
  order_by_event(third, first);
  order_by_event(first, second);
  copy_by_kernel(second, other, data);
  expect_none();
  EXPECT_EQ(stream_destroy(third), cuda::success);
}

TEST_F(StreamRacesTest, reads_and_accesses_to_adjacent_bytes_are_not_races) {
  ASSERT_EQ(fill_async(data, 0, 128, first), cuda::success);
  expect_none();
  copy_by_kernel(first, other, data, 8);
  copy_by_kernel(second, other + 8, data, 8);
  expect_none();
  copy_by_kernel(first, other, data, 8);
  copy_by_kernel(second, other + 7, data, 8);
  expect_race({"move", "writes"});
}

TEST_F(StreamRacesTest, an_unordered_write_after_read_is_a_race) {
  write(first, data);
  expect_none();
  copy_by_kernel(first, other, data);
  write(second, data);
  expect_race({"race between streams", "store", "move"});
  write(first, data);
  ASSERT_EQ(device_synchronize(), cuda::success);
  copy_by_kernel(first, other, data);
  order_by_event(first, second);
  write(second, data);
  expect_none();
}

TEST_F(StreamRacesTest, atomics_race_with_plain_accesses_only) {
  add_atomically(first);
  add_atomically(second);
  expect_none();
  add_atomically(first);
  write(second, data);
  expect_race({"store", "add"});
  // An atomic access does not replace those of other streams, nor plain ones of its own.
  add_atomically(first);
  add_atomically(second);
  copy_by_kernel(second, other, data);
  expect_race({"move", "add"});
  copy_by_kernel(first, other, data);
  add_atomically(first);
  add_atomically(second);
  expect_race({"move", "add"});
}

TEST_F(StreamRacesTest, copies_and_fills_are_checked) {
  const std::vector<std::uint32_t> values(32, 3);
  ASSERT_EQ(copy_async(data, values.data(), 128, host_to_device, first), cuda::success);
  copy_by_kernel(second, other, data);
  expect_race({"move", "a copy"});
  ASSERT_EQ(fill_async(other, 0, 128, first), cuda::success);
  ASSERT_EQ(copy_async(data, other, 128, device_to_device, second), cuda::success);
  expect_race({"a copy", "a fill"});
  ASSERT_EQ(fill_async(other, 0, 128, first), cuda::success);
  order_by_event(first, second);
  ASSERT_EQ(copy_async(data, other, 128, device_to_device, second), cuda::success);
  expect_none();
}

TEST_F(StreamRacesTest, a_free_races_with_unordered_uses) {
  for (const bool is_ordered : {false, true}) {
    void* pooled = nullptr;
    ASSERT_EQ(allocate_async(&pooled, 128, first), cuda::success);
    write(second, static_cast<std::uint32_t*>(pooled));
    if (is_ordered) order_by_event(second, first);
    // The free happens after the use, as on an idle GPU.
    rehearsal::set_delay(20'000);
    ASSERT_EQ(deallocate_async(pooled, first), cuda::success);
    rehearsal::set_delay(0);
    if (is_ordered) {
      expect_none();
    } else {
      expect_race({"the end of an allocation", "store"});
    }
  }
}

TEST_F(StreamRacesTest, frees_and_records_in_the_legacy_stream_order_only_themselves) {
  void* blocking = nullptr;
  void* other_blocking = nullptr;
  ASSERT_EQ(stream_create(&blocking, 0), cuda::success);
  ASSERT_EQ(stream_create(&other_blocking, 0), cuda::success);
  const auto race = [&](auto act) {
    write(blocking, data);
    act();
    copy_by_kernel(other_blocking, other, data);
    expect_race({"race between streams", "move", "store"});
  };
  race([&] {
    void* pooled = nullptr;
    ASSERT_EQ(allocate_async(&pooled, 128, nullptr), cuda::success);
    ASSERT_EQ(deallocate_async(pooled, nullptr), cuda::success);
  });
  race([] { ASSERT_EQ(deallocate(device_memory(32)), cuda::success); });
  race([] {
    void* pinned = nullptr;
    ASSERT_EQ(host_allocate(&pinned, 128, 0), cuda::success);
    ASSERT_EQ(host_deallocate(pinned), cuda::success);
  });
  race([] {
    void* managed = nullptr;
    ASSERT_EQ(allocate_managed(&managed, 128, 1), cuda::success);
    ASSERT_EQ(deallocate(managed), cuda::success);
  });
  race([&] { ASSERT_EQ(event_record(event, nullptr), cuda::success); });
  race([] {
    void* timed = nullptr;
    ASSERT_EQ(event_create(&timed), cuda::success);
    ASSERT_EQ(event_record(timed, nullptr), cuda::success);
    ASSERT_EQ(event_destroy(timed), cuda::success);
  });
  // What waits for them is ordered.
  void* used = nullptr;
  ASSERT_EQ(allocate_async(&used, 128, nullptr), cuda::success);
  write(blocking, static_cast<std::uint32_t*>(used));
  ASSERT_EQ(deallocate_async(used, nullptr), cuda::success);
  expect_none();
  write(blocking, data);
  order_by_event(nullptr, first);
  copy_by_kernel(first, other, data);
  expect_none();
  write(blocking, data);
  ASSERT_EQ(event_record(event, nullptr), cuda::success);
  ASSERT_EQ(event_synchronize(event), cuda::success);
  copy_by_kernel(other_blocking, other, data);
  expect_none();
  // Other work in the legacy stream orders both.
  write(blocking, data);
  write(nullptr, other);
  copy_by_kernel(other_blocking, other, data);
  expect_none();
  EXPECT_EQ(stream_destroy(blocking), cuda::success);
  EXPECT_EQ(stream_destroy(other_blocking), cuda::success);
}

TEST_F(StreamRacesTest, reused_memory_has_no_earlier_accesses) {
  write(first, data);
  EXPECT_EQ(deallocate(data), cuda::success);
  data = device_memory(32);
  write(second, data);
  expect_none();
}

TEST_F(StreamRacesTest, destroyed_streams_keep_no_order) {
  const auto use_streams = [&] {
    for (int i = 0; i < 1000; ++i) {
      void* stream = nullptr;
      ASSERT_EQ(stream_create(&stream, 1), cuda::success);
      write(stream, data);
      ASSERT_EQ(stream_synchronize(stream), cuda::success);
      ASSERT_EQ(stream_destroy(stream), cuda::success);
    }
  };
  use_streams();
  const std::size_t used_bytes = mallinfo2().uordblks;
  use_streams();
  // With the order of each stream, this grows by over 150 MB.
  EXPECT_LT(mallinfo2().uordblks, used_bytes + (8 << 20));
  expect_none();
}

TEST_F(StreamRacesTest, a_host_function_orders_later_work_of_the_host) {
  write(first, data);
  std::atomic<bool> has_run = false;
  ASSERT_EQ(
      launch_host_function(
          first, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }, &has_run),
      cuda::success);
  while (!has_run) {
  }
  copy_by_kernel(second, other, data);
  expect_none();
}

}  // namespace
}  // namespace skerry::emulation
