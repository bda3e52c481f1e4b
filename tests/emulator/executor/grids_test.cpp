// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>
#include <vector>

#include "device/emulator/processor_time.hpp"
#include "tests/emulator/executor/emulated.hpp"

// Cooperative launches, and kernels that never end.
namespace skerry::emulation {
namespace {

/// Each block writes its index, waits for the others, and adds up all indices.
[[nodiscard]] std::string sum_text(const std::string& barrier) {
  return kernel_text(".param .u64 p",
                     R"(
    .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %d<20>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x; ld.param.u64 %d1, [p];
    mad.wide.u32 %d2, %r1, 4, %d1; setp.ne.u32 %p1, %r3, 0; @!%p1 st.global.u32 [%d2], %r1;
    )" + barrier + R"(
    mov.u32 %r4, 0; mov.u32 %r5, 0;
    $add: mad.wide.u32 %d3, %r4, 4, %d1; ld.global.u32 %r6, [%d3]; add.u32 %r5, %r5, %r6;
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r2; @%p2 bra $add;
    add.u32 %r7, %r2, %r1; mad.wide.u32 %d4, %r7, 4, %d1; @!%p1 st.global.u32 [%d4], %r5; ret;)",
                     R"(
    .extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
    .extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
    )");
}

const std::string called_barrier = R"(
  { .param .b32 a; st.param.b32 [a], 1; .param .b64 r; call.uni (r), cudaCGGetIntrinsicHandle, (a);
    ld.param.b64 %d9, [r]; }
  { .param .b64 a; st.param.b64 [a], %d9; .param .b32 b; st.param.b32 [b], 0; .param .b32 r;
    call.uni (r), cudaCGSynchronize, (a, b); ld.param.b32 %r20, [r]; }
  add.u32 %r3, %r3, %r20;)";

/// As nvcc 13.0 writes cooperative_groups::this_grid().sync().
const std::string counted_barrier = R"(
  mov.u32 %r10, %envreg2; cvt.u64.u32 %d10, %r10; mov.u32 %r11, %envreg1; cvt.u64.u32 %d11, %r11;
  bfi.b64 %d12, %d11, %d10, 32, 32; setp.ne.s64 %p5, %d12, 0; @%p5 bra $valid; trap;
  $valid: barrier.sync 0; setp.ne.s32 %p6, %r3, 0; @%p6 bra $met; add.s64 %d13, %d12, 4;
  setp.eq.s32 %p7, %r1, 0; sub.s32 %r12, -2147483647, %r2; selp.b32 %r13, %r12, 1, %p7;
  atom.add.release.gpu.u32 %r14, [%d13], %r13;
  $poll: ld.acquire.gpu.u32 %r15, [%d13]; xor.b32 %r16, %r15, %r14; setp.gt.s32 %p8, %r16, -1;
  @%p8 bra $poll;
  $met: barrier.sync 0;)";

void expect_blocks_meet(const std::string& barrier, const DeviceModel& device) {
  constexpr std::uint32_t blocks = 64;
  TestMemory memory;
  const std::uint64_t data = memory.allocate(std::size_t{2} * blocks * 4);
  Launch launch{.grid = {blocks}, .block = {40}};
  launch.is_cooperative = true;
  EXPECT_RUNS(sum_text(barrier), launch, device, memory, data);
  EXPECT_EQ(memory.read<std::uint32_t>(data + blocks * 4, blocks),
            std::vector<std::uint32_t>(blocks, blocks * (blocks - 1) / 2));
}

TEST(EmulationGrids, blocks_of_a_cooperative_launch_synchronize) {
  for (const std::string& barrier : {called_barrier, counted_barrier}) {
    expect_blocks_meet(barrier, {});
    expect_blocks_meet(barrier, {.seed = 3, .quantum = 9, .checks_global_races = true});
    expect_blocks_meet(barrier, {.checks_synchronization = true, .checks_undefined_values = true});
  }
}

TEST(EmulationGrids, without_the_barrier_blocks_race) {
  TestMemory memory;
  const std::uint64_t data = memory.allocate(1024);
  Launch launch{.grid = {64}, .block = {40}};
  launch.is_cooperative = true;
  expect_failure(run_text(sum_text(""), launch, {.checks_global_races = true}, memory, data),
                 code::launch_failure, {"race"});
}

