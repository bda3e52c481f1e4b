// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/check/request_counter.hpp"

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Runs a body and returns its statistics. %r0 is the thread's index, %d0 an address of global
/// memory aligned to 256, %r1 an address of shared memory.
[[nodiscard]] Statistics counted(const std::string& body, const Launch& launch = {.block = {32}},
                                 bool counts = true) {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(std::vector<std::byte>(1 << 16));
  const auto loaded = load_text(kernel_text(".param .u64 p", R"(
      .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<9>; .reg .f32 %f<9>;
      .shared .align 128 .b8 s[8192]; .local .align 8 .b8 l[16];
      mov.u32 %r0, %tid.x; mov.u32 %r1, s; ld.param.u64 %d0, [p];)" +
                                                                 body + " ret;"));
  const std::vector<std::byte> bytes = parameter_bytes(address);
  Launch bound_launch = launch;
  bound_launch.parameters = bytes;
  Statistics done;
  const auto failed =
      run(*loaded->find("k"), bound_launch, {.counts_requests = counts}, memory, &done);
  EXPECT_FALSE(failed.has_value()) << text_of(failed);
  return done;
}

/// Returns PTX that sets %d1 to the lane's address: %d0 + the thread's index * `stride` + `offset`.
[[nodiscard]] std::string lane_address(int stride, int offset = 0) {
  return "mad.wide.u32 %d1, %r0, " + std::to_string(stride) + ", %d0; add.u64 %d1, %d1, " +
         std::to_string(offset) + ";";
}
[[nodiscard]] std::string shared_at(int stride) {
  return "mad.lo.u32 %r2, %r0, " + std::to_string(stride) + ", %r1;";
}

void expect_global(const GlobalRequests& actual, const GlobalRequests& expected) {
  EXPECT_EQ(actual.requests, expected.requests);
  EXPECT_EQ(actual.nbytes, expected.nbytes);
  EXPECT_EQ(actual.sectors, expected.sectors);
  EXPECT_EQ(actual.distinct_sectors, expected.distinct_sectors);
}
void expect_shared(const Statistics& actual, const SharedRequests& expected) {
  EXPECT_EQ(actual.shared.requests, expected.requests);
  EXPECT_EQ(actual.shared.nbytes, expected.nbytes);
  EXPECT_EQ(actual.shared.wavefronts, expected.wavefronts);
  EXPECT_EQ(actual.shared.conflicts, expected.conflicts);
}

TEST(EmulationRequests, contiguous_lanes_share_sectors) {
  expect_global(counted(lane_address(4) + "ld.global.u32 %r3, [%d1];").loads, {1, 128, 4, 4});
  expect_global(counted(lane_address(4) + "st.global.u32 [%d1], %r0;").stores, {1, 128, 4, 4});
  expect_global(counted(lane_address(1) + "st.global.u8 [%d1], %r0;").stores, {1, 32, 1, 1});
  expect_global(counted(lane_address(16) + "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1];").loads,
                {1, 512, 16, 16});
  // The order of lanes does not matter.
  expect_global(counted("mul.lo.u32 %r0, %r0, 5; and.b32 %r0, %r0, 31;" + lane_address(8) +
                        "ld.global.u64 %d2, [%d1];")
                    .loads,
                {1, 256, 8, 8});
}

TEST(EmulationRequests, unaligned_accesses_use_one_more_sector) {
  expect_global(counted(lane_address(4, 4) + "ld.global.u32 %r3, [%d1];").loads, {1, 128, 5, 5});
  expect_global(counted(lane_address(16, 16) + "ld.global.v2.u64 {%d2, %d3}, [%d1];").loads,
                {1, 512, 17, 17});
  expect_global(counted(lane_address(8, 8) + "st.global.v2.u32 [%d1], {%r0, %r0};").stores,
                {1, 256, 9, 9});
}

TEST(EmulationRequests, large_strides_use_one_sector_per_lane) {
  expect_global(counted(lane_address(8) + "ld.global.u32 %r3, [%d1];").loads, {1, 128, 8, 8});
  expect_global(counted(lane_address(32) + "ld.global.u32 %r3, [%d1];").loads, {1, 128, 32, 32});
  expect_global(counted(lane_address(1024) + "ld.global.u8 %r3, [%d1];").loads, {1, 32, 32, 32});
}

TEST(EmulationRequests, equal_addresses_share_a_sector_within_a_request) {
  expect_global(counted("ld.global.u32 %r3, [%d0];").loads, {1, 128, 1, 1});
  expect_global(counted("ld.global.u32 %r3, [%d0]; ld.global.u32 %r4, [%d0+4];").loads,
                {2, 256, 2, 1});
  // Two blocks of two warps.
  expect_global(
      counted(lane_address(4) + "ld.global.u32 %r3, [%d1];", {.grid = {2}, .block = {64}}).loads,
      {4, 512, 16, 8});
  expect_global(counted("red.global.add.u32 [%d0], 1;").stores, {1, 128, 1, 1});
}

