// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "device/emulator/execute/heap.hpp"
#include "device/emulator/execute/printf.hpp"
#include "device/emulator/execute/printf_output.hpp"
#include "tests/emulator/executor/emulated.hpp"

// Functions that modules declare and CUDA defines.
namespace skerry::emulation {
namespace {

const std::string declared = R"(
  .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
  .extern .func (.param .b64 r) malloc(.param .b64 a);
  .extern .func free(.param .b64 a);
  .extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
                             .param .b64 e);
  .extern .func (.param .b64 r) memcpy(.param .b64 a, .param .b64 b, .param .b64 c);
  .extern .func (.param .b64 r) memset(.param .b64 a, .param .b32 b, .param .b64 c);
)";

[[nodiscard]] std::vector<char> characters(const std::string& text) {
  return {text.c_str(), text.c_str() + text.size() + 1};
}

/// Returns the text written to standard output while `function` runs.
template <class Function>
[[nodiscard]] std::string shown(Function&& function) {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int saved_stdout = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  function();
  ::dup2(saved_stdout, STDOUT_FILENO);
  ::close(saved_stdout);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

class PackedArguments {
 public:
  template <class T>
  PackedArguments& add(T value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
    return *this;
  }
  std::vector<std::byte> bytes;
};

[[nodiscard]] std::string formatted(const std::string& format, const PackedArguments& arguments) {
  const auto read = [](std::uint64_t address) {
    return std::string_view(reinterpret_cast<const char*>(address));
  };
  return format_printf(format, arguments.bytes, read).text;
}

TEST(EmulationBuiltins, printf_has_the_conversions_of_c) {
  EXPECT_EQ(formatted("plain %% text", {}), "plain % text");
  EXPECT_EQ(formatted("%d|%5d|%-5d|%05d|%+d|% d",
                      PackedArguments().add(-7).add(42).add(42).add(42).add(42).add(42)),
            "-7|   42|42   |00042|+42| 42");
  EXPECT_EQ(formatted("%u %x %X %#x %o %c",
                      PackedArguments().add(-1).add(255).add(255).add(255).add(8).add(int{'z'})),
            "4294967295 ff FF 0xff 10 z");
  EXPECT_EQ(formatted("%hhd %hd %ld %lld %zu %llx",
                      PackedArguments().add(257).add(65537).add(-1LL).add(1LL << 40).add(5ULL).add(
                          ~0ULL)),
            "1 1 -1 1099511627776 5 ffffffffffffffff");
  EXPECT_EQ(
      formatted("%f %.2f %8.3e|%-9g|%G %a",
                PackedArguments().add(1.5).add(2.345).add(12345.678).add(0.5).add(1e-10).add(1.0)),
      "1.500000 2.35 1.235e+04|0.5      |1E-10 0x1p+0");
  EXPECT_EQ(
      formatted("%*d|%-*d|%.*f", PackedArguments().add(4).add(1).add(3).add(2).add(1).add(2.25)),
      "   1|2  |2.2");
  const auto text = reinterpret_cast<std::uint64_t>("word");
  EXPECT_EQ(formatted("%s|%6s|%-6s|%.2s|%s",
                      PackedArguments().add(text).add(text).add(text).add(text).add(0ULL)),
            "word|  word|word  |wo|(null)");
  EXPECT_EQ(formatted("%d %p", PackedArguments().add(1).add(0x1234ULL)), "1 0x1234");
  EXPECT_EQ(formatted("%f %f", PackedArguments().add(INFINITY * 1.0).add(-0.0)), "inf -0.000000");
  EXPECT_EQ(formatted("%y 100%", {}), "%y 100%");
  EXPECT_THROW((void)formatted("%d %lld", PackedArguments().add(1)), std::out_of_range);
}

TEST(EmulationBuiltins, kernels_print_thread_by_thread) {
  TestMemory memory;
  const std::uint64_t format = memory.allocate(characters("%d of %s: %g\n"));
  const std::uint64_t word = memory.allocate(characters("block"));
  const std::uint64_t destination = memory.allocate(16);
  const std::string text = kernel_text(".param .u64 format, .param .u64 word, .param .u64 to", R"(
    .local .align 8 .b8 arguments[24]; .reg .b32 %r<5>; .reg .b64 %d<9>; .reg .f64 %f<2>;
    mov.u32 %r1, %tid.x; mov.u64 %d1, arguments; cvta.local.u64 %d2, %d1;
    ld.param.u64 %d3, [word]; cvt.rn.f64.u32 %f1, %r1; mul.f64 %f1, %f1, 0d3FE0000000000000;
    st.local.u32 [%d1], %r1; st.local.u64 [%d1+8], %d3; st.local.f64 [%d1+16], %f1;
    ld.param.u64 %d4, [format];
    { .param .b64 a; st.param.b64 [a], %d4; .param .b64 b; st.param.b64 [b], %d2; .param .b32 r;
      call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }
    ld.param.u64 %d5, [to]; mad.wide.u32 %d5, %r1, 4, %d5; st.global.u32 [%d5], %r2; ret;)",
                                       declared);
  const auto run_it = [&](const Launch& launch) {
    const auto failed = run_text(text, launch, {}, memory, format, word, destination);
    EXPECT_FALSE(failed.has_value()) << text_of(failed);
  };
  const std::string expected = "0 of block: 0\n1 of block: 0.5\n2 of block: 1\n";
  EXPECT_EQ(shown([&] { run_it({.block = {3}}); }), expected);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 3), std::vector<std::uint32_t>(3, 3));
  // With a PrintfOutput, the text is printed when that is flushed.
  PrintfOutput printf_output;
  Launch launch{.block = {3}};
  launch.printf_output = &printf_output;
  EXPECT_EQ(shown([&] { run_it(launch); }), "");
  EXPECT_EQ(shown([&] { printf_output.show(); }), expected);
}

