// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body for two blocks of two warps. %r1 is the thread's index. %d1 points to 256 written
/// bytes, %d2 to 256 unwritten ones; %d3 and %d4 are the thread's addresses in them.
[[nodiscard]] std::optional<Failure> run_body(const std::string& body) {
  const std::string text = kernel_text(".param .u64 p, .param .u64 q", R"(
      .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<29>; .reg .f32 %f<9>; .reg .b64 %d<19>;
      .shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[32];
      ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r1, %tid.x;
      mad.wide.u32 %d3, %r1, 4, %d1; mad.wide.u32 %d4, %r1, 4, %d2;
      shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r4, %r2, %r3;)" + body +
                                                                           " ret;");
  TestMemory memory;
  const std::uint64_t written = memory.allocate(std::vector<std::uint32_t>(64, 3));
  const std::uint64_t uninitialized = memory.allocate(256);
  return run_text(text, {.grid = {2}, .block = {64}}, {.checks_undefined_values = true}, memory,
                  written, uninitialized);
}

void expect_caught(const std::string& body, std::string_view use) {
  SCOPED_TRACE(body);
  expect_failure(run_body(body), 719, {"use of an uninitialised value", use, "kernel: k"});
}

void expect_nothing(const std::string& body) {
  const auto failure = run_body(body);
  EXPECT_FALSE(failure.has_value()) << body << text_of(failure);
}

TEST(EmulationUndefinedValues, uses_of_undefined_registers_are_reported) {
  expect_caught("setp.eq.u32 %p1, %r9, 3; @%p1 bra $end; add.u32 %r1, %r1, 1; $end:",
                "a branch depends on it");
  expect_caught("ld.global.u32 %r5, [%d9];", "an address");
  expect_caught("setp.lt.f32 %p1, %f1, 0f00000000; @%p1 st.global.u32 [%d3], %r1;",
                "the guard of a memory access");
  expect_caught("setp.eq.u32 %p1, %r9, 3; @%p1 exit;", "control flow depends on it");
  expect_caught("@%p3 bra $end; $end:", "a branch depends on it");
  expect_caught("atom.global.add.u32 %r5, [%d3], %r9;", "the operand of an atomic operation");
  expect_caught("add.f32 %f1, %f1, 0f3f800000; st.global.f32 [%d3], %f1;",
                "a result in global memory");
  expect_caught("shfl.sync.idx.b32 %r5, %r1, 0, 31, %r9;", "the member mask of a collective");
  expect_caught("bar.sync %r9;", "an operand of a barrier");
}

TEST(EmulationUndefinedValues, uses_of_undefined_memory_are_reported) {
  const std::string branch = " setp.eq.u32 %p1, %r5, 3; @%p1 bra $end; add.u32 %r1, %r1, 1; $end:";
  expect_caught("ld.global.u32 %r5, [%d4];" + branch, "a branch depends on it");
  expect_caught("ld.shared.u32 %r5, [%r4];" + branch, "a branch depends on it");
  expect_caught("ld.local.u32 %r5, [l+4];" + branch, "a branch depends on it");
  expect_caught(
      "ld.global.u32 %r5, [%d4]; st.shared.u32 [%r4], %r5; ld.shared.u32 %r5, [%r4];" + branch,
      "a branch depends on it");
  expect_caught("st.shared.u16 [%r4], 3; ld.shared.u32 %r5, [%r4];" + branch,
                "a branch depends on it");
  expect_caught("atom.shared.add.u32 %r5, [%r4], 1;", "an atomic operation reads it from memory");
  // An asynchronous copy's bytes are undefined until it is waited for.
  const std::string copy = "cp.async.ca.shared.global [%r4], [%d3], 4; cp.async.commit_group;";
  expect_caught(copy + "ld.shared.u32 %r5, [%r4];" + branch, "a branch depends on it");
  expect_nothing(copy + "cp.async.wait_group 0; ld.shared.u32 %r5, [%r4];" + branch);
  expect_nothing("ld.global.u32 %r5, [%d3];" + branch);
  expect_nothing("st.shared.u32 [%r4], 7; ld.shared.u32 %r5, [%r4];" + branch);
  expect_nothing("st.local.u64 [l+8], 7; ld.local.u32 %r5, [l+12];" + branch);
}

