// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body for two blocks of 80 threads; %r1 is the thread's index.
[[nodiscard]] std::optional<Failure> run_body(const std::string& body) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b32 %r<9>; mov.u32 %r1, %tid.x;)" +
                                                            body + " ret;");
  TestMemory memory;
  const std::uint64_t address = memory.allocate(4);
  return run_text(text, {.grid = {2}, .block = {80}}, {.checks_synchronization = true}, memory,
                  address);
}

void expect_caught(const std::string& body, std::string_view why) {
  SCOPED_TRACE(body);
  expect_failure(run_body(body), 719, {why, "kernel: k"});
}

void expect_nothing(const std::string& body) {
  const auto failure = run_body(body);
  EXPECT_FALSE(failure.has_value()) << body << text_of(failure);
}

TEST(EmulationSynchronization, a_barrier_needs_all_threads_of_the_block) {
  expect_caught("setp.eq.u32 %p1, %r1, 5; @%p1 exit; bar.sync 0;", "threads have exited before it");
  expect_caught("setp.ge.u32 %p1, %r1, 64; @%p1 exit; bar.sync 0;", "warp 2: 16 threads");
  expect_nothing("bar.sync 0; setp.eq.u32 %p1, %r1, 5; @%p1 exit;");
  // A barrier with a count is for some of the warps.
  expect_nothing("setp.ge.u32 %p1, %r1, 64; @%p1 exit; bar.sync 1, 64;");
}

TEST(EmulationSynchronization, lanes_of_a_warp_must_arrive_together) {
  const auto parted = [](const std::string& barrier) {
    return "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra $even;" + barrier +
           " bra $end; $even: " + barrier + " $end:";
  };
  expect_caught(parted("bar.sync 0;"), "its lanes arrive from different instructions");
  expect_caught(parted("barrier.sync.aligned 0;"), "its lanes arrive from different instructions");
  expect_nothing(parted("barrier.sync 0;"));
  // Warps may arrive at different instructions, and lanes may diverge before.
  expect_nothing(
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra $first; bar.sync 0; bra $end;"
      "$first: bar.sync 0; $end:");
  expect_nothing(
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra $even;"
      "add.u32 %r2, %r2, 1; $even: bar.sync 0;");
}

TEST(EmulationSynchronization, members_of_a_collective_must_not_have_exited) {
  const std::string without_five = "setp.eq.u32 %p1, %r1, 5; @%p1 exit;";
  expect_caught(without_five + "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;",
                "lane 5, which has exited");
  expect_caught(without_five + "bar.warp.sync -1;", "lane 5, which has exited");
  // The last missing lane exits while the others wait for it.
  expect_caught(
      "setp.ne.u32 %p1, %r1, 5; @%p1 bra $wait; exit; $wait: vote.sync.any.pred %p2, %p1, -1;",
      "lane 5, which has exited");
  expect_nothing(without_five + "setp.ge.u32 %p2, %r1, 32; @%p2 exit; bar.warp.sync 0xffffffdf;");
  // The last warp has 16 threads: nonexistent lanes are no error.
  expect_nothing("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; bar.warp.sync -1;");
}

}  // namespace
}  // namespace skerry::emulation
