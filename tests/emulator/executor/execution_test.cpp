// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

using words = std::vector<std::uint32_t>;

/// Declares registers. %r0 is the thread's index in its block, %d0 the address of its element of
/// `p`.
const std::string prologue = R"(
  .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<9>;
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r3, %r1, %r2, %r0; ld.param.u64 %d1, [p]; mad.wide.u32 %d0, %r3, 4, %d1;
)";

/// Runs a body and returns each thread's %r9, after checking that interleaved schedules agree.
[[nodiscard]] words results_of(const std::string& body, Extent grid, Extent block,
                               std::uint32_t dynamic_shared = 0,
                               const std::string& declarations = "") {
  const std::string text = kernel_text(
      ".param .u64 p", prologue + body + "\nst.global.u32 [%d0], %r9; ret;", declarations);
  words first;
  for (int schedule = 0; schedule < 6; ++schedule) {
    TestMemory memory;
    const std::size_t count = grid.count() * block.count();
    const std::uint64_t destination = memory.allocate(count * 4);
    const DeviceModel device{.seed = static_cast<std::uint64_t>(schedule),
                             .resident_blocks = schedule == 0 ? 1 : 4,
                             .quantum = schedule == 0 ? 0 : 3 * schedule,
                             .instruction_limit = 10'000'000};
    const Launch launch{.grid = grid, .block = block, .dynamic_shared_bytes = dynamic_shared};
    const auto failed = run_text(text, launch, device, memory, destination);
    EXPECT_FALSE(failed.has_value()) << text_of(failed);
    if (failed) return {};
    const words results = memory.read<std::uint32_t>(destination, count);
    if (schedule == 0) first = results;
    EXPECT_EQ(results, first) << "schedule " << schedule;
  }
  return first;
}

template <class Function>
[[nodiscard]] words generate_words(std::size_t count, Function&& function) {
  words values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = function(static_cast<std::uint32_t>(k));
  return values;
}

TEST(EmulationExecution, every_thread_of_a_grid_runs_once) {
  const words results = results_of("add.u32 %r9, %r3, 7;", {5}, {70});
  EXPECT_EQ(results, generate_words(350, [](std::uint32_t k) { return k + 7; }));
}

TEST(EmulationExecution, special_registers_give_three_dimensional_indices) {
  const std::string body = R"(
    mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ctaid.z;
    mov.u32 %r8, %nctaid.y; mad.lo.u32 %r9, %r7, %r8, %r6;
    mov.u32 %r10, %nctaid.x; mad.lo.u32 %r9, %r9, %r10, %r1;
    mad.lo.u32 %r11, %r5, 3, %r4; mad.lo.u32 %r11, %r11, 5, %r0;
    mad.lo.u32 %r9, %r9, 30, %r11; mad.wide.u32 %d0, %r9, 4, %d1;)";
  EXPECT_EQ(results_of(body, {2, 3, 2}, {5, 3, 2}),
            generate_words(12 * 30, [](std::uint32_t k) { return k; }));
}

TEST(EmulationExecution, the_clock_advances_between_two_readings) {
  const std::string body = R"(
    mov.u32 %r4, %clock; mov.u32 %r5, %clock; mov.u64 %d2, %clock64; mov.u64 %d3, %clock64;
    setp.gt.u32 %p0, %r5, %r4; setp.gt.and.u64 %p0, %d3, %d2, %p0; selp.u32 %r9, 1, 0, %p0;
  )";
  EXPECT_EQ(results_of(body, {1}, {32}), words(32, 1));
}

TEST(EmulationExecution, lanes_diverge_and_reconverge) {
  // Each lane loops for a different count; then all vote, which needs all of them.
  const std::string body = R"(
    mov.u32 %r9, 0; mov.u32 %r4, %r0;
    $loop: setp.eq.u32 %p1, %r4, 0; @%p1 bra $done;
    and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra $even;
    add.u32 %r9, %r9, 100; bra.uni $next;
    $even: add.u32 %r9, %r9, 1;
    $next: sub.u32 %r4, %r4, 1; bra.uni $loop;
    $done: vote.sync.all.pred %p3, %p1, -1; @!%p3 mov.u32 %r9, 0;)";
  EXPECT_EQ(results_of(body, {1}, {32}),
            generate_words(32, [](std::uint32_t k) { return (k + 1) / 2 * 100 + k / 2; }));
}