TEST(EmulationUndefinedValues, undefined_values_of_other_lanes_are_reported) {
  const std::string one_lane = "setp.ne.u32 %p1, %r1, 5; mov.u32 %r5, %r9; @%p1 mov.u32 %r5, 1;";
  const std::string branch = "setp.lt.u32 %p2, %r6, 3; @%p2 bra $end; add.u32 %r1, %r1, 1; $end:";
  expect_caught(one_lane + "shfl.sync.idx.b32 %r6, %r5, 5, 31, -1;" + branch, "lane 0");
  expect_nothing(one_lane + "shfl.sync.idx.b32 %r6, %r5, 4, 31, -1;" + branch);
  expect_caught(one_lane + "redux.sync.add.s32 %r6, %r5, -1;" + branch, "a branch depends on it");
  const std::string vote = one_lane + "setp.eq.u32 %p3, %r5, 1; vote.sync.ballot.b32 %r6, %p3, -1;";
  expect_caught(vote + branch, "a branch depends on it");
  expect_nothing(vote + "and.b32 %r6, %r6, 16;" + branch);
  // A lane whose guard is undefined.
  expect_caught("setp.eq.u32 %p1, %r9, 3; mov.u32 %r6, 1; @%p1 mov.u32 %r6, 2;" + branch,
                "a branch depends on it");
}

TEST(EmulationUndefinedValues, moves_of_undefined_values_are_not_reported) {
  // Padding of a struct that is copied in larger units.
  expect_nothing(
      "st.local.u8 [l], 7; st.local.u32 [l+4], %r1; ld.local.v2.u32 {%r5, %r6}, [l];"
      "st.shared.v2.u32 [s], {%r5, %r6}; bar.sync 0; ld.shared.u64 %d5, [s];"
      "st.global.u64 [%d2], %d5; mov.b64 {%r7, %r8}, %d5; and.b32 %r7, %r7, 255;"
      "setp.eq.u32 %p1, %r7, 7; @%p1 bra $end; add.u32 %r8, %r8, 1; $end:");
  expect_nothing(
      "st.local.u8 [l], 7; ld.local.u32 %r5, [l]; shl.b32 %r6, %r5, 24; shr.u32 %r6, %r6, 24;"
      "prmt.b32 %r7, %r5, 0, 0x4440; bfe.u32 %r8, %r5, 0, 8; cvt.u16.u32 %h1, %r5;"
      "and.b16 %h1, %h1, 255; cvt.u32.u16 %r9, %h1; add.u32 %r9, %r9, %r8; add.u32 %r9, %r9, %r7;"
      "add.u32 %r9, %r9, %r6; setp.eq.u32 %p1, %r9, 28; @%p1 bra $end; trap; $end:");
  expect_nothing("ld.global.u32 %r5, [%d4]; st.global.u32 [%d3], %r5;");
  // A defined operand that determines the result.
  expect_nothing(
      "setp.eq.u32 %p1, %r9, 3; setp.lt.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2;"
      "@%p3 bra $end; add.u32 %r1, %r1, 1; $end:");
  expect_nothing("or.b32 %r5, %r9, 1; setp.eq.u32 %p1, %r5, 2; @%p1 bra $end; $end:");
  expect_nothing(
      "setp.lt.u32 %p1, %r1, 64; selp.u32 %r5, %r1, %r9, %p1; setp.eq.u32 %p2, %r5, 3;"
      "@%p2 bra $end; $end:");
  expect_nothing("atom.shared.exch.b32 %r5, [s], 1;");
  // Computed, but not used.
  expect_nothing("add.u32 %r5, %r9, 1; st.shared.u32 [%r4], %r5;");
}

TEST(EmulationUndefinedValues, undefined_memory_is_tracked_across_kernels) {
  const std::string text = kernel_text(".param .u64 p, .param .u64 q", R"(
      .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d<5>; ld.param.u64 %d1, [p];
      ld.param.u64 %d2, [q]; ld.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0;
      @%p1 bra $end; $end: st.global.u32 [%d2], 1; ret;)");
  TestMemory memory;
  const std::uint64_t uninitialized = memory.allocate(4);
  const std::uint64_t other = memory.allocate(4);
  const DeviceModel device{.checks_undefined_values = true};
  expect_failure(run_text(text, {}, device, memory, uninitialized, other), 719,
                 {"a branch depends on it"});
  EXPECT_RUNS(text, {}, {}, memory, uninitialized, uninitialized);  // without the check
  expect_failure(run_text(text, {}, device, memory, uninitialized, other), 719,
                 {"a branch depends on it"});
  const std::uint64_t written = memory.allocate(std::vector<std::uint32_t>(1));
  EXPECT_RUNS(text, {}, device, memory, written, uninitialized);
  EXPECT_RUNS(text, {}, device, memory, uninitialized, other);
}

}  // namespace
}  // namespace skerry::emulation
