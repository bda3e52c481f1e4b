// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/storage_attachment.hpp"

#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

using storage_attachment_test = Rehearsed;

TEST_F(storage_attachment_test, pageable_host_memory_has_no_attachment) {
  const StorageRef block = allocate(cpu0, 100);
  EXPECT_EQ(block->attachment(), nullptr);
  EXPECT_EQ(stream_uses(*block), nullptr);
  EXPECT_FALSE(is_foreign(*block));
  EXPECT_FALSE(is_page_locked(*block));
  EXPECT_FALSE(is_pinned(*block));
}

TEST_F(storage_attachment_test, pinned_memory_is_page_locked_and_not_foreign) {
  for (const std::size_t nbytes : {0, 100}) {
    const StorageRef block = allocate_pinned(cpu0, nbytes);
    EXPECT_TRUE(is_pinned(*block));
    EXPECT_TRUE(is_page_locked(*block));
    EXPECT_FALSE(is_foreign(*block));
    EXPECT_EQ(stream_uses(*block), nullptr);
  }
}

TEST_F(storage_attachment_test, device_memory_records_its_own_stream_uses) {
  const StorageRef first = allocate(cuda0, 100);
  const StorageRef second = allocate(cuda0, 100);
  const StorageRef empty = allocate(cuda0, 0);
  int value = 0;
  const StorageRef foreign = adopt(cuda0, &value, sizeof value, false, nullptr, nullptr);
  std::vector<const StreamUses*> records;
  for (const StorageRef& memory : {first, second, empty, foreign}) {
    EXPECT_NE(stream_uses(*memory), nullptr);
    EXPECT_FALSE(is_page_locked(*memory));
    EXPECT_EQ(is_foreign(*memory), memory == foreign);
    for (const StreamUses* other : records) EXPECT_NE(stream_uses(*memory), other);
    records.push_back(stream_uses(*memory));
  }
}

TEST_F(storage_attachment_test, foreign_memory_records_its_owner_and_release_function) {
  int value = 0;
  constexpr auto release = [](void* owner) noexcept { ++*static_cast<int*>(owner); };
  for (const Device device : {cpu0, cuda0}) {
    int released = 0;
    {
      const StorageRef foreign = adopt(device, &value, sizeof value, false, &released, release);
      ASSERT_TRUE(is_foreign(*foreign));
      const ForeignOwnership& ownership = *foreign_ownership(*foreign);
      EXPECT_EQ(ownership.owner, &released);
      EXPECT_EQ(ownership.release, static_cast<void (*)(void*) noexcept>(release));
      EXPECT_EQ(ownership.sharers.representative, nullptr);
      EXPECT_EQ(ownership.sharers.count, 0);
      EXPECT_FALSE(is_pinned(*foreign));
    }
    EXPECT_EQ(released, 1);
  }
  const StorageRef pinned = adopt(cpu0, &value, sizeof value, false, nullptr, nullptr, true);
  EXPECT_TRUE(is_foreign(*pinned)) << "without an owner to release, too";
  EXPECT_TRUE(is_pinned(*pinned));
  EXPECT_TRUE(is_page_locked(*pinned));
}

}  // namespace
}  // namespace skerry
