// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The simulated CUDA runtime itself: what fails on real CUDA must fail here.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "device/rehearsal/settings.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using cuda::CopyKind;

class RehearsalTest : public Rehearsed {
 protected:
  void SetUp() override {
    Rehearsed::SetUp();
    if (!IsSkipped()) rehearsal::set_device(0);
  }
  void TearDown() override {
    rehearsal::set_device(0);
    Rehearsed::TearDown();
  }
  void* device_memory(std::size_t nbytes) {
    void* data = nullptr;
    EXPECT_EQ(calls.allocate(&data, nbytes), cuda::success);
    return data;
  }

  const cuda::Api& calls = *rehearsal::calls_table();
  void* const legacy = cuda::legacy_stream;
};

TEST_F(RehearsalTest, only_live_blocks_can_be_freed) {
  int on_host = 0;
  EXPECT_EQ(calls.deallocate(&on_host), cuda::invalid_value);
  void* block = device_memory(100);
  EXPECT_EQ(calls.deallocate(static_cast<char*>(block) + 8), cuda::invalid_value);
  EXPECT_EQ(calls.deallocate(block), cuda::success);
  EXPECT_EQ(calls.deallocate(block), cuda::invalid_value);
  EXPECT_EQ(calls.deallocate_async(block, legacy), cuda::invalid_value);
  EXPECT_EQ(calls.host_deallocate(&on_host), cuda::invalid_value);
  EXPECT_EQ(calls.deallocate(nullptr), cuda::success);
}

TEST_F(RehearsalTest, copies_outside_of_a_block_are_rejected) {
  void* block = device_memory(100);
  char host[200] = {};
  EXPECT_EQ(calls.copy_async(block, host, 101, CopyKind::host_to_device, legacy),
            cuda::invalid_value);
  EXPECT_EQ(
      calls.copy_async(host, static_cast<char*>(block) + 50, 51, CopyKind::device_to_host, legacy),
      cuda::invalid_value);
  EXPECT_EQ(calls.fill_async(block, 0, 101, legacy), cuda::invalid_value);
  EXPECT_EQ(calls.copy_async(block, host, 100, CopyKind::device_to_host, legacy),
            cuda::invalid_value)
      << "the kind is wrong";
  EXPECT_EQ(calls.copy_async(block, nullptr, 1, CopyKind::host_to_device, legacy),
            cuda::invalid_value);
  EXPECT_EQ(calls.copy_async(block, host, 100, CopyKind::host_to_device, legacy), cuda::success);
  calls.deallocate(block);
  EXPECT_EQ(calls.copy_async(host, block, 1, CopyKind::device_to_host, legacy), cuda::invalid_value)
      << "the block was freed";
}

TEST_F(RehearsalTest, freed_memory_is_poisoned_when_the_stream_reaches_the_free) {
  const std::size_t blocks_before = rehearsal::live_blocks(0);
  void* block = nullptr;
  ASSERT_EQ(calls.allocate_async(&block, 64, legacy), cuda::success);
  ASSERT_EQ(calls.fill_async(block, 1, 64, legacy), cuda::success);
  ASSERT_EQ(calls.stream_synchronize(legacy), cuda::success);
  rehearsal::set_delay(20'000);
  ASSERT_EQ(calls.deallocate_async(block, legacy), cuda::success);
  EXPECT_EQ(calls.deallocate_async(block, legacy), cuda::invalid_value);
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before + 1) << "the stream has not reached the free";
  ASSERT_EQ(calls.stream_synchronize(legacy), cuda::success);
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before);
  EXPECT_EQ(static_cast<unsigned char*>(block)[63], 0xfd);
}