TEST(EmulationExecution, lanes_of_one_warp_may_wait_for_each_other) {
  // The store of lane 0 is later in the code than the loop of the lanes that wait for it.
  const std::string body = R"(
    .shared .u32 flag; mov.u32 %r4, 0;
    setp.ne.u32 %p1, %r0, 0; @%p1 bra $spin; st.volatile.shared.u32 [flag], %r4;
    bar.warp.sync 1; mov.u32 %r4, 77; bra.uni $set;
    $spin: ld.volatile.shared.u32 %r5, [flag]; setp.ne.u32 %p2, %r5, 77; @%p2 bra $spin;
    bra.uni $end;
    $set: st.volatile.shared.u32 [flag], %r4;
    $end: ld.volatile.shared.u32 %r9, [flag];)";
  EXPECT_EQ(results_of(body, {2}, {32}), words(64, 77));
}

TEST(EmulationExecution, a_block_waits_for_a_block_before_it) {
  // Each block adds its index to the previous block's result: a chain, as in decoupled look-back.
  const std::string body = R"(
    setp.ne.u32 %p1, %r0, 0; @%p1 bra $end; mov.u32 %r9, %r1;
    setp.eq.u32 %p2, %r1, 0; @%p2 bra $write; cvt.u64.u32 %d2, %r1; shl.b64 %d2, %d2, 2;
    add.u64 %d3, %d1, %d2;
    $poll: ld.relaxed.gpu.u32 %r5, [%d3+-4]; nanosleep.u32 20;
    setp.eq.u32 %p3, %r5, 0xa5a5a5a5; @%p3 bra $poll; add.u32 %r9, %r9, %r5;
    $write: membar.gl; $end: )";
  EXPECT_EQ(results_of(body, {9}, {1}),
            generate_words(9, [](std::uint32_t k) { return k * (k + 1) / 2; }));
}

TEST(EmulationExecution, barriers_order_shared_memory) {
  const std::string body = R"(
    .shared .align 4 .b8 s[1024]; mov.u32 %r4, s; mad.lo.u32 %r5, %r0, 4, %r4;
    st.shared.u32 [%r5], %r3; bar.sync 0; sub.u32 %r6, 199, %r0; mad.lo.u32 %r7, %r6, 4, %r4;
    ld.shared.u32 %r9, [%r7]; barrier.sync 0; )";
  EXPECT_EQ(results_of(body, {3}, {200}),
            generate_words(600, [](std::uint32_t k) { return k / 200 * 200 + 199 - k % 200; }));
}

TEST(EmulationExecution, barriers_reduce_predicates) {
  const std::string body = R"(
    setp.lt.u32 %p1, %r0, 50; setp.lt.u32 %p2, %r0, 96;
    bar.red.popc.u32 %r9, 0, %p1; bar.red.and.pred %p3, 1, %p1; bar.red.or.pred %p4, 1, !%p2;
    bar.red.and.pred %p5, 2, %p2;
    @%p3 add.u32 %r9, %r9, 1000; @%p4 add.u32 %r9, %r9, 1000; @%p5 add.u32 %r9, %r9, 10000;)";
  EXPECT_EQ(results_of(body, {2}, {96}), words(192, 10050));
}

TEST(EmulationExecution, a_barrier_with_a_count_needs_only_that_many_threads) {
  // Warps 1 and 2 wait at barrier 1, warp 0 only arrives, warp 3 does neither.
  const std::string body = R"(
    .shared .u32 s; shr.u32 %r4, %r0, 5; mov.u32 %r9, %r4; setp.eq.u32 %p1, %r4, 3; @%p1 bra $end;
    setp.ne.u32 %p2, %r0, 0; @%p2 bra $meet; mov.u32 %r5, 40; st.shared.u32 [s], %r5;
    $meet: bar.warp.sync -1; setp.eq.u32 %p3, %r4, 0; @%p3 bra $arrive;
    barrier.sync 1, 96; ld.shared.u32 %r6, [s]; add.u32 %r9, %r9, %r6; bra.uni $end;
    $arrive: bar.arrive 1, 96; $end: )";
  EXPECT_EQ(results_of(body, {1}, {128}), generate_words(128, [](std::uint32_t k) {
              return k / 32 % 3 == 0 ? k / 32 : 40 + k / 32;
            }));
}

TEST(EmulationExecution, barriers_do_not_wait_for_exited_threads) {
  const std::string body = R"(
    st.global.u32 [%d0], 5; setp.ge.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0;
    vote.sync.ballot.b32 %r4, %p1, -1; mov.u32 %r9, 6;)";
  EXPECT_EQ(results_of(body, {1}, {64}),
            generate_words(64, [](std::uint32_t k) { return k < 40 ? 6 : 5; }));
}

