// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/global_races.hpp"
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body for three blocks of 32 threads in several schedules; returns the first failure. %d1
/// points to 512 bytes, %d2 to the thread's element in them, %d3 to the same thread's element of
/// the next block; %r1 is the index of the thread, %r2 that of the block; %p1 is true in the first
/// thread of each block, %p2 in the first block.
[[nodiscard]] std::optional<Failure> raced(const std::string& body, const std::string& name = "k") {
  const std::string text = kernel_text(".param .u64 p",
                                       R"(
      .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>; ld.param.u64 %d1, [p];
      mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, 0;
      setp.eq.u32 %p2, %r2, 0; mad.lo.u32 %r3, %r2, 32, %r1; mad.wide.u32 %d2, %r3, 4, %d1;
      add.u32 %r4, %r3, 32; mad.wide.u32 %d3, %r4, 4, %d1;)" +
                                           body + " ret;",
                                       "", name);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    TestMemory memory;
    const std::uint64_t address = memory.allocate(std::vector<std::uint32_t>(128));
    const DeviceModel device{.seed = seed,
                             .resident_blocks = seed == 0 ? 1 : 3,
                             .quantum = seed == 0 ? 0 : 5,
                             .instruction_limit = 1'000'000,
                             .checks_global_races = true};
    if (auto failure =
            run_kernel(name, text, {.grid = {3}, .block = {32}}, device, memory, address)) {
      return failure;
    }
  }
  return std::nullopt;
}

void expect_race(const std::string& body, std::string_view hazard_text) {
  SCOPED_TRACE(body);
  expect_failure(raced(body), 719,
                 {"race on global memory", hazard_text, "by block (", "kernel: k"});
}

void expect_no_race(const std::string& body) {
  const auto failure = raced(body);
  EXPECT_FALSE(failure.has_value()) << body << text_of(failure);
}

TEST(EmulationGlobalRaces, races_between_blocks_are_reported) {
  expect_race("@%p1 st.global.u32 [%d1], %r2;", "write after write");
  expect_race("st.global.u32 [%d2], %r1; ld.global.u32 %r5, [%d3];", "after");
  expect_race("@%p1 ld.global.u32 %r5, [%d1]; @%p2 st.global.u8 [%d1+3], 1;", "after");
  expect_race("@%p2 st.global.u32 [%d1], 1; @!%p2 ld.u32 %r5, [%d1];", "after");
  expect_no_race("st.global.u32 [%d2], %r1; ld.global.u32 %r5, [%d2]; st.global.u32 [%d2], %r5;");
  expect_no_race("ld.global.u32 %r5, [%d1]; st.global.u32 [%d2+128], %r5;");
  expect_no_race("@%p1 atom.global.add.u32 %r5, [%d1], 1; @%p1 red.global.max.u32 [%d1], 1;");
  expect_no_race("@%p1 st.volatile.global.u32 [%d1], 1; ld.relaxed.gpu.global.u32 %r5, [%d1];");
}

TEST(EmulationGlobalRaces, races_of_asynchronous_copies_are_reported) {
  const std::string head =
      ".shared .align 16 .b8 s[512]; .shared .align 8 .b8 bar[8];"
      "mov.u32 %r6, s; mad.lo.u32 %r7, %r1, 4, %r6;";
  // The first block writes bytes that the other blocks copy.
  const std::string async = "cp.async.ca.shared.global [%r7], [%d1], 4; cp.async.wait_all;";
  expect_race(head + "@%p2 st.global.u32 [%d1], 1; @!%p2 bra $r; ret; $r:" + async, "after");
  expect_no_race(head + async + "st.global.u32 [%d2+128], %r1;");
  const std::string load =
      "@!%p1 bra $end; mbarrier.init.shared::cta.b64 [bar], 1;"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 16, [bar];";
  expect_race(head + "@%p2 st.global.u32 [%d1+12], 1; @%p2 ret;" + load + "$end:", "after");
  expect_no_race(head + "@%p2 st.global.u32 [%d1+16], 1; @%p2 ret;" + load + "$end:");
  const std::string store =
      "@!%p1 bra $end; cp.async.bulk.global.shared::cta.bulk_group [%d1], [s], 16;"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; $end:";
  expect_race(head + store, "write after write");
  expect_no_race(head + "@!%p2 ret;" + store);
}