TEST(EmulationBuiltins, printf_overflow_drops_the_oldest_text) {
  PrintfOutput printf_output;
  printf_output.set_limit(10);
  for (const char* const word : {"aaaa\n", "bbbb\n", "cccc\n"}) printf_output.append(word);
  EXPECT_EQ(shown([&] { printf_output.show(); }), "bbbb\ncccc\n");
}

TEST(EmulationBuiltins, an_assertion_fails_with_cudas_message) {
  TestMemory memory;
  const std::uint64_t condition = memory.allocate(characters("x > 0"));
  const std::uint64_t file = memory.allocate(characters("some.cu"));
  const std::uint64_t function = memory.allocate(characters("void k(int)"));
  const std::string text =
      kernel_text(".param .u64 condition, .param .u64 file, .param .u64 function", R"(
    .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %d<4>; mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 5; @%p1 bra $end;
    ld.param.u64 %d1, [condition]; ld.param.u64 %d2, [file]; ld.param.u64 %d3, [function];
    { .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; st.param.b64 [b], %d2;
      .param .b32 c; st.param.b32 [c], 12; .param .b64 d; st.param.b64 [d], %d3;
      .param .b64 e; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }
    $end: ret;)",
                  declared);
  const Launch launch{.grid = {2}, .block = {7}};
  expect_failure(
      run_text(text, launch, {}, memory, condition, file, function), code::assertion,
      {"some.cu:12: void k(int): block: [0,0,0], thread: [5,0,0] Assertion `x > 0` failed.",
       "thread: [6,0,0] Assertion `x > 0` failed."});
}

/// Returns a kernel whose threads each build a list of as many nodes as their index, and add them
/// up. `at_end` is PTX that runs after each node is read; the node's address is in %d1.
[[nodiscard]] std::string list_kernel(const std::string& at_end) {
  return kernel_text(".param .u64 to", R"(
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; mov.u32 %r1, %tid.x; mov.u64 %d1, 0;
    mov.u32 %r2, %r1;
    $make: setp.eq.u32 %p1, %r2, 0; @%p1 bra $made;
    { .param .b64 a; st.param.b64 [a], 16; .param .b64 r; call.uni (r), malloc, (a);
      ld.param.b64 %d2, [r]; }
    st.u64 [%d2], %d1; st.u32 [%d2+8], %r2; mov.u64 %d1, %d2; sub.u32 %r2, %r2, 1;
    bra.uni $make;
    $made: mov.u32 %r3, 0; mov.u64 %d4, %d1;
    $walk: setp.eq.u64 %p2, %d1, 0; @%p2 bra $end; ld.u32 %r4, [%d1+8]; add.u32 %r3, %r3, %r4;
    ld.u64 %d3, [%d1];)" + at_end + R"(mov.u64 %d1, %d3; bra.uni $walk;
    $end: ld.param.u64 %d5, [to]; mad.wide.u32 %d5, %r1, 4, %d5; st.global.u32 [%d5], %r3; ret;)",
                     declared);
}

const std::string free_call = "{ .param .b64 a; st.param.b64 [a], %d1; call.uni free, (a); }\n";

