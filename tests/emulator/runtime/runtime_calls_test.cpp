// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The entry points of CUDA's runtime other than launches: devices, memory, streams, events, errors,
// the driver's functions. The simulated runtime behind them is tested in
// tests/device/rehearsal_test.cpp.

#include <chrono>
#include <thread>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/runtime/attributes.hpp"
#include "device/emulator/runtime/pools.hpp"
#include "device/rehearsal/system.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

class RuntimeCallsTest : public EmulatedDevices {};

TEST_F(RuntimeCallsTest, number_and_memory_of_devices_follow_the_settings) {
  int value = 0;
  ASSERT_EQ(device_count(&value), cuda::success);
  EXPECT_EQ(value, 2);
  ASSERT_EQ(driver_version(&value), cuda::success);
  EXPECT_GE(value, 13000);
  abi::DeviceProperties properties{};
  ASSERT_EQ(get_device_properties(&properties, 1), cuda::success);
  EXPECT_STREQ(properties.name, "emulated GPU 8.0");
  EXPECT_EQ(properties.major * 10 + properties.minor, 80);
  EXPECT_EQ(properties.multiprocessors, 4);
  EXPECT_GT(properties.total_bytes, 0U);
  EXPECT_NE(properties.uuid[0], 0);
  EXPECT_EQ(get_device_properties(&properties, 2), cuda::invalid_device);
  EXPECT_EQ(set_device(2), cuda::invalid_device);
  static_cast<void>(get_last_error());
}

TEST_F(RuntimeCallsTest, attributes_of_devices_are_those_of_the_model) {
  const auto ask = [](abi::DeviceAttribute attribute) {
    int value = -1;
    EXPECT_EQ(get_device_attribute(&value, static_cast<int>(attribute), 0), cuda::success);
    return value;
  };
  EXPECT_EQ(ask(abi::DeviceAttribute::major), 8);
  EXPECT_EQ(ask(abi::DeviceAttribute::warp_size), 32);
  EXPECT_EQ(ask(abi::DeviceAttribute::multiprocessors), 4);
  EXPECT_EQ(ask(abi::DeviceAttribute::shared_per_block), 48 << 10);
  EXPECT_EQ(ask(abi::DeviceAttribute::shared_per_block_optin), 163 << 10);
  EXPECT_EQ(ask(abi::DeviceAttribute::shared_per_multiprocessor), 164 << 10);
  EXPECT_EQ(ask(abi::DeviceAttribute::pools_supported), 1);
  int value = 0;
  EXPECT_EQ(get_device_attribute(&value, 0, 0), cuda::invalid_value);
  EXPECT_EQ(get_device_attribute(&value, abi::past_device_attributes, 0), cuda::invalid_value);
  EXPECT_EQ(get_device_attribute(&value, 1, 2), cuda::invalid_device);
  constexpr int texture_width = 21;
  EXPECT_EQ(get_device_attribute(&value, texture_width, 0), cuda::success);
  EXPECT_EQ(value, 0) << "not emulated";
  static_cast<void>(get_last_error());
}

TEST_F(RuntimeCallsTest, the_last_error_is_kept_until_it_is_read) {
  EXPECT_EQ(deallocate(reinterpret_cast<void*>(0x10)), cuda::invalid_value);
  EXPECT_EQ(peek_at_last_error(), cuda::invalid_value);
  EXPECT_EQ(get_last_error(), cuda::invalid_value);
  EXPECT_EQ(get_last_error(), cuda::success);
  EXPECT_STREQ(get_error_name(code::misaligned_address), "cudaErrorMisalignedAddress");
  EXPECT_STREQ(get_error_string(cuda::not_ready), "device not ready");
}

TEST_F(RuntimeCallsTest, copies_between_devices_in_the_legacy_stream_wait_for_both_devices) {
  void* const legacy_stream = nullptr;
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  void* data[2] = {};
  for (const int ordinal : {0, 1}) {
    ASSERT_EQ(set_device(ordinal), cuda::success);
    ASSERT_EQ(allocate(&data[ordinal], 1), cuda::success);
  }
  // Device 1 is current. Its work is ordered before the copy of device 0, and that before its next.
  ASSERT_EQ(launch_host_function(legacy_stream, sleep, nullptr), cuda::success);
  ASSERT_EQ(fill_async(data[1], 7, 1, legacy_stream), cuda::success);
  ASSERT_EQ(set_device(0), cuda::success);
  ASSERT_EQ(copy_peer_async(data[0], 0, data[1], 1, 1, legacy_stream), cuda::success);
  ASSERT_EQ(set_device(1), cuda::success);
  ASSERT_EQ(fill_async(data[1], 8, 1, legacy_stream), cuda::success);
  ASSERT_EQ(set_device(0), cuda::success);
  char value = 0;
  ASSERT_EQ(copy(&value, data[0], 1, static_cast<int>(cuda::CopyKind::device_to_host)),
            cuda::success);
  EXPECT_EQ(value, 7);
  for (const int ordinal : {1, 0}) {
    ASSERT_EQ(set_device(ordinal), cuda::success);
    EXPECT_EQ(deallocate(data[ordinal]), cuda::success);
  }
}