TEST_F(RehearsalTest, work_that_waits_for_a_lost_device_fails_too) {
  constexpr int slow_us = 30'000;
  for (const int late_us : {0, 2 * slow_us}) {
    void* const block = device_memory(8);
    void* event = nullptr;
    ASSERT_EQ(calls.event_create(&event), cuda::success);
    rehearsal::set_delay(slow_us);
    ASSERT_EQ(calls.fill_async(block, 1, 8, legacy), cuda::success);
    ASSERT_EQ(calls.event_record(event, legacy), cuda::success);
    rehearsal::set_delay(0);
    rehearsal::fail_call(1, cuda::illegal_address, true);
    void* more = nullptr;
    EXPECT_EQ(calls.allocate(&more, 1), cuda::illegal_address);
    // Device 1 waits while the fill is pending, or after it is known to have failed.
    usleep(static_cast<useconds_t>(late_us));
    rehearsal::set_device(1);
    EXPECT_EQ(calls.stream_synchronize(legacy), cuda::success);
    const int waited = calls.stream_wait_event(legacy, event);
    EXPECT_EQ(waited, late_us == 0 ? cuda::success : cuda::illegal_address);
    if (waited == cuda::success) {
      EXPECT_EQ(calls.stream_synchronize(legacy), cuda::illegal_address);
    }
    rehearsal::clear();
    EXPECT_EQ(calls.stream_synchronize(legacy), cuda::success);
    rehearsal::set_device(0);
    EXPECT_EQ(calls.event_destroy(event), cuda::success);
    EXPECT_EQ(calls.deallocate(block), cuda::success);
  }
}