TEST(EmulationBuiltins, threads_allocate_from_the_heap) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(400);
  DeviceHeap heap(1 << 20);
  Launch launch{.block = {40}};
  launch.heap = &heap;
  const auto failed = run_text(list_kernel(""), launch, {}, memory, destination);
  EXPECT_FALSE(failed.has_value()) << text_of(failed);
  EXPECT_EQ(heap.blocks(), 40U * 39 / 2);
  const auto second_failure =
      run_text(list_kernel(free_call), launch, {.quantum = 7}, memory, destination);
  EXPECT_FALSE(second_failure.has_value()) << text_of(second_failure);
  EXPECT_EQ(heap.blocks(), 40U * 39 / 2);
  const auto sums = memory.read<std::uint32_t>(destination, 40);
  for (std::uint32_t k = 0; k < 40; ++k) EXPECT_EQ(sums[k], k * (k + 1) / 2);
}

TEST(EmulationBuiltins, wrong_uses_of_the_heap_fail) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(400);
  DeviceHeap heap(1 << 20);
  Launch launch{.block = {3}};
  launch.heap = &heap;
  const auto fails = [&](const std::string& at_end) {
    return run_text(list_kernel(at_end), launch, {}, memory, destination);
  };
  expect_failure(fails(free_call + free_call), code::launch_failure,
                 {"double free: this memory is already free"});
  expect_failure(fails(free_call + "ld.u32 %r5, [%d1+8];"), code::illegal_address,
                 {"8 bytes into 16 bytes from malloc, which were freed"});
  expect_failure(fails("ld.u32 %r5, [%d1+16];"), code::illegal_address,
                 {"past the end of 16 bytes from malloc"});
  expect_failure(fails("add.u64 %d1, %d1, 8;" + free_call), code::launch_failure,
                 {"malloc did not return"});
}

TEST(EmulationBuiltins, a_full_heap_returns_null_until_memory_is_freed) {
  DeviceHeap heap(1024);
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t one = heap.allocate(50); one != 0; one = heap.allocate(50)) {
    EXPECT_EQ(one % 16, 0U);
    addresses.push_back(one);
  }
  EXPECT_EQ(addresses.size(), 13U);  // blocks of 64 bytes, 16 bytes apart
  EXPECT_EQ(heap.release(addresses[3]), "");
  EXPECT_EQ(heap.allocate(200), 0U);
  EXPECT_EQ(heap.release(addresses[4]), "");
  EXPECT_EQ(heap.release(addresses[5]), "");
  EXPECT_EQ(heap.allocate(200), addresses[3]);
  EXPECT_EQ(heap.find(addresses[3] + 199).end, addresses[3] + 200);
  EXPECT_NE(heap.release(addresses[4]), "");
  EXPECT_EQ(heap.allocate(std::uint64_t{1} << 62), 0U);
}

TEST(EmulationBuiltins, bytes_are_copied_and_filled) {
  TestMemory memory;
  const std::uint64_t data = memory.allocate(std::vector<char>(64, 'x'));
  const std::string text = kernel_text(".param .u64 data", R"(
    .reg .b64 %d<4>; ld.param.u64 %d1, [data]; add.u64 %d2, %d1, 8;
    { .param .b64 a; st.param.b64 [a], %d1; .param .b32 b; st.param.b32 [b], 65;
      .param .b64 c; st.param.b64 [c], 5; .param .b64 r; call (r), memset, (a, b, c);
      ld.param.b64 %d3, [r]; }
    { .param .b64 a; st.param.b64 [a], %d2; .param .b64 b; st.param.b64 [b], %d3;
      .param .b64 c; st.param.b64 [c], 6; .param .b64 r; call (r), memcpy, (a, b, c); }
    ret;)",
                                       declared);
  EXPECT_RUNS(text, {}, {}, memory, data);
  const auto result_bytes = memory.read<char>(data, 15);
  EXPECT_EQ(std::string(result_bytes.data(), result_bytes.size()), "AAAAAxxxAAAAAxx");
  expect_failure(run_text(text, {}, {}, memory, data + 55), code::illegal_address,
                 {"past the end of 64 bytes"});
}

TEST(EmulationBuiltins, a_breakpoint_is_ignored_and_a_trap_is_not) {
  TestMemory memory;
  EXPECT_RUNS(kernel_text("", "brkpt; ret;"), {}, {}, memory);
  expect_failure(run_text(kernel_text("", "trap; ret;"), {}, {}, memory), code::launch_failure,
                 {"trap"});
}

}  // namespace
}  // namespace skerry::emulation
