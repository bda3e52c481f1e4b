// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Images, launches and CUB's queries before them, through the entry points of CUDA's runtime.

#include "device/emulator/runtime/launches.hpp"
#include "device/emulator/runtime/reports.hpp"

#include "device/emulator/runtime/attributes.hpp"
#include "device/emulator/runtime/launch_list.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

constexpr int invalid_device_function = 98;

std::string all_kernels() {
  return fat_binary(std::string(ptx_head) + std::string(store_ptx) + std::string(narrow_ptx) +
                    std::string(count_ptx));
}

class LaunchesTest : public EmulatedDevices {
 protected:
  ProgramImage image{all_kernels()};
  const void* store = image.kernel("store");
  const void* narrow = image.kernel("narrow");
  const void* count = image.kernel("count");
};

TEST_F(LaunchesTest, a_kernel_uses_its_parameters) {
  std::uint32_t* const data = device_memory(96);
  ASSERT_EQ(launch(store, {3, 1, 1}, {32, 1, 1}, data, 42), cuda::success);
  EXPECT_EQ(read(data, 96), std::vector<std::uint32_t>(96, 42));
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, parameters_are_copied_and_streams_run_later) {
  std::uint32_t* const data = device_memory(1);
  void* stream = nullptr;
  ASSERT_EQ(stream_create(&stream, 1), cuda::success);
  rehearsal::set_delay(50'000);
  ASSERT_EQ(launch(store, {}, {}, data, 1, 0, stream), cuda::success);
  EXPECT_EQ(stream_query(stream), cuda::not_ready);
  ASSERT_EQ(launch(store, {}, {}, data, 2, 0, stream), cuda::success);
  rehearsal::set_delay(0);
  ASSERT_EQ(stream_synchronize(stream), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 2U);
  EXPECT_EQ(stream_destroy(stream), cuda::success);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, a_kernel_handle_launches_its_function) {
  void* handle = nullptr;
  ASSERT_EQ(get_kernel(&handle, store), cuda::success);
  std::uint32_t* data = device_memory(1);
  std::uint32_t value = 5;
  void* arguments[] = {&data, &value};
  ASSERT_EQ(launch_handle(handle, {}, {}, arguments, 0, cuda::legacy_stream), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 5U);
  abi::LaunchAttribute serialization{abi::programmatic_stream_serialization, {1}};
  abi::LaunchConfiguration configuration{{}, {}, 0, nullptr, &serialization, 1};
  value = 6;
  ASSERT_EQ(launch_kernel_ex(&configuration, handle, arguments), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 6U);
  serialization.id = abi::cooperative;
  EXPECT_EQ(launch_kernel_ex(&configuration, handle, arguments), cuda::success);
  serialization.id = 7;  // an event that the kernel itself records
  EXPECT_EQ(launch_kernel_ex(&configuration, handle, arguments), cuda::not_supported);
  EXPECT_EQ(get_last_error(), cuda::not_supported);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, launch_configurations_are_pushed_and_popped_as_a_stack) {
  Extent grid;
  Extent block;
  std::size_t shared = 0;
  void* stream = nullptr;
  EXPECT_EQ(pop_call_configuration(&grid, &block, &shared, &stream), 52);
  push_call_configuration({1, 2, 3}, {4, 5, 6}, 7, cuda::per_thread_stream);
  push_call_configuration({9, 9, 9}, {9, 9, 9}, 9, nullptr);
  EXPECT_EQ(pop_call_configuration(&grid, &block, &shared, &stream), cuda::success);
  EXPECT_EQ(pop_call_configuration(&grid, &block, &shared, &stream), cuda::success);
  EXPECT_EQ(grid.z, 3U);
  EXPECT_EQ(block.y, 5U);
  EXPECT_EQ(shared, 7U);
  EXPECT_EQ(stream, cuda::per_thread_stream);
  static_cast<void>(get_last_error());
}

TEST_F(LaunchesTest, invalid_launches_are_rejected_and_leave_the_device_usable) {
  std::uint32_t* const data = device_memory(64);
  EXPECT_EQ(launch(store, {0, 1, 1}, {1, 1, 1}, data, 1), code::invalid_configuration);
  EXPECT_EQ(get_last_error(), code::invalid_configuration);
  EXPECT_EQ(get_last_error(), cuda::success);
  EXPECT_EQ(launch(store, {1, 1, 1}, {1025, 1, 1}, data, 1), code::invalid_configuration);
  EXPECT_EQ(launch(store, {1, 70000, 1}, {1, 1, 1}, data, 1), code::invalid_configuration);
  EXPECT_EQ(launch(store, {1, 1, 1}, {32, 1, 1}, data, 1, (48 << 10) + 1), cuda::invalid_value);
  EXPECT_NE(launch(narrow, {1, 1, 1}, {65, 1, 1}, data, 1), cuda::success);
  EXPECT_EQ(launch(&data, {}, {}, data, 1), invalid_device_function) << "not registered";
  int other_device_stream = 0;
  EXPECT_EQ(launch(store, {}, {}, data, 1, 0, &other_device_stream), cuda::invalid_resource_handle);
  static_cast<void>(get_last_error());
  EXPECT_EQ(launch(store, {1, 1, 1}, {64, 1, 1}, data, 3), cuda::success);
  EXPECT_EQ(read(data, 64), std::vector<std::uint32_t>(64, 3));
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, shared_memory_above_the_default_limit_needs_the_attribute) {
  std::uint32_t* const data = device_memory(1);
  constexpr int max_bytes = (163 << 10) - 1024;  // narrow has 1,024 static bytes
  EXPECT_EQ(launch(narrow, {}, {}, data, 1, 60 << 10), cuda::invalid_value);
  EXPECT_EQ(set_function_attribute(narrow, abi::max_dynamic_shared_bytes, max_bytes + 1),
            cuda::invalid_value);
  ASSERT_EQ(set_function_attribute(narrow, abi::max_dynamic_shared_bytes, max_bytes),
            cuda::success);
  EXPECT_EQ(launch(narrow, {}, {}, data, 9, 60 << 10), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 9U);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, attributes_and_occupancy_are_those_of_the_kernel) {
  abi::FunctionAttributes attributes{};
  ASSERT_EQ(get_function_attributes(&attributes, narrow), cuda::success);
  EXPECT_EQ(attributes.shared_bytes, 1024U);
  EXPECT_EQ(attributes.max_threads_per_block, 64);
  EXPECT_EQ(attributes.ptx_version, 80);
  EXPECT_EQ(attributes.max_dynamic_shared_bytes, (48 << 10) - 1024) << "1,024 are static";
  int blocks = 0;
  ASSERT_EQ(max_active_blocks(&blocks, store, 1024, 0), cuda::success);
  EXPECT_EQ(blocks, 2) << "2,048 threads per multiprocessor";
  ASSERT_EQ(max_active_blocks(&blocks, store, 32, 0), cuda::success);
  EXPECT_EQ(blocks, 32) << "32 blocks per multiprocessor";
  ASSERT_EQ(max_active_blocks(&blocks, store, 32, 40 << 10), cuda::success);
  EXPECT_EQ(blocks, 4) << "41 of 164 KiB each";
  ASSERT_EQ(max_active_blocks(&blocks, store, 32, (48 << 10) + 1), cuda::success);
  EXPECT_EQ(blocks, 0) << "exceeds the limit until the kernel's attribute is set";
  ASSERT_EQ(max_active_blocks(&blocks, narrow, 65, 0), cuda::success);
  EXPECT_EQ(blocks, 0) << "a launch would fail";
  EXPECT_EQ(max_active_blocks(&blocks, narrow, 0, 0), cuda::invalid_value);
}

TEST(emulator_launch_list, a_line_describes_a_launch) {
  const std::string text = std::string(ptx_head) + std::string(store_ptx);
  const auto loaded = Module::load(std::as_bytes(std::span(text)), 80);
  Statistics done;
  done.warp_instructions = 7;
  done.loads = {.requests = 1, .nbytes = 128, .sectors = 5, .distinct_sectors = 4};
  done.shared.conflicts = 3;
  EXPECT_EQ(launch_line(*loaded->find("store"), {.grid = {2, 3, 4}, .block = {32}}, done),
            R"({"kernel": "store", "name": "store", "grid": [2, 3, 4], "block": [32, 1, 1], )"
            R"("dynamic_shared_bytes": 0, "warp_instructions": 7, "lane_instructions": 0, )"
            R"("divergent_branches": 0, )"
            R"("loads": {"requests": 1, "bytes": 128, "sectors": 5, "distinct_sectors": 4}, )"
            R"("stores": {"requests": 0, "bytes": 0, "sectors": 0, "distinct_sectors": 0}, )"
            R"("shared": {"requests": 0, "bytes": 0, "wavefronts": 0, "conflicts": 3}, )"
            R"("local_requests": 0})");
}

TEST_F(LaunchesTest, registers_limit_the_occupancy) {
  KernelAttributes attributes;
  attributes.max_threads_per_block = 1024;
  attributes.registers = 64;
  EXPECT_EQ(resident_blocks(attributes, 256, 0, DeviceModel{}), 4);
  attributes.registers = 33;  // rounded up to a multiple of 8
  EXPECT_EQ(resident_blocks(attributes, 256, 0, DeviceModel{}), 6);
}

TEST_F(LaunchesTest, an_illegal_address_is_a_sticky_error_of_one_device) {
  std::uint32_t* const data = device_memory(4);
  ASSERT_EQ(launch(store, {1, 1, 1}, {8, 1, 1}, data, 1), cuda::success) << "it runs later";
  EXPECT_EQ(device_synchronize(), code::illegal_address);
  EXPECT_EQ(launch(store, {}, {}, data, 1), code::illegal_address);
  EXPECT_EQ(get_last_error(), code::illegal_address);
  EXPECT_EQ(get_last_error(), code::illegal_address) << "not cleared";
  EXPECT_EQ(peek_at_last_error(), code::illegal_address);
  EXPECT_NE(last_report().find("store"), std::string::npos) << last_report();
  ASSERT_EQ(set_device(1), cuda::success);
  std::uint32_t* const elsewhere = device_memory(8);
  EXPECT_EQ(launch(store, {1, 1, 1}, {8, 1, 1}, elsewhere, 1), cuda::success);
  EXPECT_EQ(read(elsewhere, 8), std::vector<std::uint32_t>(8, 1));
  EXPECT_EQ(deallocate(elsewhere), cuda::success);
  rehearsal::clear();
  ASSERT_EQ(set_device(0), cuda::success);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, endless_loops_and_unknown_instructions_fail_and_are_named) {
  const auto expect_stop = [](const char* body, int code, std::string_view word) {
    const std::string text =
        std::string(ptx_head).append(".visible .entry stops() { ").append(body).append(" ret; }");
    ProgramImage stopping(fat_binary(text));
    const void* const stops = stopping.kernel("stops");
    ASSERT_EQ(launch_kernel(stops, {}, {}, nullptr, 0, cuda::legacy_stream), cuda::success);
    EXPECT_EQ(device_synchronize(), code);
    EXPECT_TRUE(cuda::is_fatal(code));
    EXPECT_EQ(launch_kernel(stops, {}, {}, nullptr, 0, cuda::legacy_stream), code) << "sticky";
    EXPECT_NE(last_report().find("kernel: stops"), std::string::npos) << last_report();
    EXPECT_NE(last_report().find(word), std::string::npos) << last_report();
    rehearsal::clear();
  };
  expect_stop("$again: bra.uni $again;", code::launch_timeout, "1000000 warp instructions");
  expect_stop("wgmma.fence.sync.aligned;", code::illegal_instruction, "unsupported instruction");
  expect_stop("trap;", code::launch_failure, "trap");
}

TEST_F(LaunchesTest, memory_of_another_device_needs_peer_access) {
  ASSERT_EQ(set_device(1), cuda::success);
  std::uint32_t* const theirs = device_memory(1);
  void* pooled = nullptr;
  ASSERT_EQ(allocate_async(&pooled, 4, cuda::legacy_stream), cuda::success);
  ASSERT_EQ(set_device(0), cuda::success);
  ASSERT_EQ(launch(store, {}, {}, theirs, 1), cuda::success);
  EXPECT_EQ(device_synchronize(), code::illegal_address);
  rehearsal::clear();
  ASSERT_EQ(enable_peer_access(1, 0), cuda::success);
  ASSERT_EQ(launch(store, {}, {}, theirs, 2), cuda::success);
  ASSERT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(read(theirs, 1)[0], 2U);
  ASSERT_EQ(launch(store, {}, {}, static_cast<std::uint32_t*>(pooled), 1), cuda::success);
  EXPECT_EQ(device_synchronize(), code::illegal_address)
      << "access to a pool's memory is set on the pool";
  rehearsal::clear();
  void* pool = nullptr;
  ASSERT_EQ(get_default_pool(&pool, 1), cuda::success);
  const abi::AccessDescription readable{1, 0, 3};
  ASSERT_EQ(set_pool_access(pool, &readable, 1), cuda::success);
  ASSERT_EQ(launch(store, {}, {}, static_cast<std::uint32_t*>(pooled), 3), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(deallocate(theirs), cuda::success);
  EXPECT_EQ(deallocate(pooled), cuda::success);
}

TEST_F(LaunchesTest, pinned_host_memory_is_accessible) {
  alignas(4096) static std::uint32_t pageable[1024] = {};
  ASSERT_EQ(launch(store, {}, {}, pageable, 1), cuda::success);
  EXPECT_EQ(device_synchronize(), code::illegal_address);
  rehearsal::clear();
  ASSERT_EQ(host_register(pageable, sizeof pageable, 0), cuda::success);
  ASSERT_EQ(launch(store, {}, {}, pageable, 7), cuda::success);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(pageable[0], 7U);
  EXPECT_EQ(host_unregister(pageable), cuda::success);
}

TEST_F(LaunchesTest, accesses_past_pinned_and_managed_memory_name_it) {
  void* pinned = nullptr;
  void* managed = nullptr;
  ASSERT_EQ(host_allocate(&pinned, 4096, 0), cuda::success);
  ASSERT_EQ(driver_api().allocate_managed(&managed, 64), cuda::success);
  const auto expect_report = [&](void* data, unsigned threads, const std::string& text) {
    ASSERT_EQ(launch(store, {}, {threads, 1, 1}, static_cast<std::uint32_t*>(data), 1),
              cuda::success);
    EXPECT_EQ(device_synchronize(), code::illegal_address);
    EXPECT_NE(last_report().find(text), std::string::npos) << last_report();
    rehearsal::clear();
  };
  expect_report(static_cast<std::byte*>(pinned) + 4000, 32, "0 bytes past the end of 4096 bytes");
  EXPECT_NE(last_report().find("of pinned host memory"), std::string::npos) << last_report();
  expect_report(managed, 32, "0 bytes past the end of 64 bytes");
  EXPECT_NE(last_report().find("of managed memory"), std::string::npos) << last_report();
  expect_report(static_cast<std::byte*>(managed) + 80, 1, "16 bytes past the end of 64 bytes");
  EXPECT_EQ(host_deallocate(pinned), cuda::success);
  EXPECT_EQ(deallocate(managed), cuda::success);
}

TEST_F(LaunchesTest, memory_freed_after_a_launch_stays_valid_for_it) {
  void* data = nullptr;
  void* stream = nullptr;
  ASSERT_EQ(stream_create(&stream, 1), cuda::success);
  ASSERT_EQ(allocate_async(&data, 4, stream), cuda::success);
  rehearsal::set_delay(20'000);
  ASSERT_EQ(launch(store, {}, {}, static_cast<std::uint32_t*>(data), 1, 0, stream), cuda::success);
  ASSERT_EQ(deallocate_async(data, stream), cuda::success);
  rehearsal::set_delay(0);
  EXPECT_EQ(stream_synchronize(stream), cuda::success);
  ASSERT_EQ(launch(store, {}, {}, static_cast<std::uint32_t*>(data), 1, 0, stream), cuda::success);
  EXPECT_EQ(stream_synchronize(stream), code::illegal_address) << "freed before that launch";
  rehearsal::clear();
  EXPECT_EQ(stream_destroy(stream), cuda::success);
}

TEST_F(LaunchesTest, each_device_has_its_own_variables) {
  const void* const counter = image.variable("counter", 4);
  std::uint32_t* const data = device_memory(1);
  ASSERT_EQ(launch(count, {}, {}, data, 10), cuda::success);
  ASSERT_EQ(launch(count, {}, {}, data, 10), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 27U) << "initially 7";
  void* variable = nullptr;
  std::size_t nbytes = 0;
  ASSERT_EQ(get_symbol_address(&variable, counter), cuda::success);
  ASSERT_EQ(get_symbol_size(&nbytes, counter), cuda::success);
  EXPECT_EQ(nbytes, 4U);
  EXPECT_EQ(read(static_cast<std::uint32_t*>(variable), 1)[0], 27U);
  ASSERT_EQ(set_device(1), cuda::success);
  void* other_place = nullptr;
  ASSERT_EQ(get_symbol_address(&other_place, counter), cuda::success);
  EXPECT_NE(other_place, variable);
  EXPECT_EQ(read(static_cast<std::uint32_t*>(other_place), 1)[0], 7U);
  EXPECT_EQ(get_symbol_address(&variable, data), 13);
  ASSERT_EQ(set_device(0), cuda::success);
  EXPECT_EQ(deallocate(data), cuda::success);
}

TEST_F(LaunchesTest, unregistering_an_image_frees_its_kernels_and_variables) {
  const std::size_t blocks_before = rehearsal::live_blocks(0);
  const void* function = nullptr;
  std::uint32_t* const data = device_memory(1);
  {
    ProgramImage other(all_kernels());
    function = other.kernel("count");
    ASSERT_EQ(launch(function, {}, {}, data, 1), cuda::success);
  }
  EXPECT_EQ(launch(function, {}, {}, data, 1), invalid_device_function);
  EXPECT_EQ(read(data, 1)[0], 8U) << "enqueued work runs";
  EXPECT_EQ(deallocate(data), cuda::success);
  EXPECT_EQ(rehearsal::live_blocks(0), blocks_before);
}

int code_of_a_launch(std::string bytes, const char* name) {
  ProgramImage image(std::move(bytes));
  const void* const function = image.kernel(name);
  std::uint32_t* data = nullptr;
  std::uint32_t value = 0;
  void* arguments[] = {&data, &value};
  abi::FunctionAttributes attributes{};
  const int query_code = get_function_attributes(&attributes, function);
  const int code = launch_kernel(function, {}, {}, arguments, 0, cuda::legacy_stream);
  EXPECT_EQ(query_code, code);
  EXPECT_EQ(get_last_error(), code);
  EXPECT_EQ(get_last_error(), cuda::success) << "not sticky";
  EXPECT_EQ(launch_kernel(function, {}, {}, arguments, 0, cuda::legacy_stream), code) << "again";
  static_cast<void>(get_last_error());
  return code;
}

TEST_F(LaunchesTest, images_that_cannot_be_loaded_return_cudas_codes) {
  const std::string good = all_kernels();
  std::string bad_magic = good;
  bad_magic[0] = 'x';
  EXPECT_EQ(code_of_a_launch(bad_magic, "store"), code::invalid_kernel_image);
  std::string cut = good;
  cut[16 + 8] = '\xff';  // the entry's size exceeds the binary's
  cut[16 + 11] = '\xff';
  EXPECT_EQ(code_of_a_launch(cut, "store"), code::invalid_kernel_image);
  EXPECT_EQ(
      code_of_a_launch(fat_binary(std::string(ptx_head) + std::string(store_ptx), 90), "store"),
      code::no_kernel_image_for_device);
  EXPECT_EQ(code_of_a_launch(good, "nothing"), invalid_device_function);
  EXPECT_EQ(code_of_a_launch(fat_binary(".version 99.0\n.target sm_80\n.address_size 64\n" +
                                        std::string(store_ptx)),
                             "store"),
            code::unsupported_ptx_version);
  const std::string unfinished = std::string(ptx_head).append(".visible .entry store( {");
  EXPECT_EQ(code_of_a_launch(fat_binary(unfinished), "store"), code::invalid_ptx);
}

TEST_F(LaunchesTest, an_invalid_fat_binary_fails_at_its_first_use) {
  const int junk = 0;
  void** const handle = register_fat_binary(&junk);
  char host = 0;
  register_function(handle, &host, &host, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(launch(&host, {}, {}, nullptr, 0), code::invalid_kernel_image);
  EXPECT_EQ(get_last_error(), code::invalid_kernel_image);
  unregister_fat_binary(handle);
}

}  // namespace
}  // namespace skerry::emulation