TEST_F(RuntimeCallsTest, managed_memory_is_of_the_host_and_of_a_device_in_copies) {
  void* managed = nullptr;
  ASSERT_EQ(driver_api().allocate_managed(&managed, 4), cuda::success);
  int value = 7;
  EXPECT_EQ(copy(managed, &value, 4, static_cast<int>(cuda::CopyKind::host_to_device)),
            cuda::success);
  value = 0;
  EXPECT_EQ(copy(&value, managed, 4, static_cast<int>(cuda::CopyKind::device_to_host)),
            cuda::success);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(copy(&value, managed, 4, static_cast<int>(cuda::CopyKind::host_to_host)),
            cuda::success);
  EXPECT_EQ(deallocate(managed), cuda::success);
}

TEST_F(RuntimeCallsTest, a_pools_release_threshold_is_kept) {
  void* pool = nullptr;
  ASSERT_EQ(get_default_pool(&pool, 0), cuda::success);
  constexpr int release_threshold = 4;
  std::uint64_t threshold = 1 << 20;
  ASSERT_EQ(set_pool_attribute(pool, release_threshold, &threshold), cuda::success);
  EXPECT_EQ(find_pool(pool)->settings[release_threshold - 1].load(), threshold);
  threshold = 0;
  ASSERT_EQ(set_pool_attribute(pool, release_threshold, &threshold), cuda::success);
}

TEST_F(RuntimeCallsTest, pointer_attributes_describe_the_memory) {
  void* data = nullptr;
  ASSERT_EQ(allocate(&data, 100), cuda::success);
  abi::PointerAttributes attributes{};
  ASSERT_EQ(get_pointer_attributes(&attributes, static_cast<char*>(data) + 99), cuda::success);
  EXPECT_EQ(attributes.type, 2);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.host_pointer, nullptr);
  ASSERT_EQ(get_pointer_attributes(&attributes, &attributes), cuda::success);
  EXPECT_EQ(attributes.type, 0);
  void* pinned = nullptr;
  ASSERT_EQ(host_allocate(&pinned, 64, 0), cuda::success);
  ASSERT_EQ(get_pointer_attributes(&attributes, pinned), cuda::success);
  EXPECT_EQ(attributes.type, 1);
  EXPECT_EQ(attributes.host_pointer, pinned);
  EXPECT_EQ(host_deallocate(pinned), cuda::success);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(RuntimeCallsTest, pools_belong_to_devices) {
  void* pool = nullptr;
  ASSERT_EQ(get_default_pool(&pool, 1), cuda::success);
  std::uint64_t threshold = 1 << 20;
  EXPECT_EQ(set_pool_attribute(pool, 4, &threshold), cuda::success);
  EXPECT_EQ(set_pool_attribute(pool, 5, &threshold), cuda::invalid_value);
  EXPECT_EQ(trim_pool(pool, 0), cuda::success);
  EXPECT_EQ(trim_pool(&threshold, 0), cuda::invalid_value);
  EXPECT_EQ(get_default_pool(&pool, 2), cuda::invalid_device);
  const abi::AccessDescription nobody{1, 2, 3};
  EXPECT_EQ(set_pool_access(pool, &nobody, 1), cuda::invalid_device);
  static_cast<void>(get_last_error());
}

