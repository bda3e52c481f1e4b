// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/api.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/rehearsal/control.hpp"

namespace skerry::emulation {

inline constexpr std::string_view ptx_head =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n";

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

/// Sets data[0] = value, by way of 1,024 bytes of shared memory; for at most 64 threads per block.
inline constexpr std::string_view narrow_ptx = R"(
.visible .entry narrow(.param .u64 data, .param .u32 value)
.maxntid 64, 1, 1
{
  .reg .b32 %r<2>; .reg .b64 %rd<3>;
  .shared .align 4 .b8 room[1024];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  st.shared.u32 [room], %r1;
  ld.shared.u32 %r1, [room];
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

/// Adds `value` to the variable `counter` and stores the sum in data[0].
inline constexpr std::string_view count_ptx = R"(
.visible .entry count(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r2, [counter];
  add.s32 %r3, %r2, %r1;
  st.global.u32 [counter], %r3;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

inline void append(std::string& bytes,
                   std::initializer_list<std::pair<std::uint64_t, int>> values) {
  for (const auto& [value, nbytes] : values) {
    bytes.append(reinterpret_cast<const char*>(&value), static_cast<std::size_t>(nbytes));
  }
}

/// Returns a fat binary with one PTX entry, as nvcc --compress-mode=none writes it.
inline std::string fat_binary(std::string_view ptx, int target = 80) {
  std::string text(ptx);
  text.push_back('\0');
  text.resize((text.size() + 7) / 8 * 8, '\0');
  std::string entry;
  append(entry, {{1, 2},
                 {0x0101, 2},
                 {64, 4},
                 {text.size(), 8},
                 {0, 4},
                 {64, 4},
                 {0, 2},
                 {8, 2},
                 {static_cast<std::uint64_t>(target), 4},
                 {0, 4},
                 {0, 4},
                 {0x11, 8},
                 {0, 8},
                 {0, 8}});
  std::string all;
  append(all, {{0xba55ed50, 4}, {1, 2}, {16, 2}, {entry.size() + text.size(), 8}});
  return all + entry + text;
}

/// A program's image, registered as code compiled by nvcc does at load time.
class ProgramImage {
 public:
  explicit ProgramImage(std::string bytes) : bytes_(std::move(bytes)) {
    wrapper_.data = reinterpret_cast<const std::byte*>(bytes_.data());
    handle_ = entry_points::register_fat_binary(&wrapper_);
  }
  ProgramImage(const ProgramImage&) = delete;
  ProgramImage& operator=(const ProgramImage&) = delete;
  ~ProgramImage() { entry_points::unregister_fat_binary(handle_); }

  /// Registers a kernel. Returns the address of its host function.
  const void* kernel(const char* name) {
    hosts_.push_back(std::make_unique<char>());
    char* const host = hosts_.back().get();
    entry_points::register_function(handle_, host, host, name, -1, nullptr, nullptr, nullptr,
                                    nullptr, nullptr);
    return host;
  }
  const void* variable(const char* name, std::size_t nbytes) {
    hosts_.push_back(std::make_unique<char>());
    char* const host = hosts_.back().get();
    entry_points::register_variable(handle_, host, host, name, 0, nbytes, 0, 0);
    return host;
  }

 private:
  std::string bytes_;
  abi::FatBinaryWrapper wrapper_{abi::fat_binary_magic, 1, nullptr, nullptr};
  void** handle_ = nullptr;
  std::vector<std::unique_ptr<char>> hosts_;
};

/// Tests on two emulated devices, whose errors are cleared after each test.
class EmulatedDevices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SKERRY_EMULATE_DEVICES", "2", 0);
    setenv("SKERRY_EMULATE_LIMIT", "1000000", 0);
  }
  void SetUp() override {
    ASSERT_EQ(entry_points::set_device(0), cuda::success);
    rehearsal::clear();
  }
  void TearDown() override {
    rehearsal::clear();
    ASSERT_EQ(entry_points::set_device(0), cuda::success);
    ASSERT_EQ(entry_points::device_synchronize(), cuda::success);
    rehearsal::clear();
  }

  static std::uint32_t* device_memory(std::size_t count) {
    void* data = nullptr;
    EXPECT_EQ(entry_points::allocate(&data, count * sizeof(std::uint32_t)), cuda::success);
    return static_cast<std::uint32_t*>(data);
  }
  static int launch(const void* function, Extent grid, Extent block, std::uint32_t* data,
                    std::uint32_t value, std::size_t shared = 0,
                    void* stream = cuda::legacy_stream) {
    void* arguments[] = {&data, &value};
    return entry_points::launch_kernel(function, grid, block, arguments, shared, stream);
  }
  static std::vector<std::uint32_t> read(const std::uint32_t* data, std::size_t count) {
    std::vector<std::uint32_t> values(count);
    constexpr int device_to_host = 2;
    EXPECT_EQ(
        entry_points::copy(values.data(), data, count * sizeof(std::uint32_t), device_to_host),
        cuda::success);
    return values;
  }
};

}  // namespace skerry::emulation
