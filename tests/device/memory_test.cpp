// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/cuda/size_class.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using memory_test = Rehearsed;
using cuda::SizeClass;

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(size_class_test, bins_grow_with_the_size_and_waste_little) {
  int last_bin = -1;
  std::size_t last_nbytes = 0;
  for (std::size_t n = 1; n <= SizeClass::largest; n += 1 + n / 37) {
    const SizeClass size = SizeClass::round_up(n);
    ASSERT_GE(size.nbytes, n);
    ASSERT_TRUE(n <= 16384 ? size.nbytes - n < 512 : size.nbytes - n <= n / 32) << n;
    ASSERT_EQ(size.nbytes % 512, 0u);
    ASSERT_GE(size.bin, 0);
    ASSERT_LT(size.bin, cuda::cached_bins);
    ASSERT_GE(size.bin, last_bin);
    ASSERT_EQ(size.bin == last_bin, size.nbytes == last_nbytes) << n;
    ASSERT_EQ(SizeClass::round_up(size.nbytes).bin, size.bin) << n;
    last_bin = size.bin;
    last_nbytes = size.nbytes;
  }
  EXPECT_EQ(SizeClass::round_up(SizeClass::largest + 1).bin, SizeClass::uncached);
}

TEST_F(memory_test, blocks_are_aligned_and_counted) {
  const MemoryStatistics statistics_before = statistics(cuda0);
  {
    const StorageRef a = allocate(cuda0, 1);
    const StorageRef b = allocate(cuda0, 3 * mib);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->data()) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b->data()) % 256, 0u);
    EXPECT_EQ(b->nbytes(), 3 * mib);
    const MemoryStatistics now = statistics(cuda0);
    EXPECT_EQ(now.live_blocks, statistics_before.live_blocks + 2);
    EXPECT_GE(now.live_bytes, statistics_before.live_bytes + 3 * mib + 1);
    EXPECT_EQ(now.allocations, statistics_before.allocations + 2);
  }
  const MemoryStatistics statistics_after = statistics(cuda0);
  EXPECT_EQ(statistics_after.live_blocks, statistics_before.live_blocks);
  EXPECT_EQ(statistics_after.live_bytes, statistics_before.live_bytes);
  EXPECT_GE(statistics_after.cached_bytes, statistics_before.cached_bytes + 3 * mib);
  EXPECT_GE(statistics_after.peak_bytes, statistics_before.live_bytes + 3 * mib);
  reset_peak(cuda0);
  EXPECT_EQ(statistics(cuda0).peak_bytes, statistics_after.live_bytes);
}

TEST_F(memory_test, a_cache_hit_makes_no_call) {
  char* first = nullptr;
  {
    const StorageRef warm = allocate(cuda0, 1000);
    first = warm->data();
  }
  const std::uint64_t calls = rehearsal::calls();
  const StorageRef reused_block = allocate(cuda0, 1000);
  EXPECT_EQ(reused_block->data(), first);
  EXPECT_EQ(rehearsal::calls(), calls);
}

TEST_F(memory_test, zero_bytes_give_a_null_pointer) {
  const StorageRef none = allocate(cuda0, 0);
  EXPECT_EQ(none->data(), nullptr);
  EXPECT_EQ(none->device(), cuda0);
}

