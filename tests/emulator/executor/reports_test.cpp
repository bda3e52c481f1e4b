// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Reports have fields that programs can read. Errors that don't stop a GPU don't end the kernel.

#include "device/emulator/check/findings.hpp"
#include "device/emulator/ptx/kernel_names.hpp"
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

const std::string prologue = R"(
  .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .align 4 .b8 s[256];
  mov.u32 %r0, %tid.x; ld.param.u64 %d1, [p]; mad.wide.u32 %d0, %r0, 4, %d1;
  mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 1; mad.lo.u32 %r4, %r3, 4, %r1;
)";

[[nodiscard]] std::string text_of_body(const std::string& body) {
  return kernel_text(".param .u64 p", prologue + body + " ret;") + ".file 1 \"/source/user.py\"\n";
}

[[nodiscard]] KindSet all_collected() {
  KindSet all;
  for (const FailureKind kind : {FailureKind::race_shared, FailureKind::race_global,
                                 FailureKind::uninitialised, FailureKind::synchronisation}) {
    all.add(kind);
  }
  return all;
}

/// Runs a body for blocks of 64 threads; returns the findings that did not end it.
[[nodiscard]] std::vector<Failure> collected(const std::string& body, unsigned blocks = 1) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(std::vector<std::uint32_t>(64));
  Findings findings;
  const DeviceModel device{.checks_shared_races = true,
                           .checks_global_races = true,
                           .checks_synchronization = true,
                           .checks_undefined_values = true,
                           .checks_races_in_blocks = true,
                           .collected = all_collected()};
  EXPECT_RUNS(text_of_body(body), {.grid = {blocks}, .block = {64}, .findings = &findings}, device,
              memory, address);
  return findings.all();
}

TEST(EmulationReports, a_report_names_access_thread_and_allocation) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(100);
  const auto failure = run_text(text_of_body(".loc 1 12 3\nst.global.u32 [%d0+8], %r0;"),
                                {.grid = {2}, .block = {32}}, {}, memory, address);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::out_of_bounds);
  EXPECT_EQ(failure->kernel, "k");
  EXPECT_EQ(failure->thread.x, 23U);
  EXPECT_EQ(failure->block.x, 0U);
  EXPECT_EQ(failure->source_line.file, "/source/user.py");
  EXPECT_EQ(failure->source_line.line, 12U);
  EXPECT_EQ(failure->source_line.instruction, "st.global.u32 [%d0+8], %r0;");
  EXPECT_TRUE(failure->access.writes);
  EXPECT_EQ(failure->access.nbytes, 4U);
  EXPECT_EQ(failure->memory.begin, address);
  EXPECT_EQ(failure->memory.nbytes, 100U);
  EXPECT_EQ(failure->memory.distance(), 0);
}

TEST(EmulationReports, kinds_have_names_and_codes) {
  for (int k = 0; k < failure_kinds; ++k) {
    const auto kind = static_cast<FailureKind>(k);
    EXPECT_EQ(kind_of_name(name_of(kind)), kind);
  }
  EXPECT_EQ(kind_of_name("racy"), std::nullopt);
  EXPECT_EQ(kind_of(700), FailureKind::out_of_bounds);
  EXPECT_EQ(kind_of(715), FailureKind::invalid_instruction);
}

TEST(EmulationReports, a_race_is_reported_once_with_both_lines) {
  const auto failures = collected(R"(
      .loc 1 5 1
      st.shared.u32 [%r2], %r0;
      .loc 1 6 1
      ld.shared.u32 %r5, [%r4];
      bar.sync 0;
      .loc 1 7 1
      st.shared.u32 [s], %r0;)");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].kind, FailureKind::race_shared);
  EXPECT_EQ(failures[0].source_line.line, 6U);
  ASSERT_TRUE(failures[0].other && failures[0].other->source_line && failures[0].other->thread);
  EXPECT_EQ(failures[0].other->source_line->line, 5U);
  EXPECT_EQ(failures[0].other->thread->x, failures[0].thread.x ^ 1U);
  EXPECT_TRUE(failures[0].other->writes);
  EXPECT_GT(failures[0].times, 1U);
  EXPECT_EQ(failures[1].source_line.line, 7U);
  EXPECT_NE(failures[1].text.find("write after write"), std::string::npos) << failures[1].text;
}

TEST(EmulationReports, races_within_a_block_on_global_memory_are_reported) {
  const auto one = collected(".loc 1 5 1\nst.global.u32 [%d1], %r0;");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].kind, FailureKind::race_global);
  EXPECT_EQ(one[0].other->source_line->line, 5U);
  EXPECT_EQ(one[0].other->block.x, 0U);
  EXPECT_TRUE(collected("st.global.u32 [%d0], %r0; bar.sync 0; setp.eq.u32 %p1, %r0, 9;"
                        "@%p1 ld.global.u32 %r5, [%d1]; ld.global.u32 %r6, [%d0];")
                  .empty());
  EXPECT_TRUE(collected("atom.global.add.u32 %r5, [%d1], 1;").empty());
  EXPECT_GE(
      collected("ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, 1; st.global.u32 [%d1], %r5;").size(),
      2U);
}

TEST(EmulationReports, uninitialised_values_do_not_end_a_kernel) {
  const auto failures = collected(
      ".loc 1 9 1\nld.shared.u32 %r5, [%r2]; add.u32 %r5, %r5, 1;"
      ".loc 1 10 1\nst.global.u32 [%d0], %r5;");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].kind, FailureKind::uninitialised);
  EXPECT_EQ(failures[0].source_line.line, 10U);
}

TEST(EmulationReports, missing_threads_do_not_end_a_kernel) {
  const auto failures = collected("setp.eq.u32 %p1, %r0, 5; @%p1 exit; .loc 1 4 1\nbar.sync 0;");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].kind, FailureKind::synchronisation);
  EXPECT_EQ(failures[0].source_line.line, 4U);
  EXPECT_EQ(failures[0].thread.x, 5U);
}

TEST(EmulationReports, a_report_of_an_endless_kernel_has_the_positions_of_all_warps) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(4);
  const auto failure =
      run_text(text_of_body("setp.lt.u32 %p1, %r0, 32; @%p1 bra $b; .loc 1 3 1\n$a: bra.uni $a;"
                            ".loc 1 4 1\n$b: bra.uni $b;"),
               {.block = {64}}, {.instruction_limit = 100'000}, memory, address);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->kind, FailureKind::never_ends);
  ASSERT_EQ(failure->waiting.size(), 2U);
  EXPECT_EQ(failure->waiting[0].source_line.line + failure->waiting[1].source_line.line, 7U);
}

TEST(EmulationReports, kernel_names_of_numba_are_demangled) {
  EXPECT_EQ(readable_kernel_name("_Z4fillIfEvPfi"), "void fill<float>(float*, int)");
  EXPECT_EQ(readable_kernel_name("axpy"), "axpy");
  EXPECT_EQ(readable_kernel_name("f"), "f") << "also the code of a type";
  EXPECT_EQ(readable_kernel_name("_ZN6cudapy8__main__5outer12_3clocals_3e6kernelB2v1B13cw51cXTLSU"
                                 "_3dE5ArrayIfLi1E1A7mutable7alignedEi"),
            "__main__.outer.<locals>.kernel");
}

}  // namespace
}  // namespace skerry::emulation