TEST(EmulationExecution, dynamic_shared_memory_follows_static_memory) {
  const std::string body = R"(
    .shared .align 4 .b8 s[20]; mov.u32 %r4, dynamic; mov.u32 %r5, %dynamic_smem_size;
    mad.lo.u32 %r6, %r0, 4, %r4; st.shared.u32 [%r6], %r0; st.shared.u32 [s+16], %r4; bar.sync 0;
    ld.shared.u32 %r7, [dynamic+124]; ld.shared.u32 %r8, [s+16]; mad.lo.u32 %r9, %r7, 1000, %r8;
    add.u32 %r9, %r9, %r5; )";
  EXPECT_EQ(results_of(body, {1}, {32}, 128, ".extern .shared .align 16 .b8 dynamic[];"),
            words(32, 31000 + 32 + 128));
}

TEST(EmulationExecution, shuffles_stay_in_their_segments) {
  const auto shuffled = [](const std::string& instruction) {
    return results_of(
        "add.u32 %r4, %r0, 100; shfl.sync." + instruction + "; @%p1 add.u32 %r9, %r9, 1000;", {1},
        {32});
  };
  EXPECT_EQ(shuffled("up.b32 %r9|%p1, %r4, 1, 0, -1"),
            generate_words(32, [](std::uint32_t k) { return k == 0 ? 100 : 1099 + k; }));
  EXPECT_EQ(shuffled("down.b32 %r9|%p1, %r4, 2, 31, -1"),
            generate_words(32, [](std::uint32_t k) { return k >= 30 ? 100 + k : 1102 + k; }));
  EXPECT_EQ(shuffled("bfly.b32 %r9|%p1, %r4, 5, 31, -1"),
            generate_words(32, [](std::uint32_t k) { return 1100 + (k ^ 5); }));
  // Segments of 8 lanes: the mask's upper bits are 0x18.
  EXPECT_EQ(shuffled("idx.b32 %r9|%p1, %r4, 3, 0x181f, -1"),
            generate_words(32, [](std::uint32_t k) { return 1100 + k / 8 * 8 + 3; }));
  EXPECT_EQ(shuffled("down.b32 %r9|%p1, %r4, 1, 0x1807, -1"),
            generate_words(32, [](std::uint32_t k) { return k % 8 == 7 ? 100 + k : 1101 + k; }));
}

TEST(EmulationExecution, warps_vote_match_and_reduce) {
  const auto voted = [](const std::string& body) {
    return results_of("and.b32 %r4, %r0, 3; setp.eq.u32 %p1, %r4, 1;" + body, {1}, {32});
  };
  EXPECT_EQ(voted("vote.sync.ballot.b32 %r9, %p1, -1;"), words(32, 0x22222222));
  EXPECT_EQ(voted("vote.sync.ballot.b32 %r9, !%p1, -1;"), words(32, 0xdddddddd));
  EXPECT_EQ(voted("vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;"
                  "selp.u32 %r9, 1, 0, %p2; @%p3 add.u32 %r9, %r9, 2;"),
            words(32, 1));
  EXPECT_EQ(voted("match.any.sync.b32 %r9, %r4, -1;"),
            generate_words(32, [](std::uint32_t k) { return 0x11111111U << (k % 4); }));
  EXPECT_EQ(voted("redux.sync.add.u32 %r9, %r0, -1;"), words(32, 496));
  EXPECT_EQ(voted("sub.u32 %r5, %r0, 9; redux.sync.min.s32 %r9, %r5, -1;"), words(32, ~0U - 8));
  EXPECT_EQ(voted("sub.u32 %r5, %r0, 9; redux.sync.max.u32 %r9, %r5, -1;"), words(32, ~0U));
  // Two groups of members at the same instruction.
  EXPECT_EQ(voted("setp.lt.u32 %p2, %r0, 12; selp.u32 %r5, 0xfff, 0xfffff000, %p2;"
                  "redux.sync.add.u32 %r9, 1, %r5;"),
            generate_words(32, [](std::uint32_t k) { return k < 12 ? 12 : 20; }));
}

TEST(EmulationExecution, lanes_synchronize_at_different_warp_barriers) {
  const std::string body = R"(
    .shared .align 4 .b8 s[128]; shl.b32 %r4, %r0, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5;
    st.shared.u32 [%r4], %r0; setp.lt.u32 %p1, %r0, 16; @%p1 bra $low;
    bar.warp.sync -1; ld.shared.u32 %r9, [s]; bra.uni $end;
    $low: bar.warp.sync -1; ld.shared.u32 %r9, [s+124]; $end: )";
  EXPECT_EQ(results_of(body, {1}, {32}),
            generate_words(32, [](std::uint32_t k) { return k < 16 ? 31 : 0; }));
}