TEST_F(memory_test, a_block_is_not_reused_while_another_stream_works_on_it) {
  const Stream other = Stream::create(cuda0);
  char* used = nullptr;
  rehearsal::set_delay(30'000);
  {
    const StorageRef block = allocate(cuda0, 5000);
    used = block->data();
    set_current_stream(other);
    store(block, 1);
    set_current_stream(Stream(cuda0));
  }
  const StorageRef meanwhile = allocate(cuda0, 5000);
  EXPECT_NE(meanwhile->data(), used);
  rehearsal::set_delay(0);
  other.synchronize();
  const StorageRef later = allocate(cuda0, 5000);
  EXPECT_EQ(later->data(), used);
}

TEST_F(memory_test, large_blocks_are_cached) {
  constexpr std::size_t large = 300 * mib;
  const StorageRef first = allocate(cuda0, large);
  char* freed = nullptr;
  {
    const StorageRef second = allocate(cuda0, large);
    freed = second->data();
  }
  const std::uint64_t calls = rehearsal::calls();
  const StorageRef reused_block = allocate(cuda0, large);
  EXPECT_EQ(reused_block->data(), freed);
  EXPECT_EQ(rehearsal::calls(), calls);
}

TEST_F(memory_test, blocks_that_do_not_fit_are_released_before_the_pool_grows) {
  constexpr std::size_t share = std::size_t{1} << 30;  // an eighth of the device
  const std::uint64_t freed = rehearsal::calls(&cuda::Api::deallocate_async);
  static_cast<void>(allocate(cuda0, share / 2));
  static_cast<void>(allocate(cuda0, share / 8 * 3));
  EXPECT_EQ(rehearsal::calls(&cuda::Api::deallocate_async), freed)
      << "an eighth of the device is kept";
  EXPECT_EQ(statistics(cuda0).cached_bytes, share / 8 * 7);

  const StorageRef live = allocate(cuda0, share / 4);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::deallocate_async), freed + 1);
  EXPECT_EQ(statistics(cuda0).cached_bytes, share / 8 * 3) << "the oldest was released";
  const StorageRef more = allocate(cuda0, share);
  EXPECT_EQ(statistics(cuda0).cached_bytes, 0u);
  EXPECT_EQ(statistics(cuda0).live_bytes, share + share / 4) << "nothing but arrays";
}

TEST_F(memory_test, a_limit_below_the_cached_bytes_releases_the_cache) {
  {
    const StorageRef first = allocate(cuda0, 5 * mib);
    const StorageRef second = allocate(cuda0, 3 * mib);
  }
  set_memory_limit(cuda0, 4 * mib);
  EXPECT_LE(statistics(cuda0).cached_bytes, 4 * mib);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 5 * mib)), OutOfMemoryError);
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 3 * mib)));
}

TEST_F(memory_test, above_a_lowered_limit_nothing_is_cached_or_reused) {
  const StorageRef live = allocate(cuda0, 6 * mib);
  StorageRef freed = allocate(cuda0, 2 * mib);
  set_memory_limit(cuda0, 4 * mib);
  freed = {};
  EXPECT_EQ(statistics(cuda0).cached_bytes, 0u);
  EXPECT_EQ(statistics(cuda0).live_bytes, 6 * mib);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 2 * mib)), OutOfMemoryError);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 512)), OutOfMemoryError);
}

TEST_F(memory_test, pending_frees_above_a_lowered_limit_are_not_reused) {
  const StorageRef live = allocate(cuda0, 6 * mib);
  const Stream other = Stream::create(cuda0);
  rehearsal::set_delay(10'000);
  {
    const StorageRef block = allocate(cuda0, 2 * mib);
    set_current_stream(other);
    store(block, 1);
    set_current_stream(Stream(cuda0));
    set_memory_limit(cuda0, 4 * mib);
  }
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 2 * mib)), OutOfMemoryError);
  EXPECT_EQ(statistics(cuda0).cached_bytes, 0u);
}

TEST_F(memory_test, pinned_memory_counts_against_the_limit_of_its_device) {
  trim(cpu0);
  const std::size_t bytes_before = statistics(cpu0).live_bytes + statistics(cpu0).cached_bytes;
  set_memory_limit(cpu0, bytes_before + 8 * mib);
  {
    const StorageRef pinned = allocate_pinned(cpu0, 5 * mib);
    EXPECT_THROW(static_cast<void>(allocate_pinned(cpu0, 5 * mib)), OutOfMemoryError);
    EXPECT_THROW(static_cast<void>(allocate(cpu0, 5 * mib)), OutOfMemoryError);
    EXPECT_NO_THROW(static_cast<void>(allocate(cpu0, 2 * mib)));
  }
  // Cached blocks are released to make space, in either direction.
  EXPECT_NO_THROW(static_cast<void>(allocate(cpu0, 6 * mib)));
  EXPECT_NO_THROW(static_cast<void>(allocate_pinned(cpu0, 6 * mib)));
  set_memory_limit(cpu0, bytes_before + mib);
  EXPECT_LE(statistics(cpu0).live_bytes + statistics(cpu0).cached_bytes, bytes_before + mib);
  EXPECT_THROW(static_cast<void>(allocate_pinned(cpu0, 5 * mib)), OutOfMemoryError);
  set_memory_limit(cpu0, std::nullopt);
}

