// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

using words = std::vector<std::uint32_t>;

/// Runs a body for one warp. [%d0] and [%r4] are the lane's 16 bytes of global and of shared
/// memory. Global memory contains the words 0, 1, 2, ... Returns each lane's %r9.
[[nodiscard]] words copied(const std::string& body) {
  TestMemory memory;
  words values(128);
  std::iota(values.begin(), values.end(), 0);
  const std::uint64_t source = memory.allocate(values), destination = memory.allocate(128);
  EXPECT_RUNS(kernel_text(".param .u64 p, .param .u64 q", R"(
      .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<9>; .shared .align 16 .b8 s[512];
      .shared .align 8 .b8 bar[8];
      mov.u32 %r0, %tid.x; ld.param.u64 %d1, [q]; mad.wide.u32 %d0, %r0, 16, %d1;
      mov.u32 %r5, s; mad.lo.u32 %r4, %r0, 16, %r5; ld.param.u64 %d2, [p];
      mad.wide.u32 %d3, %r0, 4, %d2;)" + body + " st.global.u32 [%d3], %r9; ret;"),
              {.block = {32}}, {.instruction_limit = 100'000}, memory, destination, source);
  return memory.read<std::uint32_t>(destination, 32);
}

template <class Function>
[[nodiscard]] words generate_words(Function&& function) {
  words values(32);
  for (std::uint32_t k = 0; k < 32; ++k) values[k] = function(k);
  return values;
}

TEST(EmulationAsyncCopies, a_copy_is_complete_after_a_wait) {
  EXPECT_EQ(copied("cp.async.cg.shared.global [%r4], [%d0], 16; cp.async.commit_group;"
                   "cp.async.wait_group 0; ld.shared.u32 %r9, [%r4+4];"),
            generate_words([](std::uint32_t k) { return 4 * k + 1; }));
  EXPECT_EQ(copied("cp.async.ca.shared.global [%r4], [%d0], 8; cp.async.wait_all;"
                   "ld.shared.u32 %r9, [%r4+4];"),
            generate_words([](std::uint32_t k) { return 4 * k + 1; }));
}

TEST(EmulationAsyncCopies, a_copy_is_not_visible_before_a_wait) {
  EXPECT_EQ(copied("cp.async.cg.shared.global [%r4], [%d0], 16; cp.async.commit_group;"
                   "ld.shared.u32 %r9, [%r4+4]; cp.async.wait_group 0;"),
            words(32, 0xa5a5a5a5));
  // One group may remain pending: the first is complete, the second is not.
  EXPECT_EQ(copied("cp.async.ca.shared.global [%r4], [%d0], 4; cp.async.commit_group;"
                   "cp.async.ca.shared.global [%r4+4], [%d0+4], 4; cp.async.commit_group;"
                   "cp.async.wait_group 1; ld.shared.u32 %r8, [%r4]; ld.shared.u32 %r9, [%r4+4];"
                   "xor.b32 %r9, %r9, 0xa5a5a5a5; add.u32 %r9, %r9, %r8; cp.async.wait_group 0;"),
            generate_words([](std::uint32_t k) { return 4 * k; }));
}

TEST(EmulationAsyncCopies, bytes_beyond_the_source_size_are_zero) {
  EXPECT_EQ(copied("cp.async.cg.shared.global [%r4], [%d0], 16, 4; cp.async.wait_all;"
                   "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4]; add.u32 %r9, %r9, %r6;"
                   "add.u32 %r9, %r9, %r7;"),
            generate_words([](std::uint32_t k) { return 4 * k; }));
}

const std::string bulk = R"(
    setp.ne.u32 %p1, %r0, 0; mov.u32 %r6, bar; @%p1 bra $others; mbarrier.init.shared.b64 [%r6], 1;
    fence.proxy.async; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r6], 512;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r5], [%d1], 512, [%r6];
    $others: bar.sync 0;)";

TEST(EmulationAsyncCopies, a_bulk_copy_completes_a_phase_of_its_barrier) {
  EXPECT_EQ(copied(bulk + R"(
      $wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r6], 0; @!%p2 bra $wait;
      ld.shared.u32 %r9, [%r4];)"),
            generate_words([](std::uint32_t k) { return 4 * k; }));
  EXPECT_EQ(copied(bulk + "ld.shared.u32 %r9, [%r4];"), words(32, 0xa5a5a5a5));
}

