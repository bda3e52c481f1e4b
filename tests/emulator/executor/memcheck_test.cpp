// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

const std::string prologue = R"(
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
  mov.u32 %r0, %tid.x; ld.param.u64 %d1, [p];
)";

/// Runs a body for 64 threads, with an allocation of `nbytes` at a multiple of 256 plus `offset`.
[[nodiscard]] std::optional<Failure> ran(const std::string& body, std::size_t nbytes,
                                         std::size_t offset = 0) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(nbytes, offset);
  return run_text(kernel_text(".param .u64 p", prologue + body + " ret;"), {.block = {64}},
                  {.instruction_limit = 100'000}, memory, address);
}

[[nodiscard]] std::string at_thread(int size, const std::string& access) {
  return "mad.wide.u32 %d0, %r0, " + std::to_string(size) + ", %d1;" + access;
}

/// Expects a failure with one byte less than required, and none with the required bytes.
void expect_bounds(const std::string& body, std::size_t required_nbytes, const char* message) {
  const auto enough = ran(body, required_nbytes);
  EXPECT_FALSE(enough.has_value()) << body << text_of(enough);
  expect_failure(ran(body, required_nbytes - 1), 700,
                 {message, "past the end", "kernel: k", "block (0,0,0)"});
}

TEST(EmulationMemcheck, global_accesses_are_checked_to_the_byte) {
  expect_bounds(at_thread(4, "ld.global.u32 %r1, [%d0];"), 256, "read of 4 bytes");
  expect_bounds(at_thread(4, "st.global.u32 [%d0], %r1;"), 256, "write of 4 bytes");
  expect_bounds(at_thread(1, "ld.global.u8 %h1, [%d0];"), 64, "read of 1 bytes");
  expect_bounds(at_thread(8, "ld.global.v2.u32 {%r1, %r2}, [%d0];"), 512, "read of 8 bytes");
  expect_bounds(at_thread(16, "st.global.v2.u64 [%d0], {%d1, %d1};"), 1024, "write of 16 bytes");
  expect_bounds(at_thread(4, "atom.global.add.u32 %r1, [%d0], 1;"), 256, "write of 4 bytes");
  expect_bounds(at_thread(4, "ld.u32 %r1, [%d0];"), 256, "read of 4 bytes");
  expect_bounds(at_thread(4, "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%d0];"), 256,
                "read of 4 bytes");
  expect_bounds("setp.eq.u32 %p1, %r0, 37; @%p1 st.global.u32 [%d1+100], %r0;", 104,
                "write of 4 bytes");
}

TEST(EmulationMemcheck, a_report_names_access_thread_and_allocation) {
  const std::string body = R"(.loc 1 42 7
      setp.ge.u32 %p1, %r0, 40; mul.wide.u32 %d2, %r0, 4; add.u64 %d0, %d1, %d2;
      @%p1 st.global.u32 [%d0+96], %r0;)";
  TestMemory memory;
  const std::uint64_t address = memory.allocate(300);
  std::string text = kernel_text(".param .u64 p", prologue + body + " ret;");
  text += ".file 1 \"/source/kernel.cu\"\n";
  for (std::size_t position = text.find(" k("); position != std::string::npos;
       position = text.find(" k(", position)) {
    text.replace(position, 3, " _Z4fillIfEvPfi(");
  }
  const auto loaded = load_text(text);
  const Kernel* const kernel = loaded->find("_Z4fillIfEvPfi");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->readable_name(), "void fill<float>(float*, int)");
  const auto bytes = parameter_bytes(address);
  const Launch launch{.grid = {3}, .block = {64}, .parameters = bytes};
  expect_failure(run(*kernel, launch, {}, memory), 700,
                 {"write of 4 bytes of global memory at 0x", "of 300 bytes", "thread (51,0,0)",
                  "warp 1, lane 19", "@%p1 st.global.u32 [%d0+96], %r0;", "/source/kernel.cu:42",
                  "void fill<float>(float*, int)"});
}