TEST(EmulationExecution, one_member_is_elected) {
  const std::string text =
      kernel_text(".param .u64 p", prologue +
                                       "elect.sync %r9|%p1, -1; @%p1 add.u32 %r9, %r9, 100;"
                                       "st.global.u32 [%d0], %r9; ret;");
  for (const std::uint32_t member : {0U, 1U, 31U}) {
    TestMemory memory;
    const std::uint64_t destination = memory.allocate(128);
    EXPECT_RUNS(text, {.block = {32}}, {.elected_member = member}, memory, destination);
    EXPECT_EQ(memory.read<std::uint32_t>(destination, 32), generate_words(32, [&](std::uint32_t k) {
                return member + (k == member ? 100 : 0);
              }));
  }
}

TEST(EmulationExecution, the_lowest_member_is_elected_by_default) {
  // CUB's scan for sm_90 assumes that lane 0 is elected: see DeviceModel.
  const std::string text =
      kernel_text(".param .u64 p", prologue +
                                       "mov.u32 %r8, 0xfffffff0; setp.lt.u32 %p2, %r0, 4;"
                                       "@%p2 mov.u32 %r8, 15; elect.sync %r9|%p1, %r8;"
                                       "st.global.u32 [%d0], %r9; ret;");
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(128);
  EXPECT_RUNS(text, {.block = {32}}, {.seed = 7}, memory, destination);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 32),
            generate_words(32, [](std::uint32_t k) { return k < 4 ? 0 : 4; }));
}

TEST(EmulationExecution, atomics_lose_no_updates) {
  const std::string body = R"(
    .shared .u32 s; setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.u32 [s], 0; bar.sync 0;
    atom.shared.add.u32 %r4, [s], 2; red.shared.max.u32 [s], 3; bar.sync 0; ld.shared.u32 %r9, [s];)";
  EXPECT_EQ(results_of(body, {4}, {96}, 0), words(384, 192));
}

TEST(EmulationExecution, atomics_return_the_old_value) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(words{10, 10, 10, 10, 7, 10, 3, 0});
  EXPECT_RUNS(kernel_text(".param .u64 p", R"(.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<3>;
      ld.param.u64 %d1, [p];
      atom.global.exch.b32 %r1, [%d1], 1; atom.global.cas.b32 %r2, [%d1+4], 10, 2;
      atom.global.cas.b32 %r3, [%d1+8], 11, 3; atom.global.inc.u32 %r4, [%d1+12], 10;
      atom.global.dec.u32 %r5, [%d1+16], 5; atom.global.and.b32 %r6, [%d1+20], 3;
      atom.global.min.s32 %r7, [%d1+24], -1; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
      st.global.u32 [%d1+28], %r1; ret;)"),
              {}, {}, memory, destination);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 8), (words{1, 2, 10, 0, 5, 2, ~0U, 30}));
}

TEST(EmulationExecution, every_lane_has_its_own_local_memory) {
  const std::string body = R"(
    .local .align 8 .b8 l[16]; mov.u64 %d2, l; cvta.local.u64 %d3, %d2;
    st.local.u32 [%d2+4], %r0; ld.u32 %r4, [%d3+4]; add.u32 %r4, %r4, 1; st.u32 [%d3+8], %r4;
    ld.local.u32 %r9, [l+8];)";
  EXPECT_EQ(results_of(body, {1}, {64}), generate_words(64, [](std::uint32_t k) { return k + 1; }));
}

TEST(EmulationExecution, generic_addresses_reach_shared_memory) {
  const std::string body = R"(
    .shared .align 8 .b8 s[512]; mov.u64 %d2, s; cvta.shared.u64 %d3, %d2;
    mul.wide.u32 %d4, %r0, 4; add.u64 %d3, %d3, %d4; st.u32 [%d3], %r3; bar.sync 0;
    cvta.to.shared.u64 %d5, %d3; cvt.u32.u64 %r5, %d5; ld.shared.u32 %r9, [%r5];)";
  EXPECT_EQ(results_of(body, {2}, {64}), generate_words(128, [](std::uint32_t k) { return k; }));
}

