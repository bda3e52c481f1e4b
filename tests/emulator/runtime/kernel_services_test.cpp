// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Services of a device for its kernels: printf, a heap, addresses in initial values, and
// cooperative launches.

#include <unistd.h>

#include <cstdio>

#include "device/emulator/runtime/attributes.hpp"
#include "device/emulator/runtime/device_resources.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

constexpr std::string_view services_ptx = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
.global .align 1 .b8 text[11] = {118, 97, 108, 117, 101, 32, 37, 117, 33, 10};
.global .align 8 .u64 where[1] = {generic(text)};
.global .align 8 .u64 kept;

.visible .entry print(.param .u64 data, .param .u32 value) {
  .local .align 8 .b8 list[8]; .reg .b32 %r<3>; .reg .b64 %d<4>;
  ld.param.u32 %r1, [value]; st.local.u32 [list], %r1; mov.u64 %d1, list;
  ld.global.u64 %d2, [where];
  { .param .b64 a; st.param.b64 [a], %d2; .param .b64 b; st.param.b64 [b], %d1;
    .param .b32 r; call (r), vprintf, (a, b); }
  ret;
}
.visible .entry keep(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<3>; .reg .b64 %d<4>; ld.param.u32 %r1, [value];
  { .param .b64 a; st.param.b64 [a], 4; .param .b64 r; call (r), malloc, (a);
    ld.param.b64 %d1, [r]; }
  st.u32 [%d1], %r1; st.global.u64 [kept], %d1; ret;
}
.visible .entry give(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<3>; .reg .b64 %d<4>; ld.param.u64 %d1, [data]; ld.param.u32 %r1, [value];
  ld.global.u64 %d2, [kept]; mad.wide.u32 %d3, %r1, 4, %d2; ld.u32 %r2, [%d3];
  st.global.u32 [%d1], %r2; ret;
}
.visible .entry meet(.param .u64 data, .param .u32 value) {
  .reg .b32 %r<5>; .reg .b64 %d<6>; ld.param.u64 %d1, [data]; mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %d2, %r1, 4, %d1; st.global.u32 [%d2], %r1;
  { .param .b32 a; st.param.b32 [a], 1; .param .b64 r; call (r), cudaCGGetIntrinsicHandle, (a);
    ld.param.b64 %d3, [r]; }
  { .param .b64 a; st.param.b64 [a], %d3; .param .b32 b; st.param.b32 [b], 0; .param .b32 r;
    call (r), cudaCGSynchronize, (a, b); }
  xor.b32 %r2, %r1, 1; mad.wide.u32 %d4, %r2, 4, %d1; ld.global.u32 %r3, [%d4];
  st.global.u32 [%d2+16], %r3; ret;
}
)";

class KernelServicesTest : public EmulatedDevices {
 protected:
  ProgramImage image{fat_binary(std::string(ptx_head) + std::string(services_ptx))};
  const void* print = image.kernel("print");
  const void* keep = image.kernel("keep");
  const void* give = image.kernel("give");
  const void* meet = image.kernel("meet");
};

/// Captures standard output while it exists.
class CaughtOutput {
 public:
  CaughtOutput() : file_(std::tmpfile()), saved_stdout_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    ::dup2(::fileno(file_), STDOUT_FILENO);
  }
  CaughtOutput(const CaughtOutput&) = delete;
  CaughtOutput& operator=(const CaughtOutput&) = delete;
  ~CaughtOutput() {
    ::dup2(saved_stdout_, STDOUT_FILENO);
    ::close(saved_stdout_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string text() const {
    std::string contents(4096, '\0');
    const ssize_t count = ::pread(::fileno(file_), contents.data(), contents.size(), 0);
    contents.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return contents;
  }

 private:
  std::FILE* file_;
  int saved_stdout_;
};

TEST_F(KernelServicesTest, a_synchronization_flushes_printf_output) {
  const CaughtOutput caught;
  ASSERT_EQ(launch(print, {2, 1, 1}, {}, nullptr, 7), cuda::success);
  ASSERT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(caught.text(), "value 7!\nvalue 7!\n");
}

TEST_F(KernelServicesTest, a_heap_lives_as_long_as_its_device) {
  std::uint32_t* const data = device_memory(1);
  ASSERT_EQ(launch(keep, {}, {}, nullptr, 42), cuda::success);
  ASSERT_EQ(launch(give, {}, {}, data, 0), cuda::success);
  EXPECT_EQ(read(data, 1)[0], 42U);
  EXPECT_FALSE(set_heap_limit(0, 1 << 20));
  ASSERT_EQ(launch(give, {}, {}, data, 1), cuda::success);
  EXPECT_EQ(device_synchronize(), code::illegal_address);
}

TEST_F(KernelServicesTest, blocks_of_a_cooperative_launch_synchronize) {
  std::uint32_t* data = device_memory(8);
  std::uint32_t value = 0;
  void* arguments[] = {&data, &value};
  abi::LaunchAttribute attribute{abi::cooperative, {1}};
  abi::LaunchConfiguration configuration{{4, 1, 1},           {32, 1, 1}, 0,
                                         cuda::legacy_stream, &attribute, 1};
  ASSERT_EQ(launch_kernel_ex(&configuration, meet, arguments), cuda::success);
  EXPECT_EQ(read(data, 8), (std::vector<std::uint32_t>{0, 1, 2, 3, 1, 0, 3, 2}));
  configuration.grid.x = 100'000;
  EXPECT_EQ(launch_kernel_ex(&configuration, meet, arguments), code::cooperative_launch_too_large);
  EXPECT_EQ(deallocate(data), cuda::success);
}

}  // namespace
}  // namespace skerry::emulation