TEST(EmulationMemcheck, accesses_to_freed_memory_fail) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(256);
  const std::string text =
      kernel_text(".param .u64 p", prologue + at_thread(4, "ld.global.u32 %r1, [%d0]; ret;"));
  EXPECT_RUNS(text, {.block = {64}}, {}, memory, address);
  memory.free(address);
  expect_failure(run_text(text, {.block = {64}}, {}, memory, address), 700, {"read of 4 bytes"});
  expect_failure(run_text(text, {.block = {64}}, {}, memory, std::uint64_t{0}), 700, {"at 0"});
}

TEST(EmulationMemcheck, lanes_may_access_different_allocations) {
  TestMemory memory;
  const std::uint64_t a = memory.allocate(64), b = memory.allocate(64);
  const std::string text = kernel_text(".param .u64 p, .param .u64 q", prologue + R"(
      ld.param.u64 %d2, [q]; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
      selp.b64 %d3, %d1, %d2, %p1; mov.u32 %r2, 9;
      $again: st.global.u32 [%d3+60], %r0; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0;
      @%p2 bra $again; ret;)");
  EXPECT_RUNS(text, {.block = {64}}, {}, memory, a, b);
}

TEST(EmulationMemcheck, misaligned_accesses_fail) {
  const auto check = [](const std::string& access, int alignment) {
    EXPECT_FALSE(ran(at_thread(16, access), 2048).has_value()) << access;
    expect_failure(ran(at_thread(16, access), 2048, static_cast<std::size_t>(alignment) / 2), 716,
                   {"misaligned", "not a multiple of " + std::to_string(alignment)});
  };
  check("ld.global.u16 %h1, [%d0];", 2);
  check("ld.global.u32 %r1, [%d0];", 4);
  check("st.global.u64 [%d0], %d1;", 8);
  check("st.global.v2.u64 [%d0], {%d1, %d1};", 16);
  check("ld.v4.u32 {%r1, %r2, %r3, %r4}, [%d0];", 16);
  check("atom.global.add.u64 %d2, [%d0], 1;", 8);
  expect_failure(ran(".shared .align 4 .b8 s[64]; ld.shared.u32 %r1, [s+2];", 4), 716, {"shared"});
  expect_failure(ran(".local .align 4 .b8 l[64]; ld.local.u32 %r1, [l+2];", 4), 716, {"local"});
}

TEST(EmulationMemcheck, shared_memory_is_bounded) {
  const std::string s =
      ".shared .align 16 .b8 s[256]; mul.lo.u32 %r1, %r0, 4; mov.u32 %r2, s;"
      "add.u32 %r1, %r1, %r2; mov.u64 %d3, s; cvta.shared.u64 %d4, %d3;";
  EXPECT_FALSE(ran(s + "st.shared.u32 [%r1], %r0;", 4).has_value());
  expect_failure(ran(s + "st.shared.u32 [%r1+4], %r0;", 4), 700,
                 {"write of 4 bytes of shared memory at 0x100: it has 256 bytes", "lane 31"});
  expect_failure(ran(s + "ld.shared.u32 %r3, [%r1+-4];", 4), 700, {"shared", "lane 0"});
  EXPECT_FALSE(ran(s + "ld.u8 %h1, [%d4+255];", 4).has_value());
  expect_failure(ran(s + "ld.u8 %h1, [%d4+256];", 4), 700, {"read of 1 bytes"});
}

TEST(EmulationMemcheck, local_memory_is_bounded) {
  const std::string l = ".local .align 16 .b8 l[32]; mov.u64 %d2, l; cvta.local.u64 %d3, %d2;";
  EXPECT_FALSE(ran(l + "st.local.u32 [l+28], %r0; ld.u32 %r1, [%d3+28];", 4).has_value());
  expect_failure(ran(l + "st.local.u32 [%d2+32], %r0;", 4), 700, {"local", "32 bytes"});
  expect_failure(ran(l + "setp.eq.u32 %p1, %r0, 5; @%p1 ld.u32 %r1, [%d3+-4];", 4), 700,
                 {"local", "lane 5"});
}

