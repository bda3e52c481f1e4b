// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Lookup of the driver's functions, and calls before initialization.

#include "tests/emulator/driver/client.hpp"

namespace skerry::emulation::driver {
namespace {

TEST(driver_table, functions_fail_before_cuInit) {
  EXPECT_EQ(Client::instance().status_before_start, 3);
}

TEST(driver_table, a_name_resolves_to_the_versions_variant) {
  void* of_12 = nullptr;
  void* of_11 = nullptr;
  int symbol_status = -1;
  ASSERT_EQ(Client::instance().look_up("cuGetProcAddress", &of_12, 12000, &symbol_status), 0);
  EXPECT_EQ(symbol_status, 0);
  ASSERT_EQ(Client::instance().look_up("cuGetProcAddress", &of_11, 11080, &symbol_status), 0);
  EXPECT_NE(of_11, of_12);
  EXPECT_EQ(of_12, Client::instance().symbol("cuGetProcAddress_v2"));
}

TEST(driver_table, symbols_are_those_that_programs_link_to) {
  for (const char* name : {"cuInit", "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuLaunchKernel",
                           "cuStreamDestroy_v2", "cuDevicePrimaryCtxRelease_v2"}) {
    EXPECT_NE(Client::instance().symbol(name), nullptr) << name;
  }
}

TEST(driver_table, symbols_for_per_thread_default_streams_exist) {
  for (const char* name : {"cuMemcpy_ptds", "cuMemcpyHtoD_v2_ptds", "cuLaunchKernel_ptsz",
                           "cuStreamSynchronize_ptsz", "cuMemAllocAsync_ptsz"}) {
    EXPECT_NE(Client::instance().symbol(name), nullptr) << name;
  }
  auto* const wait = reinterpret_cast<decltype(&stream_synchronize)>(
      Client::instance().symbol("cuStreamSynchronize_ptsz"));
  void* context = nullptr;
  ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&context, 0), 0);
  ASSERT_EQ(CALL(cuCtxPushCurrent, context_push)(context), 0);
  EXPECT_EQ(wait(nullptr), 0);
  EXPECT_EQ(wait(context), 400);
  EXPECT_EQ(CALL(cuCtxPopCurrent, context_pop)(nullptr), 0);
  EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(0), 0);
}

TEST(driver_table, an_older_version_has_no_newer_function) {
  void* function = nullptr;
  int symbol_status = -1;
  EXPECT_EQ(Client::instance().look_up("cuLibraryLoadData", &function, 11080, &symbol_status), 0);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(symbol_status, 2);
}

TEST(driver_table, an_older_variant_with_other_parameters_is_refused_by_name) {
  auto* const allocate = Client::instance().find<int(unsigned*, unsigned)>("cuMemAlloc", 3010);
  ASSERT_NE(allocate, nullptr);
  EXPECT_NE(reinterpret_cast<void*>(allocate), Client::instance().symbol("cuMemAlloc_v2"));
  testing::internal::CaptureStderr();
  unsigned data = 0;
  EXPECT_EQ(allocate(&data, 8), 801);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "skerry: emulated GPU: cuMemAlloc: not supported\n");
}

TEST(driver_table, an_unknown_name_is_not_found) {
  void* function = nullptr;
  int symbol_status = -1;
  EXPECT_EQ(Client::instance().look_up("cuNoSuchFunction", &function, 13000, &symbol_status), 0);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(symbol_status, 1);
  const auto look_up_in_11 =
      Client::instance().find<decltype(get_proc_address_v1)>("cuGetProcAddress", 11080);
  EXPECT_EQ(look_up_in_11("cuNoSuchFunction", &function, 11080, 0), 500);
  EXPECT_EQ(look_up_in_11("cuInit", &function, 11080, 0), 0);
  EXPECT_EQ(look_up_in_11("cuInit", nullptr, 11080, 0), 1);
  EXPECT_EQ(Client::instance().look_up(nullptr, &function, 13000, &symbol_status), 1);
}

TEST(driver_table, unsupported_functions_print_their_name_once) {
  auto* const create = Client::instance().find<int(void**, unsigned)>("cuArrayCreate");
  ASSERT_NE(create, nullptr);
  testing::internal::CaptureStderr();
  void* array = nullptr;
  EXPECT_EQ(create(&array, 0), 801);
  EXPECT_EQ(create(&array, 0), 801);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "skerry: emulated GPU: cuArrayCreate: not supported\n");
}

TEST(driver_table, errors_have_cudas_names) {
  const char* text = nullptr;
  ASSERT_EQ(CALL(cuGetErrorName, get_error_name)(700, &text), 0);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_EQ(CALL(cuGetErrorString, get_error_string)(700, &text), 0);
  EXPECT_STREQ(text, "an illegal memory access was encountered");
  EXPECT_EQ(CALL(cuGetErrorName, get_error_name)(12345, &text), 1);
  EXPECT_EQ(text, nullptr);
}

TEST(driver_table, device_queries_need_no_context) {
  int count = 0;
  ASSERT_EQ(CALL(cuDeviceGetCount, device_get_count)(&count), 0);
  EXPECT_EQ(count, 3);
  char name[64] = {};
  ASSERT_EQ(CALL(cuDeviceGetName, device_get_name)(name, sizeof name, 1), 0);
  EXPECT_EQ(std::string_view(name).substr(0, 12), "emulated GPU");
  int value = 0;
  ASSERT_EQ(CALL(cuDeviceGetAttribute, device_get_attribute)(&value, 10, 2), 0);
  EXPECT_EQ(value, 32);
  EXPECT_EQ(CALL(cuDeviceGetAttribute, device_get_attribute)(&value, 10, 3), 101);
  EXPECT_EQ(CALL(cuDeviceGetAttribute, device_get_attribute)(&value, 4096, 0), 1);
  unsigned char first[16];
  unsigned char second[16];
  ASSERT_EQ(CALL(cuDeviceGetUuid, device_get_uuid)(first, 0), 0);
  ASSERT_EQ(CALL(cuDeviceGetUuid, device_get_uuid)(second, 1), 0);
  EXPECT_NE(std::string(first, first + 16), std::string(second, second + 16));
  char bus[16] = {};
  int device = -1;
  ASSERT_EQ(CALL(cuDeviceGetPCIBusId, device_get_pci_bus_id)(bus, sizeof bus, 1), 0);
  ASSERT_EQ(CALL(cuDeviceGetByPCIBusId, device_get_by_pci_bus_id)(&device, bus), 0);
  EXPECT_EQ(device, 1);
}

}  // namespace
}  // namespace skerry::emulation::driver