TEST_F(RuntimeCallsTest, streams_events_and_host_functions_keep_their_order) {
  void* first = nullptr;
  void* second = nullptr;
  void* event = nullptr;
  ASSERT_EQ(stream_create(&first, 1), cuda::success);
  ASSERT_EQ(stream_create(&second, 1), cuda::success);
  ASSERT_EQ(event_create_with_flags(&event, 2), cuda::success);
  std::uint32_t* const data = device_memory(1);
  std::uint32_t copied_value = 0;
  rehearsal::set_delay(20'000);
  const std::uint32_t value = 3;
  ASSERT_EQ(copy_async(data, &value, 4, 1, first), cuda::success);
  ASSERT_EQ(event_record(event, first), cuda::success);
  EXPECT_EQ(event_query(event), cuda::not_ready);
  rehearsal::set_delay(0);
  ASSERT_EQ(stream_wait_event(second, event, 0), cuda::success);
  struct Pair {
    const std::uint32_t* source;
    std::uint32_t* destination;
  } copy_pair{data, &copied_value};
  ASSERT_EQ(launch_host_function(
                second,
                [](void* user_data) {
                  const auto* const both = static_cast<Pair*>(user_data);
                  *both->destination = *both->source;
                },
                &copy_pair),
            cuda::success);
  ASSERT_EQ(stream_synchronize(second), cuda::success);
  EXPECT_EQ(copied_value, 3U);
  EXPECT_EQ(event_synchronize(event), cuda::success);
  int ordinal = -1;
  EXPECT_EQ(stream_device(second, &ordinal), cuda::success);
  EXPECT_EQ(ordinal, 0);
  int capturing = -1;
  EXPECT_EQ(stream_is_capturing(second, &capturing), cuda::success);
  EXPECT_EQ(capturing, 0);
  EXPECT_EQ(event_destroy(event), cuda::success);
  EXPECT_EQ(event_destroy(event), cuda::invalid_resource_handle);
  EXPECT_EQ(stream_destroy(first), cuda::success);
  EXPECT_EQ(stream_destroy(second), cuda::success);
  EXPECT_EQ(stream_synchronize(second), cuda::invalid_resource_handle);
  ASSERT_EQ(stream_create(&first, 0), cuda::success) << "a blocking stream";
  EXPECT_EQ(stream_destroy(first), cuda::success);
  EXPECT_EQ(stream_create(&first, 2), cuda::invalid_value);
  static_cast<void>(get_last_error());
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(RuntimeCallsTest, timed_events_measure_elapsed_time) {
  void* begin = nullptr;
  void* end = nullptr;
  ASSERT_EQ(event_create(&begin), cuda::success);
  ASSERT_EQ(event_create(&end), cuda::success);
  ASSERT_EQ(event_record(begin, cuda::legacy_stream), cuda::success);
  ASSERT_EQ(event_record(end, cuda::legacy_stream), cuda::success);
  ASSERT_EQ(event_synchronize(end), cuda::success);
  float milliseconds = -1;
  EXPECT_EQ(event_elapsed(&milliseconds, begin, end), cuda::success);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(event_destroy(begin), cuda::success);
  EXPECT_EQ(event_destroy(end), cuda::success);
}

template <class Function>
Function* driver_function(const char* name) {
  void* function = nullptr;
  int symbol_status = -1;
  EXPECT_EQ(get_driver_entry_point(name, &function, 12000, 0, &symbol_status), cuda::success);
  EXPECT_EQ(symbol_status, function != nullptr ? 0 : 1);
  return reinterpret_cast<Function*>(function);
}

TEST_F(RuntimeCallsTest, contexts_are_pushed_and_popped_as_a_stack) {
  auto* const retain = driver_function<int(void**, int)>("cuDevicePrimaryCtxRetain");
  auto* const push = driver_function<int(void*)>("cuCtxPushCurrent");
  auto* const pop = driver_function<int(void**)>("cuCtxPopCurrent");
  auto* const current = driver_function<int(void**)>("cuCtxGetCurrent");
  ASSERT_TRUE(retain != nullptr && push != nullptr && pop != nullptr && current != nullptr);
  void* context = nullptr;
  ASSERT_EQ(retain(&context, 1), 0);
  EXPECT_EQ(retain(&context, 2), cuda::invalid_device);
  ASSERT_EQ(push(context), 0);
  int ordinal = -1;
  EXPECT_EQ(get_device(&ordinal), cuda::success);
  EXPECT_EQ(ordinal, 1);
  void* current_context = nullptr;
  EXPECT_EQ(current(&current_context), 0);
  EXPECT_EQ(current_context, context);
  EXPECT_EQ(pop(&current_context), 0);
  EXPECT_EQ(current_context, context);
  EXPECT_EQ(get_device(&ordinal), cuda::success);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(push(&current_context), 201) << "no context";
  EXPECT_EQ(driver_function<int()>("cuNoSuchFunction"), nullptr);
}

TEST_F(RuntimeCallsTest, the_driver_returns_the_range_of_an_allocation) {
  auto* const ask = driver_function<int(void*, int, std::uint64_t)>("cuPointerGetAttribute");
  ASSERT_NE(ask, nullptr);
  void* data = nullptr;
  ASSERT_EQ(allocate(&data, 100), cuda::success);
  const auto address = reinterpret_cast<std::uint64_t>(data);
  std::uint64_t start = 0;
  std::size_t nbytes = 0;
  int ordinal = -1;
  EXPECT_EQ(ask(&start, 11, address + 50), 0);
  EXPECT_EQ(ask(&nbytes, 12, address + 50), 0);
  EXPECT_EQ(ask(&ordinal, 9, address + 50), 0);
  EXPECT_EQ(start, address);
  EXPECT_EQ(nbytes, 100U);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(ask(&start, 11, reinterpret_cast<std::uint64_t>(&start)), cuda::invalid_value);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(RuntimeCallsTest, a_planned_failure_fails_the_call) {
  rehearsal::fail_entry(&cuda::Api::allocate, 1, cuda::memory_allocation);
  void* data = nullptr;
  EXPECT_EQ(allocate(&data, 100), cuda::memory_allocation);
  EXPECT_EQ(get_last_error(), cuda::memory_allocation);
}

TEST_F(RuntimeCallsTest, a_report_names_the_nearest_allocation) {
  void* data = nullptr;
  ASSERT_EQ(allocate(&data, 100), cuda::success);
  const DeviceMemoryMap map(0);
  const auto address = reinterpret_cast<std::uint64_t>(data);
  EXPECT_EQ(map.find(address + 99).end, address + 100);
  EXPECT_EQ(map.find(address + 100).end, 0U);
  EXPECT_NE(text_of(map.nearest(address + 104)).find("4 bytes past the end of 100 bytes"),
            std::string::npos)
      << text_of(map.nearest(address + 104));
  EXPECT_NE(
      text_of(map.nearest(reinterpret_cast<std::uint64_t>(&data))).find("not in device memory"),
      std::string::npos);
  const DeviceMemoryMap other(1);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(RuntimeCallsTest, memory_and_peers_of_devices_can_change) {
  abi::DeviceProperties properties{};
  int can = 0;
  EXPECT_EQ(change_setting("SKERRY_REHEARSE_MEMORY", "64MiB"), "");
  EXPECT_EQ(change_setting("SKERRY_REHEARSE_PEERS", "none"), "");
  ASSERT_EQ(get_device_properties(&properties, 1), cuda::success);
  EXPECT_EQ(properties.total_bytes, 64U << 20);
  ASSERT_EQ(can_access_peer(&can, 0, 1), cuda::success);
  EXPECT_EQ(can, 0);
  for (const char* const peers : {"some", "0", "0-64", "0-1;"}) {
    EXPECT_NE(change_setting("SKERRY_REHEARSE_PEERS", peers), "") << peers;
  }
  ASSERT_EQ(can_access_peer(&can, 0, 1), cuda::success);
  EXPECT_EQ(can, 0) << "a malformed value changes nothing";
  EXPECT_NE(change_setting("SKERRY_REHEARSE_MEMORY", "0"), "");
  EXPECT_NE(change_setting("SKERRY_REHEARSE_POOLS", "0"), "");
  EXPECT_EQ(change_setting("SKERRY_REHEARSE_PEERS", "0-1"), "");
  ASSERT_EQ(can_access_peer(&can, 1, 0), cuda::success);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(change_setting("SKERRY_REHEARSE_PEERS", "all"), "");
  EXPECT_EQ(change_setting("SKERRY_REHEARSE_MEMORY", "8GiB"), "");
}

TEST(emulator_settings, settings_are_parsed_or_rejected) {
  EmulatorSettings settings;
  EXPECT_EQ(read_setting("SKERRY_EMULATE_TARGET", "90", settings), "");
  EXPECT_EQ(settings.model.compute_capability, 90);
  EXPECT_EQ(settings.model.shared_bytes_per_block_optin, 227U << 10);
  EXPECT_EQ(read_setting("SKERRY_EMULATE_MULTIPROCESSORS", "132", settings), "");
  EXPECT_EQ(settings.model.multiprocessors, 132);
  EXPECT_EQ(read_setting("SKERRY_EMULATE_SEED", "7", settings), "");
  EXPECT_EQ(settings.model.seed, 7U);
  EXPECT_EQ(read_setting("SKERRY_EMULATE_TARGET", "75", settings),
            "SKERRY_EMULATE_TARGET=75 is not understood; accepted: 80 or 90");
  EXPECT_EQ(read_setting("SKERRY_EMULATE_DEVICES", "0", settings),
            "SKERRY_EMULATE_DEVICES=0 is not understood; accepted: 1 to 64");
  EXPECT_NE(read_setting("SKERRY_EMULATE_SEED", "7x", settings), "");
  EXPECT_NE(read_setting("SKERRY_EMULATE_COLOUR", "7", settings), "");
  EXPECT_FALSE(settings.model.counts_requests);
  EXPECT_EQ(read_setting("SKERRY_EMULATE_LAUNCHES", "launches", settings), "");
  EXPECT_EQ(settings.launch_list, "launches");
  EXPECT_TRUE(settings.model.counts_requests);
  EXPECT_EQ(settings.model.seed, 7U);
}

}  // namespace
}  // namespace skerry::emulation