TEST(EmulationAsyncCopies, threads_arrive_at_a_barrier_by_phases) {
  EXPECT_EQ(copied(R"(
      mov.u32 %r6, bar; setp.ne.u32 %p1, %r0, 0; @%p1 bra $go; mbarrier.init.shared.b64 [%r6], 32;
      $go: bar.warp.sync -1; mov.u32 %r9, 0; mov.u32 %r7, 0;
      $phase: mbarrier.arrive.shared.b64 %d4, [%r6];
      $wait: mbarrier.test_wait.shared.b64 %p2, [%r6], %d4; @!%p2 bra $wait;
      add.u32 %r9, %r9, 3; add.u32 %r7, %r7, 1; setp.lt.u32 %p3, %r7, 5; @%p3 bra $phase;)"),
            words(32, 15));
}

TEST(EmulationAsyncCopies, a_bulk_store_is_complete_after_a_wait_for_its_group) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(64), output = memory.allocate(8);
  EXPECT_RUNS(kernel_text(".param .u64 p, .param .u64 q", R"(
      .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 16 .b8 s[64]; mov.u32 %r1, 5;
      st.shared.u32 [s], %r1; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r5, s;
      cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r5], 64; cp.async.bulk.commit_group;
      ld.global.u32 %r2, [%d1]; cp.async.bulk.wait_group.read 0; ld.global.u32 %r3, [%d1];
      st.global.v2.u32 [%d2], {%r2, %r3}; ret;)"),
              {}, {}, memory, destination, output);
  EXPECT_EQ(memory.read<std::uint32_t>(output, 2), (words{0xa5a5a5a5, 5}));
}

TEST(EmulationAsyncCopies, a_barrier_tracks_the_copies_of_a_thread) {
  TestMemory memory;
  const std::uint64_t source = memory.allocate(words{1, 2, 3, 4}),
                      destination = memory.allocate(16);
  EXPECT_RUNS(kernel_text(".param .u64 p, .param .u64 q", R"(
      .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 16 .b8 s[64];
      .shared .align 8 .b8 bar[8]; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r5, s;
      mov.u32 %r6, bar; mbarrier.init.shared.b64 [%r6], 2;
      cp.async.cg.shared.global [%r5], [%d1], 16; cp.async.mbarrier.arrive.shared.b64 [%r6];
      cp.async.mbarrier.arrive.noinc.shared.b64 [%r6]; mbarrier.arrive.shared.b64 _, [%r6];
      $w: mbarrier.try_wait.parity.shared.b64 %p1, [%r6], 0; @!%p1 bra $w;
      ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];
      st.global.v4.u32 [%d2], {%r1, %r2, %r3, %r4}; ret;)"),
              {}, {}, memory, source, destination);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 4), (words{1, 2, 3, 4}));
}

TEST(EmulationAsyncCopies, misuse_fails) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(64);
  const auto fails = [&](const std::string& body) {
    return run_text(kernel_text(".param .u64 p", R"(.reg .pred %p<9>; .reg .b32 %r<9>;
        .reg .b64 %d<9>; .shared .align 16 .b8 s[64]; .shared .align 8 .b8 bar[8];
        ld.param.u64 %d1, [p]; mov.u32 %r5, s; mov.u32 %r6, bar;)" +
                                                     body + " ret;"),
                    {}, {.instruction_limit = 10'000}, memory, address);
  };
  const std::string init = "mbarrier.init.shared.b64 [%r6], 1;";
  const std::string load =
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r5], [%d1], ";
  expect_failure(fails("mbarrier.arrive.shared.b64 _, [%r6];"), 719, {"not initialised", "lane 0"});
  expect_failure(fails(init + load + "8, [%r6];"), 716, {"not a multiple of 16"});
  expect_failure(fails(init + load + "80, [%r6];"), 700, {"shared memory"});
  expect_failure(fails(init + "add.u64 %d1, %d1, 16;" + load + "64, [%r6];"), 700,
                 {"read of 64 bytes of global memory", "past the end of 64 bytes"});
  expect_failure(fails("cp.async.cg.shared.global [%r5+8], [%d1], 16;"), 716, {"misaligned"});
  expect_failure(fails("cp.async.cg.shared.global [%r5], [%d1+64], 16;"), 700, {"global"});
  expect_failure(fails(init + "$w: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], 0;"
                              "@!%p1 bra $w;"),
                 702, {"may never end"});
}

}  // namespace
}  // namespace skerry::emulation
