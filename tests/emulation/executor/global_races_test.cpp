// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulation/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body for three blocks of 32 threads, by several schedules; what the first failure says,
/// or nothing. %d1 points to 512 bytes, %d2 to the thread's own place in them, %d3 to one that the
/// next block has; %r1 is the thread's number, %r2 the block's; of %p1 is the first thread, and of
/// %p2 the first block.
[[nodiscard]] std::optional<failure> raced(const std::string& body) {
  const std::string text = kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %d<9>; ld.param.u64 %d1, [p];
      mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r1, 0;
      setp.eq.u32 %p2, %r2, 0; mad.lo.u32 %r3, %r2, 32, %r1; mad.wide.u32 %d2, %r3, 4, %d1;
      add.u32 %r4, %r3, 32; mad.wide.u32 %d3, %r4, 4, %d1;)" +
                                                            body + " ret;");
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    test_memory memory;
    const std::uint64_t place = memory.allocate(std::vector<std::uint32_t>(128));
    const device_model device{.seed = seed,
                              .resident_blocks = seed == 0 ? 1 : 3,
                              .quantum = seed == 0 ? 0 : 5,
                              .instruction_limit = 1'000'000,
                              .checks_global_races = true};
    if (auto found = run_text(text, {.grid = {3}, .block = {32}}, device, memory, place)) {
      return found;
    }
  }
  return std::nullopt;
}

void expect_race(const std::string& body, std::string_view what) {
  SCOPED_TRACE(body);
  expect_failure(raced(body), 719, {"race on global memory", what, "by block (", "kernel: k"});
}

void expect_no_race(const std::string& body) {
  const auto found = raced(body);
  EXPECT_FALSE(found.has_value()) << body << text_of(found);
}

TEST(EmulationGlobalRaces, of_what_two_blocks_access_is_caught) {
  expect_race("@%p1 st.global.u32 [%d1], %r2;", "write after write");
  expect_race("st.global.u32 [%d2], %r1; ld.global.u32 %r5, [%d3];", "after");
  expect_race("@%p1 ld.global.u32 %r5, [%d1]; @%p2 st.global.u8 [%d1+3], 1;", "after");
  expect_race("@%p2 st.global.u32 [%d1], 1; @!%p2 ld.u32 %r5, [%d1];", "after");
  expect_no_race("st.global.u32 [%d2], %r1; ld.global.u32 %r5, [%d2]; st.global.u32 [%d2], %r5;");
  expect_no_race("ld.global.u32 %r5, [%d1]; st.global.u32 [%d2+128], %r5;");
  expect_no_race("@%p1 atom.global.add.u32 %r5, [%d1], 1; @%p1 red.global.max.u32 [%d1], 1;");
  expect_no_race("@%p1 st.volatile.global.u32 [%d1], 1; ld.relaxed.gpu.global.u32 %r5, [%d1];");
}

TEST(EmulationGlobalRaces, needs_a_fence_before_a_flag) {
  // The first block stores a value and a flag, the others wait for the flag.
  const auto body = [](const std::string& fence) {
    return "@!%p2 bra $read; @%p1 st.global.u32 [%d1+256], 7;" + fence +
           R"( @%p1 st.relaxed.gpu.global.u32 [%d1+260], 1; ret;
      $read: ld.relaxed.gpu.global.u32 %r5, [%d1+260]; nanosleep.u32 1;
      setp.ne.u32 %p3, %r5, 1; @%p3 bra $read; ld.global.u32 %r6, [%d1+256];)";
  };
  expect_race(body(""), "read after write");
  expect_no_race(body("membar.gl;"));
}

TEST(EmulationGlobalRaces, needs_a_fence_before_the_last_block_is_told) {
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
