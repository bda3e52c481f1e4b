// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body for three blocks of two warps in several schedules; returns the first failure.
[[nodiscard]] std::optional<Failure> raced(const std::string& body) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 8 .b8 s[512];
      mov.u32 %r0, %tid.x; mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 1;
      mad.lo.u32 %r4, %r3, 4, %r1; xor.b32 %r5, %r0, 32; mad.lo.u32 %r6, %r5, 4, %r1;
      setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p2, %r0, 0;)" + body +
                                                            " ret;");
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    TestMemory memory;
    const std::uint64_t address = memory.allocate(4);
    const DeviceModel device{
        .seed = seed, .resident_blocks = 2, .quantum = 4, .checks_shared_races = true};
    if (auto failure = run_text(text, {.grid = {3}, .block = {64}}, device, memory, address)) {
      return failure;
    }
  }
  return std::nullopt;
}

void expect_no_race(const std::string& body) {
  const auto failure = raced(body);
  EXPECT_FALSE(failure.has_value()) << body << text_of(failure);
}

TEST(EmulationRaces, warps_need_a_barrier_between_them) {
  expect_failure(raced("st.shared.u32 [%r2], %r0; ld.shared.u32 %r7, [%r6];"), 719,
                 {"race on shared memory", "kernel: k"});
  expect_failure(raced("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ld.shared.u32 %r7, [%r6];"),
                 719, {"race on shared memory"});
  expect_failure(raced("@%p2 st.shared.u8 [s+7], %r0; bar.warp.sync -1; ld.shared.u32 %r7, [s+4];"),
                 719, {"at byte 7"});
  expect_no_race("st.shared.u32 [%r2], %r0; bar.sync 0; ld.shared.u32 %r7, [%r6];");
  expect_no_race("st.shared.u32 [%r2], %r0; ld.shared.u32 %r7, [%r2];");
}

TEST(EmulationRaces, lanes_of_a_warp_need_a_warp_barrier) {
  expect_failure(raced("st.shared.u32 [%r2], %r0; ld.shared.u32 %r7, [%r4];"), 719,
                 {"read after write"});
  expect_failure(raced("st.shared.u32 [%r2], %r0; shfl.sync.idx.b32 %r7, %r0, 0, 31, -1;"
                       "ld.shared.u32 %r7, [%r4];"),
                 719, {"read after write"});
  expect_failure(raced("ld.shared.u32 %r7, [%r4]; st.shared.u32 [%r2], %r0;"), 719,
                 {"write after read"});
  expect_failure(raced("st.shared.u32 [s], %r0;"), 719, {"write after write"});
  expect_no_race("st.shared.u32 [%r2], %r0; bar.warp.sync -1; ld.shared.u32 %r7, [%r4];");
  expect_no_race("ld.shared.u32 %r7, [%r4]; bar.warp.sync -1; st.shared.u32 [%r2], %r0;");
  expect_no_race("ld.shared.u32 %r7, [s]; bar.sync 0; @%p2 st.shared.u32 [s], %r0;");
}

TEST(EmulationRaces, a_write_races_with_every_earlier_reader) {
  // The last reader is the writer itself; other lanes have read before.
  expect_failure(raced("ld.shared.u32 %r7, [s]; @%p2 st.shared.u32 [s], %r0;"), 719,
                 {"write after read"});
  expect_failure(raced("@%p1 ld.shared.u32 %r7, [s]; @%p2 st.shared.u32 [s], %r0;"), 719,
                 {"write after read"});
}

TEST(EmulationRaces, atomic_and_volatile_accesses_are_not_races) {
  expect_no_race(
      "@%p2 st.volatile.shared.u32 [s], 0; atom.shared.add.u32 %r7, [s], 1;"
      "ld.volatile.shared.u32 %r7, [s];");
}

TEST(EmulationHeldStores, a_store_without_a_fence_is_delayed) {
  // Block 1 waits for block 0's flag; block 0's earlier store is visible only with a fence.
  const auto observed_value = [](const std::string& fence) {
    const std::string text = kernel_text(".param .u64 p", R"(
        .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d1; ld.param.u64 %d1, [p];
        mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra $read; mov.u32 %r4, 500;
        st.global.u32 [%d1], 77;)" + fence + R"(st.relaxed.gpu.global.u32 [%d1+4], 1;
        $later: sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra $later; ret;
        $read: ld.relaxed.gpu.global.u32 %r2, [%d1+4]; nanosleep.u32 1;
        setp.ne.u32 %p2, %r2, 1; @%p2 bra $read; ld.global.u32 %r3, [%d1];
        st.global.u32 [%d1+8], %r3; ret;)");
    TestMemory memory;
    const std::uint64_t address = memory.allocate(std::vector<std::uint32_t>(3));
    EXPECT_RUNS(text, {.grid = {2}},
                {.resident_blocks = 2,
                 .quantum = 5,
                 .instruction_limit = 1'000'000,
                 .holds_stores_back = true},
                memory, address);
    EXPECT_EQ(memory.read<std::uint32_t>(address, 1)[0], 77U);
    return memory.read<std::uint32_t>(address + 8, 1)[0];
  };
  EXPECT_EQ(observed_value("membar.gl;"), 77U);
  EXPECT_EQ(observed_value(""), 0U);
}

TEST(EmulationHeldStores, a_thread_reads_its_own_stores) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(16);
  EXPECT_RUNS(kernel_text(".param .u64 p", R"(.reg .b32 %r<9>; .reg .b64 %d1; ld.param.u64 %d1, [p];
      st.global.u32 [%d1], 5; st.global.u32 [%d1], 6; ld.global.u32 %r1, [%d1];
      atom.global.add.u32 %r2, [%d1], 10; add.u32 %r1, %r1, %r2; st.global.u32 [%d1+4], %r1; ret;)"),
              {}, {.holds_stores_back = true}, memory, address);
  EXPECT_EQ(memory.read<std::uint32_t>(address, 2), (std::vector<std::uint32_t>{16, 12}));
}

TEST(EmulationHeldStores, a_store_becomes_visible_once) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    TestMemory memory;
    const std::uint64_t address = memory.allocate(4);
    EXPECT_RUNS(kernel_text(".param .u64 p", R"(.reg .pred %p<3>; .reg .b32 %r1; .reg .b64 %d1;
        ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
        setp.eq.u32 %p2, %r1, 32; @%p1 st.global.u32 [%d1], 5; bar.sync 0;
        @%p2 st.global.u32 [%d1], 7; bar.sync 0; ret;)"),
                {.block = {64}}, {.seed = seed, .holds_stores_back = true}, memory, address);
    EXPECT_EQ(memory.read<std::uint32_t>(address, 1)[0], 7U);
  }
}

}  // namespace
}  // namespace skerry::emulation