TEST_F(RehearsalTest, using_a_block_that_another_stream_has_freed_is_an_illegal_address) {
  void* stream = nullptr;
  ASSERT_EQ(calls.stream_create(&stream), cuda::success);
  void* block = device_memory(64);
  void* target = device_memory(64);
  rehearsal::set_delay(20'000);
  ASSERT_EQ(calls.copy_async(target, block, 64, CopyKind::device_to_device, stream), cuda::success);
  rehearsal::set_delay(0);
  ASSERT_EQ(calls.deallocate_async(block, legacy), cuda::success);  // without waiting for `stream`
  EXPECT_EQ(calls.stream_synchronize(stream), cuda::illegal_address);
  EXPECT_EQ(calls.device_synchronize(), cuda::illegal_address) << "it is sticky";
  void* more = nullptr;
  EXPECT_EQ(calls.allocate(&more, 1), cuda::illegal_address);
  EXPECT_EQ(calls.get_last_error(), cuda::illegal_address);
  EXPECT_EQ(calls.get_last_error(), cuda::illegal_address) << "clearing does not help";
  rehearsal::set_device(1);
  EXPECT_EQ(calls.device_synchronize(), cuda::success) << "other devices still work";
  rehearsal::set_device(0);
  rehearsal::clear();
  calls.deallocate(target);
  calls.stream_destroy(stream);
}

TEST_F(RehearsalTest, streams_and_events_belong_to_their_device) {
  void* stream = nullptr;
  void* event = nullptr;
  rehearsal::set_device(1);
  ASSERT_EQ(calls.stream_create(&stream), cuda::success);
  ASSERT_EQ(calls.event_create(&event), cuda::success);
  rehearsal::set_device(0);
  EXPECT_EQ(calls.event_record(event, legacy), cuda::invalid_resource_handle);
  EXPECT_EQ(calls.launch_host_kernel([](const void*) {}, nullptr, 0, nullptr, 0, stream),
            cuda::invalid_resource_handle);
  void* block = device_memory(16);
  EXPECT_EQ(calls.deallocate_async(block, stream), cuda::invalid_value);
  calls.deallocate(block);
  EXPECT_EQ(calls.stream_destroy(stream), cuda::success);
  EXPECT_EQ(calls.stream_destroy(stream), cuda::invalid_resource_handle);
  EXPECT_EQ(calls.stream_synchronize(stream), cuda::invalid_resource_handle);
  EXPECT_EQ(calls.event_destroy(event), cuda::success);
  EXPECT_EQ(calls.event_query(event), cuda::invalid_resource_handle);
}

TEST_F(RehearsalTest, a_destroyed_stream_finishes_its_work) {
  void* stream = nullptr;
  ASSERT_EQ(calls.stream_create(&stream), cuda::success);
  static std::atomic<int> done{0};
  done = 0;
  rehearsal::set_delay(5'000);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(calls.launch_host_function(stream, [](void*) { ++done; }, nullptr), cuda::success);
  }
  ASSERT_EQ(calls.stream_destroy(stream), cuda::success);
  for (int i = 0; i < 2000 && done < 3; ++i) usleep(1000);
  EXPECT_EQ(done, 3);
}

TEST_F(RehearsalTest, pointer_attributes_describe_the_memory) {
  cuda::PointerAttributes attributes{};
  int on_host = 0;
  ASSERT_EQ(calls.get_pointer_attributes(&attributes, &on_host), cuda::success);
  EXPECT_EQ(attributes.type, cuda::MemoryType::unregistered);
  rehearsal::set_device(2);
  void* block = device_memory(100);
  rehearsal::set_device(0);
  ASSERT_EQ(calls.get_pointer_attributes(&attributes, static_cast<char*>(block) + 99),
            cuda::success);
  EXPECT_EQ(attributes.type, cuda::MemoryType::device);
  EXPECT_EQ(attributes.device, 2);
  calls.deallocate(block);
  ASSERT_EQ(calls.get_pointer_attributes(&attributes, block), cuda::success);
  EXPECT_EQ(attributes.type, cuda::MemoryType::unregistered);
}

TEST_F(RehearsalTest, memory_is_limited_and_reported) {
  rehearsal::set_memory(rehearsal::live_bytes(0) + (1 << 20));
  void* block = nullptr;
  EXPECT_EQ(calls.allocate(&block, (1 << 20) + 1), cuda::memory_allocation);
  EXPECT_EQ(calls.allocate(&block, 1 << 19), cuda::success);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  EXPECT_EQ(calls.memory_info(&free_bytes, &total_bytes), cuda::success);
  EXPECT_EQ(free_bytes, std::size_t{1} << 19);
  EXPECT_EQ(total_bytes - free_bytes, rehearsal::live_bytes(0));
  calls.deallocate(block);
  rehearsal::set_memory(std::size_t{8} << 30);
}

TEST_F(RehearsalTest, an_injected_failure_occurs_once_or_is_sticky) {
  rehearsal::fail_call(2, cuda::not_supported);
  EXPECT_EQ(calls.device_synchronize(), cuda::success);
  EXPECT_EQ(calls.device_synchronize(), cuda::not_supported);
  EXPECT_EQ(calls.get_last_error(), cuda::not_supported);
  EXPECT_EQ(calls.get_last_error(), cuda::success);
  EXPECT_EQ(calls.device_synchronize(), cuda::success);
  rehearsal::fail_entry(&cuda::Api::device_synchronize, 1, 719, true);
  void* block = device_memory(10);
  EXPECT_EQ(calls.device_synchronize(), 719);
  EXPECT_EQ(calls.deallocate(block), 719);
  rehearsal::clear();
  EXPECT_EQ(calls.deallocate(block), cuda::success);
}

TEST_F(RehearsalTest, adjacent_blocks_do_not_touch) {
  std::vector<char*> blocks;
  for (int i = 0; i < 50; ++i) blocks.push_back(static_cast<char*>(device_memory(4096)));
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) EXPECT_GE(blocks[i] - blocks[i - 1], 2 * 4096);
  for (char* block : blocks) calls.deallocate(block);
}

TEST_F(RehearsalTest, guard_pages_catch_kernels_that_write_past_the_end) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const StorageRef block = allocate(cuda0, 4096);
        volatile char* const end = block->data() + 4096;
        *end = 1;
      },
      "");
}