TEST(EmulationExecution, registers_may_have_one_byte) {
  // As CUB loads a byte; memory is initialized to 0xa5.
  const std::string body = R"(
    { .reg .u8 datum; ld.global.nc.u8 datum, [%d0]; cvt.u32.u8 %r9, datum; }
    { .reg .s8 datum; ld.global.s8 datum, [%d0]; cvt.s32.s8 %r4, datum; st.global.u8 [%d0], datum; }
    ld.global.u8 %r5, [%d0]; add.u32 %r9, %r9, %r4; mad.lo.u32 %r9, %r5, 1000, %r9;
  )";
  EXPECT_EQ(results_of(body, {1}, {1}), words{165 * 1000 + 165 - 91});
}

TEST(EmulationExecution, a_directive_needs_no_blank_before_a_type) {
  // As in cuda_fp16.hpp, hexp10.
  const std::string body = R"(
    { .reg.b16 h; .reg.b32 w,x; .shared.align 4 .b8 s[4]; mov.b16 h, 7; cvt.u32.u16 w, h;
      st.shared.u32 [s], w; ld.shared.u32 x, [s]; add.u32 %r9, w, x; })";
  EXPECT_EQ(results_of(body, {1}, {1}), words{14});
}

TEST(EmulationExecution, variables_are_at_the_devices_addresses) {
  TestMemory memory;
  const auto loaded = load_text(
      kernel_text(".param .u64 p", prologue + R"(ld.global.u32 %r9, [table+8]; mov.u64 %d2, table;
      ld.global.u32 %r10, [%d2+4]; add.u32 %r9, %r9, %r10; st.global.u32 [%d0], %r9; ret;)",
                  ".global .align 4 .u32 table[3] = {10, 20, 30};"));
  const Variable& table = loaded->variables()[0];
  const std::uint64_t variable_address = memory.allocate(table.initial);
  const std::uint64_t destination = memory.allocate(4);
  const auto bytes = parameter_bytes(destination);
  const Launch launch{.parameters = bytes, .variables = std::span(&variable_address, 1)};
  const auto failed = run(*loaded->find("k"), launch, {}, memory);
  EXPECT_FALSE(failed.has_value()) << text_of(failed);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 1)[0], 50U);
}

TEST(EmulationExecution, functions_are_called) {
  const std::string declarations = R"(
    .func (.param .b32 out) half(.param .b32 in) { .reg .pred %p<2>; .reg .b32 %r<9>;
      ld.param.b32 %r1, [in]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra $even;
      st.param.b32 [out], 0; ret; $even: shr.u32 %r3, %r1, 1; st.param.b32 [out], %r3; ret; })";
  const std::string body = R"(
    mov.u32 %r9, 1000; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;
      call.uni (b), half, (a); ld.param.b32 %r9, [b]; }
    setp.gt.u32 %p1, %r9, 4; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r9;
      @%p1 call (b), half, (a); @%p1 ld.param.b32 %r9, [b]; })";
  const auto half = [](std::uint32_t k) { return k % 2 == 0 ? k / 2 : 0; };
  EXPECT_EQ(results_of(body, {1}, {32}, 0, declarations), generate_words(32, [&](std::uint32_t k) {
              return half(k) > 4 ? half(half(k)) : half(k);
            }));
}

TEST(EmulationExecution, a_schedule_repeats_from_its_seed) {
  const std::string text = kernel_text(".param .u64 p, .param .u64 q", prologue + R"(
    ld.param.u64 %d2, [q]; mov.u32 %r5, 0;
    $loop: atom.global.add.u32 %r9, [%d2], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5;
    @%p1 bra $loop; st.global.u32 [%d0], %r9; ret;)");
  const auto order = [&](std::uint64_t seed, std::uint64_t number) {
    TestMemory memory;
    const std::uint64_t destination = memory.allocate(4 * 512), counter = memory.allocate(words{0});
    EXPECT_RUNS(text, {.grid = {4}, .block = {128}, .number = number},
                {.seed = seed, .resident_blocks = 3, .quantum = 5}, memory, destination, counter);
    return memory.read<std::uint32_t>(destination, 512);
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  EXPECT_NE(order(1, 0), order(2, 0));
  EXPECT_NE(order(1, 0), order(1, 1));
}

TEST(EmulationExecution, new_registers_and_shared_memory_are_poisoned) {
  EXPECT_EQ(results_of(".shared .u32 s; ld.shared.u32 %r9, [s];", {2}, {32}),
            words(64, 0xa5a5a5a5));
  EXPECT_EQ(results_of("mov.u32 %r9, %r15;", {2}, {32}), words(64, 0xa5a5a5a5));
}

}  // namespace
}  // namespace skerry::emulation