TEST_F(memory_test, pending_frees_are_checked_only_on_a_cache_miss) {
  const Stream other = Stream::create(cuda0);
  static_cast<void>(allocate(cuda0, 1000));
  rehearsal::set_delay(10'000);
  {
    const StorageRef block = allocate(cuda0, 5000);
    set_current_stream(other);
    store(block, 1);
    set_current_stream(Stream(cuda0));
  }
  const std::uint64_t calls = rehearsal::calls();
  static_cast<void>(allocate(cuda0, 1000));
  EXPECT_EQ(rehearsal::calls(), calls);
}

TEST_F(memory_test, the_limit_counts_live_and_cached_blocks) {
  set_memory_limit(cuda0, 8 * mib);
  EXPECT_EQ(statistics(cuda0).limit_bytes, 8 * mib);
  {
    const StorageRef cached = allocate(cuda0, 5 * mib);
  }
  EXPECT_EQ(statistics(cuda0).cached_bytes, 5 * mib);
  // The cached block must be released for this.
  const StorageRef other = allocate(cuda0, 6 * mib);
  EXPECT_EQ(statistics(cuda0).cached_bytes, 0u);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 3 * mib)), OutOfMemoryError);
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 2 * mib)));
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 9 * mib)), OutOfMemoryError);
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda1, 9 * mib))) << "limits are per device";
}

TEST_F(memory_test, pending_frees_are_waited_for_before_memory_runs_out) {
  set_memory_limit(cuda0, 8 * mib);
  const Stream other = Stream::create(cuda0);
  rehearsal::set_delay(10'000);
  {
    const StorageRef block = allocate(cuda0, 6 * mib);
    set_current_stream(other);
    store(block, 1);
    set_current_stream(Stream(cuda0));
  }
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 7 * mib)));
}

TEST_F(memory_test, the_garbage_collector_runs_last) {
  static StorageRef garbage;
  static int collections = 0;
  set_memory_limit(cuda0, 8 * mib);
  garbage = allocate(cuda0, 6 * mib);
  collections = 0;
  set_garbage_collector([]() noexcept {
    ++collections;
    garbage = {};
  });
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 1 * mib)));
  EXPECT_EQ(collections, 0);
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 7 * mib)));
  EXPECT_EQ(collections, 1);
  set_garbage_collector(nullptr);
}

TEST_F(memory_test, out_of_memory_error_reports_the_usage) {
  const StorageRef live = allocate(cuda0, 3 * mib);
  set_memory_limit(cuda0, 4 * mib);
  try {
    static_cast<void>(allocate(cuda0, 2 * mib));
    FAIL();
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.device(), cuda0);
    EXPECT_EQ(error.requested(), 2 * mib);
    const std::string text = error.what();
    for (const char* phrase : {"2.00 MiB", "3.00 MiB live in 1 array", "limit 4.00 MiB", "cuda:0",
                               "free of 8.00 GiB", "0 bytes held by others", "garbage"}) {
      EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " in: " << text;
    }
  }
}

TEST_F(memory_test, a_request_larger_than_the_device_fails_at_once_and_keeps_the_cache) {
  {
    const StorageRef cached = allocate(cuda0, mib);
  }
  const std::size_t cached_before = statistics(cuda0).cached_bytes;
  EXPECT_THROW(static_cast<void>(allocate(cuda0, SIZE_MAX)), OutOfMemoryError);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, std::size_t{1} << 50)), OutOfMemoryError);
  EXPECT_EQ(statistics(cuda0).cached_bytes, cached_before);
}