TEST(EmulationRequests, only_active_lanes_count) {
  const std::string third = "setp.lt.u32 %p1, %r0, 3;";
  expect_global(counted(third + lane_address(32) + "@%p1 ld.global.u32 %r3, [%d1];").loads,
                {1, 12, 3, 3});
  expect_global(counted("setp.gt.u32 %p1, %r0, 99; @%p1 ld.global.u32 %r3, [%d0];").loads, {});
  expect_global(counted(lane_address(4) + "ld.global.u32 %r3, [%d1];", {.block = {8}}).loads,
                {1, 32, 1, 1});
}

TEST(EmulationRequests, generic_addresses_count_by_their_space) {
  const Statistics mixed = counted(
      "setp.lt.u32 %p1, %r0, 8; mov.u64 %d2, s; cvta.shared.u64 %d3, %d2;"
      "selp.b64 %d4, %d3, %d0, %p1; mad.wide.u32 %d1, %r0, 4, %d4; ld.u32 %r3, [%d1];");
  expect_global(mixed.loads, {1, 96, 3, 3});
  expect_shared(mixed, {1, 32, 1, 0});
  const Statistics local_statistics = counted("st.local.u32 [l], %r0; ld.local.u32 %r3, [l];");
  EXPECT_EQ(local_statistics.local_requests, 2U);
  expect_global(local_statistics.stores, {});
}

TEST(EmulationRequests, bank_conflicts_are_counted) {
  const std::string load = "ld.shared.u32 %r3, [%r2];";
  expect_shared(counted(shared_at(4) + load), {1, 128, 1, 0});
  expect_shared(counted(shared_at(0) + load), {1, 128, 1, 0});
  expect_shared(counted(shared_at(8) + load), {1, 128, 2, 1});
  expect_shared(counted(shared_at(12) + load), {1, 128, 1, 0});  // an odd number of words
  expect_shared(counted(shared_at(128) + load), {1, 128, 32, 31});
  expect_shared(counted(shared_at(132) + "st.shared.u32 [%r2], %r0;"), {1, 128, 1, 0});
  expect_shared(counted(shared_at(1) + "ld.shared.u8 %r3, [%r2];"), {1, 32, 1, 0});
  expect_shared(counted("setp.lt.u32 %p1, %r0, 4;" + shared_at(128) + "@%p1 " + load),
                {1, 16, 4, 3});
}

TEST(EmulationRequests, wavefronts_of_wide_accesses_are_not_conflicts) {
  expect_shared(counted(shared_at(8) + "ld.shared.u64 %d2, [%r2];"), {1, 256, 2, 0});
  expect_shared(counted(shared_at(16) + "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];"),
                {1, 512, 4, 0});
  // 16 lanes at a time; lanes k and k + 8 use the same banks.
  expect_shared(counted(shared_at(16) + "ld.shared.u64 %d2, [%r2];"), {1, 256, 4, 2});
}

TEST(EmulationRequests, asynchronous_copies_count) {
  const std::string begin = lane_address(16) + shared_at(16);
  const Statistics by_lanes =
      counted(begin + "cp.async.cg.shared.global [%r2], [%d1], 16; cp.async.wait_all;");
  expect_global(by_lanes.loads, {1, 512, 16, 16});
  expect_shared(by_lanes, {1, 512, 4, 0});
  const Statistics bulk = counted(
      "add.u64 %d1, %d0, 16; setp.eq.u32 %p1, %r0, 0;"
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 256;");
  expect_global(bulk.stores, {1, 256, 9, 9});
}

TEST(EmulationRequests, divergent_branches_are_counted) {
  const std::string both = " bra.uni B; A: mov.u32 %r3, 1; B: mov.u32 %r4, 1;";
  EXPECT_EQ(counted("setp.lt.u32 %p1, %r0, 5; @%p1 bra A;" + both).divergent_branches, 1U);
  EXPECT_EQ(counted("setp.lt.u32 %p1, %r0, 99; @%p1 bra A;" + both).divergent_branches, 0U);
  EXPECT_EQ(counted("setp.gt.u32 %p1, %r0, 99; @%p1 bra A;" + both).divergent_branches, 0U);
}

TEST(EmulationRequests, instructions_are_counted_by_warp_and_by_lane) {
  // Three instructions before the body, and ret.
  const Statistics done = counted("", {.grid = {3}, .block = {40}});
  EXPECT_EQ(done.warp_instructions, 6U * 4);
  EXPECT_EQ(done.lane_instructions, 3U * 40 * 4);
}

TEST(EmulationRequests, nothing_is_counted_by_default) {
  const Statistics done = counted(
      lane_address(4) + shared_at(4) + "ld.global.u32 %r3, [%d1]; ld.shared.u32 %r4, [%r2];",
      {.block = {32}}, false);
  expect_global(done.loads, {});
  expect_shared(done, {});
  EXPECT_GT(done.warp_instructions, 0U);
}

TEST(EmulationRequests, a_set_of_sectors_counts_distinct_sectors) {
  SectorSet set;
  EXPECT_TRUE(set.insert(5));
  EXPECT_TRUE(set.insert(5 + 4096));
  EXPECT_TRUE(set.insert(6));
  EXPECT_FALSE(set.insert(5));
  EXPECT_FALSE(set.insert(5 + 4096));
  EXPECT_TRUE(set.insert(std::uint64_t{1} << 58));
}

}  // namespace
}  // namespace skerry::emulation
