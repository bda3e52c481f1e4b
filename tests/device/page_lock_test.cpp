// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/page_lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "device/storage_attachment.hpp"
#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using page_lock_test = Rehearsed;

constexpr std::size_t mib = std::size_t{1} << 20;

TEST_F(page_lock_test, large_host_blocks_are_locked_once_a_device_is_in_use_and_cached) {
  static_cast<void>(allocate(cuda0, 1));
  trim(cpu0);
  const std::uint64_t calls_before = rehearsal::calls(&cuda::Api::host_register);
  const char* first = nullptr;
  {
    const StorageRef large = allocate(cpu0, mib);
    first = large->data();
    EXPECT_TRUE(is_page_locked(*large));
    EXPECT_FALSE(is_pinned(*large)) << "page-locking is not exposed to other libraries";
    EXPECT_EQ(rehearsal::calls(&cuda::Api::host_register), calls_before + 1);
    EXPECT_GE(cuda::page_locks().nbytes, mib);
    cuda::PointerAttributes attributes{};
    EXPECT_EQ(rehearsal::calls_table()->get_pointer_attributes(&attributes, first), cuda::success);
    EXPECT_EQ(attributes.type, cuda::MemoryType::host);
  }
  const StorageRef reused_block = allocate(cpu0, mib);
  EXPECT_EQ(reused_block->data(), first);
  EXPECT_TRUE(is_page_locked(*reused_block));
  EXPECT_EQ(rehearsal::calls(&cuda::Api::host_register), calls_before + 1);
  EXPECT_FALSE(is_page_locked(*allocate(cpu0, mib - 1)))
      << "small blocks are staged through chunks";
  EXPECT_TRUE(is_page_locked(*allocate_pinned(cpu0, 100)));
}

TEST_F(page_lock_test, memory_is_unlocked_before_it_returns_to_the_system) {
  static_cast<void>(allocate(cuda0, 1));
  static_cast<void>(allocate(cpu0, 3 * mib));
  const std::uint64_t calls_before = rehearsal::calls(&cuda::Api::host_unregister);
  trim(cpu0);
  EXPECT_GE(rehearsal::calls(&cuda::Api::host_unregister), calls_before + 1);
  EXPECT_EQ(cuda::page_locks().nbytes, 0u);
}

TEST_F(page_lock_test, driver_rejection_is_not_an_error_and_attempts_end_after_three) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        if (!is_rehearsing()) rehearse(1);
        static_cast<void>(allocate(cuda0, 1));
        bool good = true;
        for (int i = 1; i <= 5; ++i) {
          rehearsal::fail_entry(&cuda::Api::host_register, 1, cuda::memory_allocation);
          const std::size_t nbytes = static_cast<std::size_t>(i) * 3 * mib;
          const StorageRef pageable = allocate(cpu0, nbytes);
          std::memset(pageable->data(), i, pageable->nbytes());
          const StorageRef device_block = allocate(cuda0, pageable->nbytes());
          copy_bytes(device_block, 0, pageable, 0, pageable->nbytes());
          good =
              good && !is_page_locked(*pageable) && rehearsal::calls_table()->get_last_error() == 0;
        }
        good = good && rehearsal::calls(&cuda::Api::host_register) == 3;
        good = good && cuda::page_locks().rejections == 3 && cuda::page_locks().nbytes == 0;
        std::_Exit(good ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(page_lock_test, a_forked_child_reads_and_frees_locked_memory_without_a_call) {
  static_cast<void>(allocate(cuda0, 1));
  StorageRef block = allocate(cpu0, 2 * mib);
  ASSERT_TRUE(is_page_locked(*block));
  std::memset(block->data(), 7, block->nbytes());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::uint64_t calls = rehearsal::calls();
    bool good = block->data()[mib] == 7;
    block = {};
    trim(cpu0);
    const StorageRef new_block = allocate(cpu0, 5 * mib);
    good = good && !is_page_locked(*new_block) && rehearsal::calls() == calls;
    std::_Exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(block->data()[mib], 7);
}

}  // namespace
}  // namespace skerry