TEST_F(memory_test, device_memory_running_out_is_noticed_without_a_limit) {
  rehearsal::set_memory(16 * mib);
  {
    const StorageRef half = allocate(cuda0, 10 * mib);
    EXPECT_THROW(static_cast<void>(allocate(cuda0, 10 * mib)), OutOfMemoryError);
  }
  EXPECT_NO_THROW(static_cast<void>(allocate(cuda0, 12 * mib)));
  rehearsal::set_memory(std::size_t{8} << 30);
}

TEST_F(memory_test, trim_releases_all_cached_blocks) {
  const std::size_t blocks_before = rehearsal::live_blocks(0);
  {
    const StorageRef cached = allocate(cuda0, mib);
  }
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before + 1);
  EXPECT_EQ(trim(cuda0), mib);
  EXPECT_EQ(statistics(cuda0).cached_bytes, 0u);
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before);
}

TEST_F(memory_test, pinned_blocks_are_known_to_the_runtime_and_reused) {
  const std::size_t bytes_before = statistics(cpu0).live_bytes;
  char* first = nullptr;
  {
    const StorageRef block = allocate_pinned(cpu0, 10'000);
    EXPECT_TRUE(is_pinned(*block));
    EXPECT_EQ(block->device(), cpu0);
    EXPECT_GE(statistics(cpu0).live_bytes, bytes_before + 10'000);
    first = block->data();
    cuda::PointerAttributes attributes{};
    ASSERT_EQ(rehearsal::calls_table()->get_pointer_attributes(&attributes, first), 0);
    EXPECT_EQ(attributes.type, cuda::MemoryType::host);
  }
  EXPECT_EQ(statistics(cpu0).live_bytes, bytes_before);
  EXPECT_EQ(allocate_pinned(cpu0, 10'000)->data(), first);
  EXPECT_THROW(static_cast<void>(allocate_pinned(cuda0, 1)), ValueError);
  trim(cpu0);
  EXPECT_EQ(rehearsal::live_bytes(-1) % (4 * mib), 0u) << "chunks for transfers may stay";
}

TEST_F(memory_test, adopted_memory_is_released_once_after_the_last_reference) {
  static int released = 0;
  released = 0;
  int value = 0;
  {
    const StorageRef foreign = adopt(cpu0, &value, sizeof value, true, &released,
                                     [](void* owner) noexcept { ++*static_cast<int*>(owner); });
    const StorageRef second = foreign;
    EXPECT_TRUE(foreign->read_only());
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(memory_test, adopted_memory_is_released_in_order_with_streams_that_used_it) {
  const cuda::Api& calls = *rehearsal::calls_table();
  static void* memory = nullptr;
  ASSERT_EQ(calls.allocate_async(&memory, 100, reinterpret_cast<void*>(1)), 0);
  const Stream other = Stream::create(cuda0);
  rehearsal::set_delay(20'000);
  {
    const StorageRef foreign = adopt(cuda0, memory, 100, false, nullptr, [](void*) noexcept {
      rehearsal::calls_table()->deallocate_async(memory, reinterpret_cast<void*>(1));
    });
    set_current_stream(other);
    store(foreign, 1);
    set_current_stream(Stream(cuda0));
  }
  rehearsal::set_delay(0);
  EXPECT_NO_THROW(synchronize(cuda0));
  EXPECT_TRUE(other.idle()) << "the free waited for it";
}

TEST_F(memory_test, every_allocation_can_be_made_to_fail) {
  for (const Device device : {cpu0, cuda0}) {
    fail_allocation(2);
    const StorageRef first = allocate(device, 100);
    EXPECT_THROW(static_cast<void>(allocate(device, 100)), OutOfMemoryError);
    EXPECT_NO_THROW(static_cast<void>(allocate(device, 100)));
    EXPECT_EQ(counted_allocations(), 3u);
    fail_allocation(1, true);
    EXPECT_THROW(static_cast<void>(allocate(device, 100)), OutOfMemoryError);
    EXPECT_THROW(static_cast<void>(allocate(device, 100)), OutOfMemoryError);
    fail_allocation(0);
    EXPECT_NO_THROW(static_cast<void>(allocate(device, 100)));
  }
}

}  // namespace
}  // namespace skerry