TEST(EmulationGrids, a_grid_barrier_needs_a_cooperative_launch) {
  TestMemory memory;
  const std::uint64_t data = memory.allocate(1024);
  const Launch launch{.grid = {64}, .block = {40}};
  expect_failure(run_text(sum_text(called_barrier), launch, {}, memory, data), code::launch_failure,
                 {"not cooperative"});
  expect_failure(run_text(sum_text(counted_barrier), launch, {}, memory, data),
                 code::launch_failure, {"trap"});
}

TEST(EmulationGrids, more_blocks_than_can_be_resident_are_rejected) {
  TestMemory memory;
  const std::uint64_t data = memory.allocate(1 << 20);
  Launch launch{.grid = {4 * 32 + 1}, .block = {32}};
  EXPECT_RUNS(sum_text(""), launch, {}, memory, data);
  launch.is_cooperative = true;
  expect_failure(run_text(sum_text(called_barrier), launch, {}, memory, data),
                 code::cooperative_launch_too_large, {"129 blocks", "128"});
}

TEST(EmulationGrids, a_block_that_ends_before_the_barrier_is_a_deadlock) {
  TestMemory memory;
  const std::uint64_t data = memory.allocate(1024);
  Launch launch{.grid = {3}, .block = {40}};
  launch.is_cooperative = true;
  const std::string text = sum_text("setp.eq.u32 %p5, %r1, 1; @%p5 ret;" + called_barrier);
  expect_failure(run_text(text, launch, {}, memory, data), code::launch_failure, {"deadlock"});
}

TEST(EmulationGrids, a_kernel_that_never_ends_is_stopped) {
  TestMemory memory;
  const std::string text = kernel_text("", R"(
    .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 32; @%p bra $wait;
    $spin: bra.uni $spin;
    $wait: bar.sync 0; ret;)");
  const auto begin = std::chrono::steady_clock::now();
  const Launch launch{.block = {64}};
  expect_failure(run_text(text, launch, {.seconds_limit = 0.1}, memory), code::launch_timeout,
                 {"more than 0.1 s", "bra.uni $spin", "bar.sync 0"});
  expect_failure(run_text(text, launch, {.instruction_limit = 100'000}, memory),
                 code::launch_timeout, {"more than 100000 warp instructions"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(EmulationGrids, the_time_limit_counts_processor_time) {
  TestMemory memory;
  std::vector<std::jthread> busy_threads;  // the kernel gets a quarter of a processor
  for (unsigned k = 0; k < 3 * std::max(1U, std::thread::hardware_concurrency()); ++k) {
    busy_threads.emplace_back([](const std::stop_token& end) {
      while (!end.stop_requested()) {
      }
    });
  }
  const std::chrono::nanoseconds begin = processor_time();
  expect_failure(
      run_text(kernel_text("", "$spin: bra.uni $spin;"), {}, {.seconds_limit = 0.1}, memory),
      code::launch_timeout, {"more than 0.1 s"});
  EXPECT_GE(processor_time() - begin, std::chrono::milliseconds(100));
}

TEST(EmulationGrids, a_long_running_kernel_is_announced_once) {
  TestMemory memory;
  std::vector<Failure> notices;
  Launch launch{.block = {64}};
  launch.notice = [&](const Failure& failure) { notices.push_back(failure); };
  const std::string text = kernel_text("", "$spin: bra.uni $spin;");
  const DeviceModel device{.seconds_limit = 0.6, .seconds_to_notice = 0.2};
  expect_failure(run_text(text, launch, device, memory), code::launch_timeout, {"more than 0.6 s"});
  ASSERT_EQ(notices.size(), 1);
  EXPECT_NE(notices[0].text.find("has run for 0.2 s and is still running"), std::string::npos);
  EXPECT_NE(notices[0].text.find("bra.uni $spin"), std::string::npos);
  EXPECT_NE(notices[0].text.find("kernel: k"), std::string::npos);
  EXPECT_EQ(notices[0].waiting.size(), 2);
}

TEST(EmulationGrids, kernels_are_stopped_at_process_exit) {
  TestMemory memory;
  const std::string text = kernel_text("", "$spin: bra.uni $spin;");
  stop_kernels(0.05);
  expect_failure(run_text(text, {}, {}, memory), code::launch_timeout, {"the process is exiting"});
  constexpr double never = 1e9;
  stop_kernels(never);
  EXPECT_RUNS(kernel_text("", "ret;"), {}, {}, memory);
}

}  // namespace
}  // namespace skerry::emulation