TEST_F(RehearsalTest, live_blocks_may_outnumber_the_mappings_of_a_process) {
  const std::size_t blocks_before = rehearsal::live_blocks(0);
  std::vector<char*> blocks;
  for (int i = 0; i < 70'000; ++i) {
    void* data = device_memory(i % 2 == 0 ? 512 : 5000);
    ASSERT_NE(data, nullptr) << i;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
    blocks.push_back(static_cast<char*>(data));
    std::memset(data, i, 512);
  }
  for (int i = 0; i < 70'000; ++i)
    ASSERT_EQ(blocks[static_cast<std::size_t>(i)][511], static_cast<char>(i));
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before + blocks.size());
  // Replace half of them by blocks of the same sizes.
  for (std::size_t i = 0; i < blocks.size(); i += 2)
    EXPECT_EQ(calls.deallocate(blocks[i]), cuda::success);
  for (std::size_t i = 0; i < blocks.size(); i += 2)
    blocks[i] = static_cast<char*>(device_memory(512));
  EXPECT_EQ(blocks[1][511], 1);
  for (char* block : blocks) EXPECT_EQ(calls.deallocate(block), cuda::success);
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before);
}

TEST_F(RehearsalTest, packed_blocks_detect_writes_past_the_end_when_they_are_freed) {
  std::vector<void*> guarded;
  for (int i = 0; i < 40'000; ++i) guarded.push_back(device_memory(100));
  char* const packed = static_cast<char*>(guarded.back());
  EXPECT_EQ(static_cast<unsigned char>(packed[0]), 0xff) << "uninitialized memory is filled";
  packed[100] = 1;
  EXPECT_EQ(calls.deallocate(packed), cuda::illegal_address);
  EXPECT_EQ(static_cast<unsigned char>(packed[0]), 0xfd) << "freed memory is poisoned";
  rehearsal::clear();
  guarded.pop_back();
  for (void* block : guarded) EXPECT_EQ(calls.deallocate(block), cuda::success);
}

TEST_F(RehearsalTest, blocks_have_guards_again_after_others_are_freed) {
  std::vector<void*> blocks;
  for (int i = 0; i < 40'000; ++i) blocks.push_back(device_memory(100));
  for (void* block : blocks) EXPECT_EQ(calls.deallocate(block), cuda::success);
  // Mappings of freed blocks count until their pages are released.
  for (int i = 0; i < 20'000; ++i) EXPECT_EQ(calls.deallocate(device_memory(100)), cuda::success);
  char* const first = static_cast<char*>(device_memory(4096));
  char* const second = static_cast<char*>(device_memory(4096));
  EXPECT_GE(std::abs(second - first), 2 * 4096);
  calls.deallocate(first);
  calls.deallocate(second);
}

TEST(rehearsed_contexts_test, contexts_are_created_as_by_cuda) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        rehearsal::set_device_count(2);
        const cuda::Api& calls = *rehearsal::calls_table();
        const auto has_contexts = [](bool first, bool second) {
          return rehearsal::has_context(0) == first && rehearsal::has_context(1) == second;
        };
        int current = -1;
        bool good = calls.get_device(&current) == cuda::success && current == 0;
        good = good && has_contexts(false, false);
        good = good && calls.push_device(1) == cuda::success && has_contexts(false, true);
        good = good && calls.get_device(&current) == cuda::success && current == 1;
        good = good && calls.pop_device() == cuda::success;
        good = good && calls.get_device(&current) == cuda::success && current == 0;
        good = good && has_contexts(false, true) && calls.pop_device() != cuda::success;
        // Work without a current context creates one.
        good = good && calls.stream_synchronize(cuda::legacy_stream) == cuda::success;
        std::_Exit(good && has_contexts(true, true) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(parse_bytes_test, sizes_are_read_with_their_suffix) {
  using rehearsal::parse_bytes;
  EXPECT_EQ(parse_bytes("1048576"), std::size_t{1} << 20);
  EXPECT_EQ(parse_bytes("512MiB"), std::size_t{512} << 20);
  EXPECT_EQ(parse_bytes("2G"), std::size_t{2} << 30);
  EXPECT_EQ(parse_bytes("1KiB"), 1024u);
  for (const char* bad : {"", "x", "-1", "1MB", "0", "99999999999999999999", "70000GiB"}) {
    EXPECT_EQ(parse_bytes(bad), 0u) << bad;
  }
}

}  // namespace
}  // namespace skerry