TEST(EmulationMemcheck, parameters_are_bounded) {
  const std::string address = "mov.b64 %d2, p; ";
  EXPECT_FALSE(ran(address + "ld.param.u32 %r1, [%d2+4];", 4).has_value());
  expect_failure(ran(address + "ld.param.u32 %r1, [%d2+8];", 4), 700, {"parameter", "8 bytes"});
  EXPECT_FALSE(ran(address + "cvta.param.u64 %d3, %d2; ld.u32 %r1, [%d3];", 4).has_value());
  EXPECT_TRUE(ran(address + "cvta.param.u64 %d3, %d2; st.u32 [%d3], %r0;", 4).has_value());
}

TEST(EmulationLimits, a_kernel_that_never_ends_is_stopped) {
  expect_failure(ran("$l: bra.uni $l;", 4), 702,
                 {"100000 warp instructions", "bra.uni $l;", "kernel: k"});
}

TEST(EmulationLimits, deadlocked_threads_are_reported) {
  expect_failure(ran("setp.lt.u32 %p1, %r0, 32; @%p1 bra $a; bar.sync 1; $a: bar.sync 0;", 4), 719,
                 {"deadlock", "warp 0, 32 lanes from 0: bar.sync 0;",
                  "warp 1, 32 lanes from 0: bar.sync 1;", "kernel: k"});
  expect_failure(ran("setp.lt.u32 %p1, %r0, 3; @%p1 bra $a; bar.warp.sync -1; bra.uni $b;"
                     "$a: bar.sync 0; $b: ",
                     4),
                 719, {"deadlock", "3 lanes from 0"});
}

TEST(EmulationLimits, collectives_must_include_their_own_lane) {
  EXPECT_FALSE(ran("setp.lt.u32 %p1, %r0, 3; @%p1 bar.warp.sync 7;", 4).has_value());
  expect_failure(ran("bar.warp.sync 7;", 4), 715, {"lacks the executing lane", "lane 3"});
}

TEST(EmulationLimits, barriers_need_consistent_thread_counts) {
  expect_failure(ran("bar.sync 16;", 4), 715, {"barrier 16"});
  expect_failure(ran("bar.sync 0, 33;", 4), 715, {"not a multiple of 32"});
  expect_failure(ran("setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 0, 64; @!%p1 bar.sync 0, 96;", 4),
                 715, {"different thread counts for barrier 0"});
}

TEST(EmulationLimits, a_trap_fails_the_launch) {
  expect_failure(ran("setp.eq.u32 %p1, %r0, 33; @%p1 trap;", 4), 719, {"trap", "thread (33,0,0)"});
}

TEST(EmulationLimits, invalid_launches_are_rejected) {
  const auto loaded = load_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n"
      ".maxntid 128, 1, 1\n{ .shared .b8 s[40000]; ret; }\n");
  const Kernel& k = *loaded->find("k");
  const auto bytes = parameter_bytes(std::uint64_t{0});
  const auto refused = [&](Launch launch, std::uint32_t limit = 48 << 10) {
    if (launch.parameters.empty()) launch.parameters = bytes;
    const auto failure = check_launch(k, launch, {}, limit);
    return failure ? failure->code : 0;
  };
  EXPECT_EQ(refused({.block = {128}}), 0);
  EXPECT_EQ(refused({.block = {129}}), 701);
  EXPECT_EQ(refused({.block = {1025}}), 9);
  EXPECT_EQ(refused({.block = {0}}), 9);
  EXPECT_EQ(refused({.block = {1, 1, 65}}), 9);
  EXPECT_EQ(refused({.grid = {1, 65536}}), 9);
  EXPECT_EQ(refused({.grid = {1, 1, 0}}), 9);
  EXPECT_EQ(refused({.dynamic_shared_bytes = 9152}), 0);
  EXPECT_EQ(refused({.dynamic_shared_bytes = 9153}), 1);
  EXPECT_EQ(refused({.dynamic_shared_bytes = 60000}, 100 << 10), 0);
  EXPECT_EQ(refused({.parameters = std::span(bytes).first(7)}), 1);
}

}  // namespace
}  // namespace skerry::emulation
