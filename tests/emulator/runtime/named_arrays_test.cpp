// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Reports name the exported array nearest to the address; errors that no call returns are kept.

#include "device/emulator/runtime/named_arrays.hpp"

#include "device/emulator/runtime/reports.hpp"
#include "device/rehearsal/address_range.hpp"
#include "device/rehearsal/faults.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

class NamedArraysTest : public EmulatedDevices {
 protected:
  void TearDown() override {
    skerry_emulator_clear_reports();
    EmulatedDevices::TearDown();
  }
  ProgramImage image{fat_binary(std::string(ptx_head) + std::string(store_ptx))};
  const void* store = image.kernel("store");
};

TEST_F(NamedArraysTest, the_nearest_array_of_a_block_is_found) {
  auto* const block = reinterpret_cast<std::byte*>(device_memory(64));
  const std::uint64_t begin = address_of(block);
  EXPECT_EQ(nearest_array(begin, begin), std::nullopt);
  name_array(block, 40, "first");
  name_array(block + 80, 40, "second");
  const auto name_at = [&](std::int64_t offset) {
    return nearest_array(begin, begin + static_cast<std::uint64_t>(offset))->text;
  };
  EXPECT_EQ(name_at(0), "first");
  EXPECT_EQ(name_at(50), "first");
  EXPECT_EQ(name_at(79), "second");
  EXPECT_EQ(name_at(256), "second");
  EXPECT_EQ(nearest_array(begin, begin + 256)->distance(), 136);
  EXPECT_EQ(nearest_array(begin, begin - 8)->distance(), -8);
  EXPECT_EQ(nearest_array(begin, begin + 7)->distance(), 0);
  EXPECT_EQ(deallocate(block), cuda::success);
}

TEST_F(NamedArraysTest, of_arrays_at_one_place_the_last_one_is_named) {
  auto* const block = device_memory(64);
  for (const char* const text : {"whole", "half", "whole"}) name_array(block, 256, text);
  EXPECT_EQ(nearest_array(address_of(block), address_of(block) + 300)->text, "whole");
  EXPECT_EQ(deallocate(block), cuda::success);
}

TEST_F(NamedArraysTest, a_new_array_is_named_unless_others_of_its_block_are) {
  auto* const block = device_memory(64);
  const auto name = [&] { return nearest_array(address_of(block), address_of(block) + 256)->text; };
  name_new_array(block, 256, "new");
  EXPECT_EQ(name(), "new");
  name_array(block, 128, "half");
  EXPECT_EQ(name(), "half");
  name_new_array(block, 256, "newer");
  EXPECT_EQ(name(), "half");
  EXPECT_EQ(deallocate(block), cuda::success);
}

TEST_F(NamedArraysTest, without_python_an_allocation_has_no_line) {
  auto* const block = device_memory(64);
  note_allocation(block);
  name_array(block, 256, "array");
  EXPECT_EQ(allocation_line(address_of(block)), std::nullopt);
  EXPECT_EQ(deallocate(block), cuda::success);
}

TEST_F(NamedArraysTest, a_block_keeps_the_last_of_many_arrays) {
  auto* const block = reinterpret_cast<std::byte*>(device_memory(64));
  for (int k = 0; k < 100; ++k) name_array(block + k, 1, std::to_string(k).c_str());
  EXPECT_EQ(nearest_array(address_of(block), address_of(block))->text, "84");
  EXPECT_EQ(nearest_array(address_of(block), address_of(block) + 200)->text, "99");
  EXPECT_EQ(deallocate(block), cuda::success);
}

TEST_F(NamedArraysTest, a_name_ends_when_its_place_is_allocated_again) {
  rehearsal::bytes_in_quarantine.store(0);
  auto* const block = device_memory(64);
  name_array(block, 256, "old");
  EXPECT_EQ(deallocate(block), cuda::success);
  EXPECT_EQ(nearest_array(address_of(block), address_of(block))->text, "old");  // a late use
  auto* const next_block = device_memory(64);
  ASSERT_EQ(next_block, block);
  EXPECT_EQ(nearest_array(address_of(block), address_of(block)), std::nullopt);
  EXPECT_EQ(deallocate(next_block), cuda::success);
}

TEST_F(NamedArraysTest, host_memory_has_no_names) {
  int value = 0;
  name_array(&value, sizeof value, "of the host");
  EXPECT_EQ(nearest_array(address_of(&value), address_of(&value)), std::nullopt);
}

TEST_F(NamedArraysTest, reports_name_the_array) {
  auto* const data = device_memory(64);
  name_array(data, 256, "uint32 (8, 8)");
  ASSERT_EQ(launch(store, {3, 1, 1}, {32, 1, 1}, data, 1), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address);
  EXPECT_NE(last_report().find("\n  array: uint32 (8, 8): 0 bytes past its end\n"),
            std::string::npos)
      << last_report();
  const std::string json = reports_as_json();
  EXPECT_NE(json.find("\"array\": {\"text\": \"uint32 (8, 8)\", \"base\": "), json.npos) << json;
}

TEST_F(NamedArraysTest, an_error_is_unnoticed_until_a_call_that_releases_nothing_returns_it) {
  auto* const data = device_memory(64);
  ASSERT_EQ(launch(store, {3, 1, 1}, {32, 1, 1}, data, 1), cuda::success);
  skerry_emulator_wait();
  EXPECT_TRUE(rehearsal::is_unnoticed(0));
  EXPECT_FALSE(rehearsal::is_unnoticed(1));
  EXPECT_EQ(deallocate(data), cuda::illegal_address);
  EXPECT_TRUE(rehearsal::is_unnoticed(0));
  ASSERT_EQ(set_device(1), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_TRUE(rehearsal::is_unnoticed(0));
  ASSERT_EQ(set_device(0), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address);
  EXPECT_FALSE(rehearsal::is_unnoticed(0));
}

TEST_F(NamedArraysTest, errors_whose_reports_are_discarded_count_as_noticed) {
  ASSERT_EQ(launch(store, {1, 1, 1}, {32, 1, 1}, nullptr, 1), cuda::success);
  skerry_emulator_wait();
  EXPECT_TRUE(rehearsal::is_unnoticed(0));
  skerry_emulator_clear_reports();
  EXPECT_FALSE(rehearsal::is_unnoticed(0));
}

}  // namespace
}  // namespace skerry::emulation
