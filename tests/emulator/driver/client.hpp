// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "device/emulator/driver/entry_points.hpp"

namespace skerry::emulation::driver {

/// libcuda as a program uses it: opened by its name, with functions looked up by cuGetProcAddress.
class Client {
 public:
  static const Client& instance() {
    static const Client one;
    return one;
  }

  int status_before_start = -1;  ///< result of a call before cuInit

  /// Returns the function that a name means in a version of CUDA, or null. The default version
  /// precedes CUDA 13, which adds a parameter to two of the functions.
  template <class Function>
  [[nodiscard]] Function* find(const char* name, int version = 12080) const {
    void* function = nullptr;
    int symbol_status = 0;
    get_(name, &function, version, 0, &symbol_status);
    return reinterpret_cast<Function*>(function);
  }
  [[nodiscard]] void* symbol(const char* name) const { return dlsym(library_, name); }
  [[nodiscard]] int look_up(const char* name, void** function, int version,
                            int* symbol_status) const {
    return get_(name, function, version, 0, symbol_status);
  }

 private:
  Client() {
    setenv("SKERRY_EMULATE_DEVICES", "3", 0);
    library_ = dlopen(SKERRY_EMULATED_DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      ADD_FAILURE() << dlerror();
      std::abort();
    }
    get_ = reinterpret_cast<decltype(&get_proc_address)>(dlsym(library_, "cuGetProcAddress_v2"));
    int count = 0;
    status_before_start = find<decltype(device_get_count)>("cuDeviceGetCount")(&count);
    EXPECT_EQ(find<decltype(initialize)>("cuInit")(0), 0);
  }

  void* library_;
  decltype(&get_proc_address) get_;
};

/// Looks up a function of libcuda by name, with the type of the emulator's function.
#define CALL(name, function) \
  (Client::instance().find<decltype(skerry::emulation::driver::function)>(#name))

inline constexpr std::string_view ptx_head =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".const .align 1 .b8 letter;\n.const .align 8 .b8 numbers[40];\n";
/// Size of the module's .const variables, with alignment.
inline constexpr int constant_bytes = 48;

/// Sets data[i] = value for every thread i of the grid.
inline constexpr std::string_view store_ptx = R"(
.visible .entry store(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<6>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r1;
  ret;
}
)";

/// Adds `value` to the variable `counter` and stores the sum in data[0]; has 1,024 bytes of shared
/// memory.
inline constexpr std::string_view count_ptx = R"(
.visible .entry count(.param .u64 data, .param .u32 value)
.maxntid 64, 1, 1
{
  .reg .b32 %r<4>; .reg .b64 %rd<3>;
  .shared .align 4 .b8 room[1024];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r2, [counter];
  add.s32 %r3, %r2, %r1;
  st.global.u32 [counter], %r3;
  st.shared.u32 [room], %r3;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

inline std::string whole_ptx() {
  return std::string(ptx_head) + std::string(store_ptx) + std::string(count_ptx);
}

/// Makes device 0's primary context current for a test, and removes all contexts from the thread's
/// stack after it.
class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(CALL(cuDevicePrimaryCtxRetain, primary_context_retain)(&context_, 0), 0);
    ASSERT_EQ(CALL(cuCtxSetCurrent, context_set_current)(context_), 0);
  }
  void TearDown() override {
    EXPECT_EQ(CALL(cuCtxSynchronize, context_synchronize)(), 0);
    EXPECT_EQ(CALL(cuDevicePrimaryCtxRelease, primary_context_release)(0), 0);
    void* current = nullptr;
    while (CALL(cuCtxPopCurrent, context_pop)(&current) == 0) continue;
  }

  static address allocate(std::size_t nbytes) {
    address data = 0;
    EXPECT_EQ(CALL(cuMemAlloc, memory_allocate)(&data, nbytes), 0);
    return data;
  }
  static void release(address data) { EXPECT_EQ(CALL(cuMemFree, memory_free)(data), 0); }
  static std::vector<std::uint32_t> read(address data, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    EXPECT_EQ(CALL(cuMemcpyDtoH, copy_to_host)(values.data(), data, count * 4), 0);
    return values;
  }
  static void* load(const std::string& image) {
    void* library = nullptr;
    EXPECT_EQ(CALL(cuLibraryLoadData, library_load)(&library, image.c_str(), nullptr, nullptr, 0,
                                                    nullptr, nullptr, 0),
              0);
    return library;
  }
  static void* kernel(void* library, const char* name) {
    void* handle = nullptr;
    EXPECT_EQ(CALL(cuLibraryGetKernel, library_get_kernel)(&handle, library, name), 0);
    return handle;
  }
  static int launch(void* function, unsigned blocks, unsigned threads, address data,
                    std::uint32_t value, void* stream = nullptr) {
    void* arguments[] = {&data, &value};
    return CALL(cuLaunchKernel, launch_kernel)(function, blocks, 1, 1, threads, 1, 1, 0, stream,
                                               arguments, nullptr);
  }

  void* context_ = nullptr;
};

}  // namespace skerry::emulation::driver