// CUB's transform kernels load up to 127 bytes before and 15 bytes after their input as padding.
// Races on padding are not reported. Races on other bytes, and in other kernels, are.
TEST(EmulationGlobalRaces, padding_of_loads_by_cub_transforms_is_ignored) {
  const std::string transform = "_ZN3cub1V6detail9transform16transform_kernelIfEEvv";
  EXPECT_TRUE(fills_up_loads(transform));
  EXPECT_FALSE(fills_up_loads("_ZN3cub1V6detail4scan16DeviceScanKernelIfEEvv"));
  const auto load_after_store = [](int written) {
    return ".shared .align 128 .b8 s[512]; .shared .align 8 .b8 bar[8];"
           "@%p2 st.global.u8 [%d1+" +
           std::to_string(written) +
           "], 1; @%p2 ret;"
           "@!%p1 bra $end; mbarrier.init.shared::cta.b64 [bar], 1;"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 256, "
           "[bar];"
           "$end:";
  };
  for (const int ignored : {0, 126, 241, 255}) {
    const auto failure = raced(load_after_store(ignored), transform);
    EXPECT_FALSE(failure.has_value()) << ignored << text_of(failure);
    expect_race(load_after_store(ignored), "after");
  }
  for (const int used : {127, 240}) {
    expect_failure(raced(load_after_store(used), transform), 719, {"race on global memory"});
  }
}

TEST(EmulationGlobalRaces, races_in_large_grids_are_reported) {
  const auto found_in = [](const std::string& condition) {
    const std::string text =
        kernel_text(".param .u64 p",
                    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; ld.param.u64 %d1, [p];"
                    "mov.u32 %r1, %ctaid.x;" +
                        condition + "@%p1 st.global.u32 [%d1], %r1; ret;");
    TestMemory memory;
    const std::uint64_t address = memory.allocate(std::vector<std::uint32_t>(4));
    return run_text(text, {.grid = {5000}, .block = {1}}, {.checks_global_races = true}, memory,
                    address);
  };
  const std::string words = "race on global memory: write after write";
  expect_failure(found_in("setp.lt.u32 %p1, %r1, 2;"), 719, {words, "written by block (0,0,0)"});
  expect_failure(found_in("and.b32 %r2, %r1, 3999; setp.eq.u32 %p1, %r2, 7;"), 719,
                 {words, "written by block (7,0,0)"});
  const auto none = found_in("setp.eq.u32 %p1, %r1, 4711;");
  EXPECT_FALSE(none.has_value()) << text_of(none);
}

TEST(EmulationGlobalRaces, a_flag_without_a_fence_is_a_race) {
  // The first block stores a value and then a flag; the others wait for the flag and load the
  // value.
  const auto body = [](const std::string& fence) {
    return "@!%p2 bra $read; @%p1 st.global.u32 [%d1+256], 7;" + fence +
           R"( @%p1 st.relaxed.gpu.global.u32 [%d1+260], 1; ret;
      $read: ld.relaxed.gpu.global.u32 %r5, [%d1+260]; nanosleep.u32 1;
      setp.ne.u32 %p3, %r5, 1; @%p3 bra $read; ld.global.u32 %r6, [%d1+256];)";
  };
  expect_race(body(""), "read after write");
  expect_no_race(body("membar.gl;"));
}

TEST(EmulationGlobalRaces, a_last_block_counter_without_a_fence_is_a_race) {
  const auto body = [](const std::string& fence) {
    return "@%p1 st.global.u32 [%d2], 7; @!%p1 bra $end;" + fence +
           R"( atom.global.add.u32 %r5, [%d1+400], 1; setp.ne.u32 %p3, %r5, 2; @%p3 bra $end;
      ld.global.u32 %r6, [%d1]; ld.global.u32 %r7, [%d1+128]; ld.global.u32 %r8, [%d1+256];
      st.global.u32 [%d1+128], %r6; $end:)";
  };
  expect_race(body(""), "after write");
  expect_no_race(body("fence.acq_rel.gpu;"));
}

}  // namespace
}  // namespace skerry::emulation
