// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory ordered with another library's stream, which may be destroyed when no array is left.

#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

class ForeignStreamTest : public Rehearsed {
 protected:
  void SetUp() override {
    Rehearsed::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(table().stream_create(&handle_), cuda::success);
    set_current_stream(Stream::from_handle(cuda0, handle_));
    const StorageRef block = allocate(cuda0, nbytes);
    store(block, 1);
    // Here the block is freed, into the cache of that stream.
  }
  void TearDown() override {
    if (!is_rehearsing()) return;
    set_current_stream(Stream(cuda0));
    table().stream_destroy(handle_);
    Rehearsed::TearDown();
  }
  static const cuda::Api& table() { return *rehearsal::calls_table(); }

  static constexpr std::size_t nbytes = 1000;
  void* handle_ = nullptr;
};

TEST_F(ForeignStreamTest, is_used_by_a_free_while_it_is_current) {
  const std::uint64_t calls_before = rehearsal::calls(&cuda::Api::deallocate_async);
  EXPECT_GE(trim(cuda0), nbytes);
  EXPECT_GE(rehearsal::calls(&cuda::Api::deallocate_async), calls_before + 1);
  EXPECT_EQ(rehearsal::live_blocks(0), 0u);
}

TEST_F(ForeignStreamTest, is_not_used_by_a_free_once_it_may_be_destroyed) {
  synchronize(cuda0);
  set_current_stream(Stream(cuda0));
  ASSERT_EQ(table().stream_destroy(handle_), cuda::success);
  const std::uint64_t named = rehearsal::calls(&cuda::Api::deallocate_async);
  const std::uint64_t deallocate_calls = rehearsal::calls(&cuda::Api::deallocate);
  const std::uint64_t waits = rehearsal::calls(&cuda::Api::device_synchronize);
  EXPECT_GE(trim(cuda0), nbytes);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::deallocate_async), named);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::deallocate), deallocate_calls + 1);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::device_synchronize), waits + 2)
      << "cudaFree does not wait for memory of a pool, so before it; and once for trimming";
}

TEST_F(ForeignStreamTest, own_streams_are_never_destroyed) {
  set_current_stream(Stream::create(cuda0));
  {
    store(allocate(cuda0, nbytes), 1);
  }
  set_current_stream(Stream(cuda0));
  const std::uint64_t named = rehearsal::calls(&cuda::Api::deallocate_async);
  trim(cuda0);
  EXPECT_EQ(rehearsal::calls(&cuda::Api::deallocate_async), named + 1);
}

}  // namespace
}  // namespace skerry
