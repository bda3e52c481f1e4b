// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/host_action.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "tests/device/rehearsed.hpp"

namespace skerry {
namespace {

std::vector<std::shared_ptr<ActionRecord>> records;

std::shared_ptr<ActionRecord> record_action(const HostAction& action) {
  return records.emplace_back(std::make_shared<ActionRecord>(action));
}

std::shared_ptr<ActionRecord> reject_action(const HostAction& action) {
  if (action.is_rejectable) throw GuardError("rejected");
  return nullptr;
}

class host_action_test : public Rehearsed {
 protected:
  void SetUp() override {
    Rehearsed::SetUp();
    records.clear();
  }
  void TearDown() override {
    set_action_observer(nullptr, false);
    Rehearsed::TearDown();
  }
};

TEST_F(host_action_test, a_rejected_action_does_not_happen) {
  const StorageRef host = allocate(cpu0, 100);
  std::memset(host->data(), 1, 100);
  const StorageRef device_block = allocate(cuda0, 100);
  const StorageRef other_block = allocate(cuda1, 100);
  copy_bytes(device_block, 0, host, 0, 100);
  const Event event(cuda0);
  const std::uint64_t old_calls = rehearsal::calls();
  char back[100] = {};

  set_action_observer(reject_action, true);
  EXPECT_THROW(copy_bytes(device_block, 0, host, 0, 100), GuardError);
  EXPECT_THROW(copy_bytes(other_block, 0, device_block, 0, 100), GuardError);
  EXPECT_THROW(read_bytes(back, device_block, 0, 100), GuardError);
  EXPECT_THROW(read_bytes(back, device_block, 0, 0), GuardError);
  EXPECT_THROW(Stream(cuda0).synchronize(), GuardError);
  EXPECT_THROW(event.synchronize(), GuardError);
  EXPECT_THROW(synchronize(cuda0), GuardError);
  EXPECT_THROW(static_cast<void>(allocate(cuda0, 100)), GuardError);
  EXPECT_THROW(static_cast<void>(allocate(cpu0, 100)), GuardError);
  EXPECT_EQ(rehearsal::calls(), old_calls);
  EXPECT_EQ(back[0], 0);

  set_action_observer(nullptr, false);
  read_bytes(back, device_block, 0, 100);
  EXPECT_EQ(back[99], 1);
}

TEST_F(host_action_test, a_copy_inside_one_memory_is_not_announced) {
  const StorageRef host = allocate(cpu0, 100);
  const StorageRef device_block = allocate(cuda0, 100);
  set_action_observer(record_action, false);
  copy_bytes(host, 50, host, 0, 50);
  copy_bytes(device_block, 50, device_block, 0, 50);
  static_cast<void>(allocate(cuda0, 100));
  EXPECT_TRUE(records.empty());
}

/// Whether an upload waits depends on the chunks that earlier ones use.
TEST_F(host_action_test, an_upload_is_announced_as_a_wait_if_it_waits) {
  constexpr std::size_t chunk = Upload::max_bytes;
  const StorageRef host = allocate(cpu0, 5 * chunk);
  const StorageRef device_block = allocate(cuda0, 5 * chunk);
  const std::size_t sizes[] = {8,         1000,  64 << 10,  (64 << 10) + 1, chunk / 2, chunk,
                               chunk + 1, 8,     3 * chunk, 4 * chunk,      4096,      5 * chunk,
                               8,         65000, 65000,     chunk - 1};
  synchronize(cuda0);
  set_action_observer(record_action, false);
  const std::uint64_t old_waits = rehearsal::waits();
  const std::uint64_t old_bytes = rehearsal::host_to_device_bytes();
  std::size_t sum = 0;
  unsigned waits = 0;
  for (int round = 0; round < 20; ++round) {
    for (const std::size_t nbytes : sizes) {
      copy_bytes(device_block, 0, host, 0, nbytes);
      sum += nbytes;
    }
  }
  for (const auto& record : records) {
    EXPECT_EQ(record->action.waits, record->waits.load() != 0) << record->action.nbytes;
    waits += record->waits.load();
  }
  EXPECT_EQ(records.size(), 20 * std::size(sizes));
  EXPECT_EQ(rehearsal::waits() - old_waits, waits);
  EXPECT_EQ(rehearsal::host_to_device_bytes() - old_bytes, sum);
}

TEST_F(host_action_test, a_wait_inside_an_announced_wait_is_part_of_it) {
  const StorageRef device_block = allocate(cuda0, 5 << 20);
  std::vector<char> back(5 << 20);
  set_action_observer(record_action, false);
  read_bytes(back.data(), device_block, 0, back.size());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_GT(records[0]->waits.load(), 1u);
  EXPECT_FALSE(records[0]->has_failed.load());
}

TEST_F(host_action_test, an_action_that_fails_is_marked) {
  set_action_observer(record_action, false);
  rehearsal::fail_entry(&cuda::Api::device_synchronize, 1, 1);
  EXPECT_THROW(synchronize(cuda0), DeviceError);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_TRUE(records[0]->has_failed.load());
  EXPECT_EQ(records[0]->waits.load(), 0u);
}

}  // namespace
}  // namespace skerry
