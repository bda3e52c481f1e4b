// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/executor/emulated.hpp"

// Calls of functions with stack frames, and branches through tables (brx.idx).
namespace skerry::emulation {
namespace {

using words = std::vector<std::uint32_t>;

/// Returns PTX that calls `function`, which takes and returns a 32-bit word.
[[nodiscard]] std::string call_of(const std::string& function, const std::string& destination,
                                  const std::string& source) {
  return "{ .param .b32 a; st.param.b32 [a+0], " + source + "; .param .b32 r; call.uni (r), " +
         function + ", (a); ld.param.b32 " + destination + ", [r+0]; }\n";
}

/// Returns a function that takes and returns a 32-bit word; `body` computes %result from %n.
[[nodiscard]] std::string function_text(const std::string& name, const std::string& body) {
  return ".func (.param .b32 result) " + name + "(.param .b32 n)\n{\n" +
         ".reg .pred %p<5>; .reg .b32 %r<20>, %n, %result; .reg .b64 %d<9>;\n"
         "ld.param.b32 %n, [n];\n" +
         body + "\nst.param.b32 [result+0], %result; ret;\n}\n";
}

/// Returns a kernel; `body` computes %result from the thread's index %n.
[[nodiscard]] std::string calling_kernel(const std::string& functions, const std::string& body) {
  return kernel_text(".param .u64 p",
                     ".reg .pred %p<5>; .reg .b32 %r<20>, %n, %result; .reg .b64 %d<9>;\n"
                     "mov.u32 %n, %tid.x; ld.param.u64 %d1, [p]; mad.wide.u32 %d0, %n, 4, %d1;\n" +
                         body + "\nst.global.u32 [%d0], %result; ret;",
                     functions);
}

[[nodiscard]] std::optional<Failure> run_calls(const std::string& text, std::uint32_t threads,
                                               const DeviceModel& device, words& results) {
  TestMemory memory;
  const std::uint64_t destination = memory.allocate(std::size_t{threads} * 4);
  const Launch launch{.block = {threads}};
  auto failed = run_text(text, launch, device, memory, destination);
  results = memory.read<std::uint32_t>(destination, threads);
  return failed;
}

/// Runs a kernel in several schedules, one with the check for undefined values. Expects equal
/// results and returns them.
[[nodiscard]] words results_of(const std::string& functions, const std::string& body,
                               std::uint32_t threads = 40) {
  const std::string text = calling_kernel(functions, body);
  words first;
  for (int schedule = 0; schedule < 4; ++schedule) {
    const DeviceModel device{.seed = static_cast<std::uint64_t>(schedule),
                             .quantum = schedule * 3,
                             .checks_undefined_values = schedule == 3};
    words results;
    const auto failed = run_calls(text, threads, device, results);
    EXPECT_FALSE(failed.has_value()) << text_of(failed);
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

[[nodiscard]] std::string fibonacci() {
  return function_text("fib",
                       "mov.u32 %result, %n; setp.lt.u32 %p1, %n, 2; @%p1 bra $end;\n"
                       "sub.u32 %r1, %n, 1;\n" +
                           call_of("fib", "%r2", "%r1") + "sub.u32 %r1, %n, 2;\n" +
                           call_of("fib", "%r3", "%r1") + "add.u32 %result, %r2, %r3; $end:");
}

TEST(EmulationCalls, a_function_may_call_itself) {
  const auto fib = [](std::uint32_t n) {
    std::uint32_t a = 0;
    std::uint32_t b = 1;
    for (; n > 0; --n) b += std::exchange(a, b);
    return a;
  };
  // Lanes differ in their depth of recursion.
  const words results =
      results_of(fibonacci(), "and.b32 %r1, %n, 15;\n" + call_of("fib", "%result", "%r1"));
  EXPECT_EQ(results, generate_words(40, [&](std::uint32_t k) { return fib(k % 16); }));
}

TEST(EmulationCalls, functions_may_call_each_other) {
  const std::string declared = ".func (.param .b32 result) odd(.param .b32 n);\n";
  const auto one = [](const std::string& name, const std::string& other, int at_zero) {
    return function_text(name, "mov.u32 %result, " + std::to_string(at_zero) +
                                   "; setp.eq.u32 %p1, %n, 0; @%p1 bra $end; sub.u32 %r1, %n, 1;" +
                                   call_of(other, "%result", "%r1") + "$end:");
  };
  const std::string functions = declared + one("even", "odd", 1) + one("odd", "even", 0);
  const words results =
      results_of(functions, call_of("even", "%r5", "%n") + call_of("odd", "%r6", "%n") +
                                "mad.lo.u32 %result, %r5, 10, %r6;");
  EXPECT_EQ(results, generate_words(40, [](std::uint32_t k) { return k % 2 == 0 ? 10U : 1U; }));
}

TEST(EmulationCalls, the_result_of_a_call_may_be_an_argument_of_the_next) {
  // The Ackermann function of 2 and n is 2n + 3.
  const std::string functions = R"(
    .func (.param .b32 result) ack(.param .b32 m, .param .b32 n)
    {
      .reg .pred %p<3>; .reg .b32 %m, %n, %t, %result;
      ld.param.b32 %m, [m]; ld.param.b32 %n, [n];
      setp.ne.u32 %p1, %m, 0; @%p1 bra $deeper; add.u32 %result, %n, 1; bra.uni $end;
      $deeper: setp.ne.u32 %p2, %n, 0; mov.u32 %t, 1; @!%p2 bra $outer; sub.u32 %t, %n, 1;
      { .param .b32 a; st.param.b32 [a], %m; .param .b32 b; st.param.b32 [b], %t;
        .param .b32 r; call.uni (r), ack, (a, b); ld.param.b32 %t, [r]; }
      $outer: sub.u32 %m, %m, 1;
      { .param .b32 a; st.param.b32 [a], %m; .param .b32 b; st.param.b32 [b], %t;
        .param .b32 r; call.uni (r), ack, (a, b); ld.param.b32 %result, [r]; }
      $end: st.param.b32 [result], %result; ret;
    })";
  const std::string body = R"(
    and.b32 %r1, %n, 7; mov.u32 %r2, 2;
    { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; st.param.b32 [b], %r1;
      .param .b32 r; call.uni (r), ack, (a, b); ld.param.b32 %result, [r]; })";
  EXPECT_EQ(results_of(functions, body),
            generate_words(40, [](std::uint32_t k) { return 2 * (k % 8) + 3; }));
}

TEST(EmulationCalls, each_call_has_its_own_variables) {
  // Writes n into its array, calls itself, then reads the array again.
  const std::string functions = function_text(
      "sum",
      ".local .align 16 .b8 mine[32]; mov.u64 %d1, mine; st.local.u32 [%d1+16], %n;\n"
      "cvta.local.u64 %d2, %d1; mov.u32 %result, 0; setp.eq.u32 %p1, %n, 0; @%p1 bra $end;"
      "sub.u32 %r1, %n, 1;\n" +
          call_of("sum", "%r2", "%r1") +
          "ld.u32 %r3, [%d2+16]; ld.local.u32 %r4, [mine+16]; add.u32 %r3, %r3, %r4;\n"
          "add.u32 %result, %r2, %r3; $end:");
  EXPECT_EQ(results_of(functions, call_of("sum", "%result", "%n")),
            generate_words(40, [](std::uint32_t k) { return k * (k + 1); }));
}

TEST(EmulationCalls, structs_are_passed_by_value) {
  const std::string functions = R"(
    .func (.param .align 8 .b8 result[16]) turn(.param .align 8 .b8 s[16], .param .b32 n)
    {
      .reg .pred %p<3>; .reg .b16 %h<9>; .reg .b32 %n, %r; .reg .f64 %f<3>;
      ld.param.b32 %n, [n]; ld.param.f64 %f1, [s+0];
      ld.param.v4.b8 {%h1, %h2, %h3, %h4}, [s+8];
      add.f64 %f1, %f1, 0d3FF0000000000000; setp.eq.u32 %p1, %n, 0; @%p1 bra $end;
      sub.u32 %n, %n, 1;
      { .param .align 8 .b8 a[16]; st.param.f64 [a+0], %f1;
        st.param.v4.b8 [a+8], {%h2, %h3, %h4, %h1}; .param .b32 b; st.param.b32 [b], %n;
        .param .align 8 .b8 r[16]; call.uni (r), turn, (a, b); ld.param.f64 %f1, [r+0];
        ld.param.v4.b8 {%h1, %h2, %h3, %h4}, [r+8]; }
      $end: st.param.f64 [result+0], %f1; st.param.v4.b8 [result+8], {%h1, %h2, %h3, %h4}; ret;
    })";
  const std::string body = R"(
    .reg .b16 %h<9>; .reg .f64 %f<3>; and.b32 %r1, %n, 3;
    mov.u16 %h1, 0x101; mov.u16 %h2, 2; mov.u16 %h3, 3; mov.u16 %h4, 4;
    { .param .align 8 .b8 a[16]; st.param.f64 [a+0], 0d0000000000000000;
      st.param.v4.b8 [a+8], {%h1, %h2, %h3, %h4}; .param .b32 b; st.param.b32 [b], %r1;
      .param .align 8 .b8 r[16]; call.uni (r), turn, (a, b); ld.param.f64 %f1, [r+0];
      ld.param.u8 %h5, [r+8]; ld.param.s8 %r5, [r+11]; }
    cvt.rzi.u32.f64 %r2, %f1; cvt.u32.u16 %r3, %h5; mad.lo.u32 %result, %r2, 10, %r3;
    mad.lo.u32 %result, %r5, 1000, %result;)";
  EXPECT_EQ(results_of(functions, body), generate_words(40, [](std::uint32_t k) {
              const std::uint32_t n = k % 4;
              return 10 * (n + 1) + (n + 1) + 1000 * (n == 0 ? 4 : n);
            }));
}

TEST(EmulationCalls, a_parameter_may_be_read_in_other_sizes_than_written) {
  const std::string functions = R"(
    .func (.param .b32 result) low(.param .align 8 .b8 s[8])
    {
      .reg .b32 %r<5>; ld.param.b32 %r1, [s+4]; ld.param.u8 %r2, [s+1];
      add.u32 %r3, %r1, %r2; st.param.b32 [result], %r3; ret;
    })";
  const std::string body = R"(
    mov.b64 %d2, {%n, %n}; or.b64 %d2, %d2, 0x500;
    { .param .align 8 .b8 a[8]; st.param.b64 [a], %d2; .param .b32 r; call (r), low, (a);
      ld.param.b32 %result, [r]; })";
  EXPECT_EQ(results_of(functions, body), generate_words(40, [](std::uint32_t k) { return k + 5; }));
}

TEST(EmulationCalls, a_function_may_take_the_address_of_a_parameter) {
  const std::string functions = R"(
    .func (.param .b32 result) pick(.param .align 4 .b8 s[16], .param .b32 n)
    {
      .reg .b32 %r<5>; .reg .b64 %d<5>; ld.param.b32 %r1, [n]; mov.b64 %d1, s;
      mad.wide.u32 %d2, %r1, 4, %d1; ld.param.u32 %r2, [%d2]; st.param.b32 [result], %r2; ret;
    })";
  const std::string body = R"(
    and.b32 %r1, %n, 3;
    { .param .align 4 .b8 a[16]; st.param.v4.b32 [a], {%n, 100, 200, 300}; .param .b32 b;
      st.param.b32 [b], %r1; .param .b32 r; call (r), pick, (a, b); ld.param.b32 %result, [r]; })";
  EXPECT_EQ(results_of(functions, body),
            generate_words(40, [](std::uint32_t k) { return k % 4 == 0 ? k : k % 4 * 100; }));
}

const std::string pointed = function_text("once", "add.u32 %result, %n, 1;") +
                            function_text("twice", "add.u32 %result, %n, %n;") +
                            function_text("square", "mul.lo.u32 %result, %n, %n;");

/// Calls the function at the address in %d5.
const std::string indirect_call = R"(
  { .param .b32 a; st.param.b32 [a], %n; .param .b32 r;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %d5, (a), proto; ld.param.b32 %result, [r]; })";

[[nodiscard]] std::uint32_t pointed_result(std::uint32_t k) {
  return k % 3 == 0 ? k + 1 : k % 3 == 1 ? 2 * k : k * k;
}

TEST(EmulationCalls, lanes_may_call_different_functions) {
  const std::string table = pointed + ".global .align 8 .u64 table[3] = {once, twice, square};\n";
  TestMemory memory;
  const auto loaded = load_text(
      calling_kernel(table,
                     "rem.u32 %r1, %n, 3; mov.u64 %d2, table; mad.wide.u32 %d2, %r1, 8, %d2;"
                     "ld.global.u64 %d5, [%d2];" +
                         indirect_call));
  std::vector<std::uint64_t> initial(3);
  std::memcpy(initial.data(), loaded->find_variable("table")->initial.data(), 24);
  const std::vector<std::uint64_t> variable_addresses = {memory.allocate(initial)};
  const std::uint64_t destination = memory.allocate(400);
  const auto bytes = parameter_bytes(destination);
  const Launch launch{.block = {100}, .parameters = bytes, .variables = variable_addresses};
  const auto failed = run(*loaded->find("k"), launch, {.quantum = 5}, memory);
  EXPECT_FALSE(failed.has_value()) << text_of(failed);
  EXPECT_EQ(memory.read<std::uint32_t>(destination, 100), generate_words(100, pointed_result));
}

TEST(EmulationCalls, a_move_may_take_a_functions_address) {
  const std::string body =
      "rem.u32 %r1, %n, 3; setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2;\n"
      "mov.u64 %d5, once; @%p1 mov.u64 %d5, twice; @%p2 mov.u64 %d5, square;" +
      indirect_call;
  EXPECT_EQ(results_of(pointed, body), generate_words(40, pointed_result));
}

TEST(EmulationCalls, a_call_to_an_invalid_address_fails) {
  words results;
  const std::string text =
      calling_kernel(pointed, "mov.u64 %d5, once; add.u64 %d5, %d5, 8;" + indirect_call);
  expect_failure(run_calls(text, 32, {}, results), code::illegal_address,
                 {"not a function of the module"});
}

TEST(EmulationCalls, a_call_with_mismatched_parameters_fails) {
  words results;
  const std::string call = R"(mov.u64 %d5, once;
    { .param .b64 a; st.param.b64 [a], 7; .param .b32 r;
      proto: .callprototype (.param .b32 _) _ (.param .b64 _);
      call (r), %d5, (a), proto; ld.param.b32 %result, [r]; })";
  expect_failure(run_calls(calling_kernel(pointed, call), 32, {}, results), code::launch_failure,
                 {"call to once: results and parameters",
                  "the call has 4 <- 8 bytes, the function has 4 <- 4"});
}

[[nodiscard]] std::string counting_down() {
  return function_text("down",
                       "mov.u32 %result, 0; setp.eq.u32 %p1, %n, 0; @%p1 bra $end;"
                       "sub.u32 %r1, %n, 1;" +
                           call_of("down", "%r2", "%r1") + "add.u32 %result, %r2, 1; $end:");
}

TEST(EmulationCalls, a_thousand_calls_fit_on_the_stack) {
  words results;
  const std::string text =
      calling_kernel(counting_down(), "add.u32 %r1, %n, 1500;" + call_of("down", "%result", "%r1"));
  EXPECT_EQ(text_of(run_calls(text, 64, {}, results)), "no failure");
  EXPECT_EQ(results, generate_words(64, [](std::uint32_t k) { return 1500 + k; }));
}

TEST(EmulationCalls, a_stack_overflow_fails) {
  words results;
  const std::string text =
      calling_kernel(counting_down(), "mov.u32 %r1, -1;" + call_of("down", "%result", "%r1"));
  expect_failure(run_calls(text, 64, {}, results), code::launch_failure,
                 {"stack overflow", "down", "call"});
  expect_failure(run_calls(text, 64, {.stack_bytes = 1024}, results), code::launch_failure,
                 {"stack overflow", "1024"});
}

TEST(EmulationCalls, lanes_reconverge_after_a_call) {
  // Only odd lanes call; the others wait where the paths join.
  const std::string body =
      "and.b32 %r1, %n, 1; setp.eq.u32 %p1, %r1, 1; mov.u32 %r2, 5;\n"
      "@!%p1 bra $even;\n" +
      call_of("down", "%r2", "%n") + "$even: activemask.b32 %r3; add.u32 %result, %r2, %r3;";
  words results;
  EXPECT_EQ(text_of(run_calls(calling_kernel(counting_down(), body), 32, {}, results)),
            "no failure");
  EXPECT_EQ(results, generate_words(32, [](std::uint32_t k) { return (k % 2 == 1 ? k : 5U) - 1; }));
}

TEST(EmulationCalls, a_branch_table_selects_the_target_by_index) {
  const std::string body = R"(
    and.b32 %r1, %n, 3; mov.u32 %result, 7;
    ts: .branchtargets $zero, $one, $two, $one;
    brx.idx %r1, ts;
    $zero: add.u32 %result, %result, 10; bra.uni $done;
    $one: add.u32 %result, %result, 100; bra.uni $done;
    $two: add.u32 %result, %result, 1000;
    $done: )";
  EXPECT_EQ(results_of("", body), generate_words(40, [](std::uint32_t k) {
              constexpr std::array<std::uint32_t, 4> added{10, 100, 1000, 100};
              return 7 + added[k % 4];
            }));
  words results;
  const std::string past = "mov.u32 %result, 0; ts: .branchtargets $a, $a; brx.idx %n, ts; $a:";
  expect_failure(run_calls(calling_kernel("", past), 3, {}, results), code::launch_failure,
                 {"index 2 is out of range of a table of 2 branches"});
}

TEST(EmulationCalls, a_function_may_have_an_alias) {
  const std::string functions =
      function_text("once", "add.u32 %result, %n, 1;") +
      ".visible .func (.param .b32 result) also(.param .b32 n);\n.alias also, once;\n";
  EXPECT_EQ(results_of(functions, call_of("also", "%result", "%n")),
            generate_words(40, [](std::uint32_t k) { return k + 1; }));
}

TEST(EmulationCalls, an_indirect_call_may_list_its_targets) {
  const std::string body = R"(
    and.b32 %r1, %n, 1; setp.eq.u32 %p1, %r1, 1; mov.u64 %d5, once; @%p1 mov.u64 %d5, twice;
    { .param .b32 a; st.param.b32 [a], %n; .param .b32 r; these: .calltargets once, twice;
      call (r), %d5, (a), these; ld.param.b32 %result, [r]; })";
  EXPECT_EQ(results_of(pointed, body),
            generate_words(40, [](std::uint32_t k) { return k % 2 == 0 ? k + 1 : 2 * k; }));
}

TEST(EmulationCalls, unresolved_names_are_rejected) {
  words results;
  const std::string call = ".extern .func (.param .b32 r) elsewhere(.param .b32 a);\n";
  const std::string text = calling_kernel(call, call_of("elsewhere", "%result", "%n"));
  expect_failure(run_calls(text, 32, {}, results), code::invalid_ptx,
                 {"unresolved function elsewhere"});
  const std::string variable = ".extern .global .align 4 .u32 elsewhere;\n";
  const std::string load = "mov.u64 %d2, elsewhere; ld.global.u32 %result, [%d2];";
  expect_failure(run_calls(calling_kernel(variable, load), 32, {}, results), code::invalid_ptx,
                 {"unresolved variable elsewhere"});
}

TEST(EmulationCalls, initial_values_may_be_addresses) {
  const auto loaded =
      load_text(kernel_text("", "ret;",
                            ".extern .global .align 4 .u32 word;\n"
                            ".global .align 8 .u64 pointers[3] = {generic(word)+4, 5, word};\n"
                            ".global .align 4 .u32 word = 77;"));
  const Variable* const word = loaded->find_variable("word");
  EXPECT_FALSE(word->is_extern);
  EXPECT_EQ(word->initial[0], std::byte{77});
  const Variable* const pointers = loaded->find_variable("pointers");
  ASSERT_EQ(pointers->addresses.size(), 2U);
  EXPECT_EQ(pointers->initial[0], std::byte{4});
  EXPECT_EQ(pointers->initial[8], std::byte{5});
  EXPECT_EQ(pointers->addresses[1].offset, 16U);
  EXPECT_EQ(&loaded->variables()[pointers->addresses[1].variable], word);
}

}  // namespace
}  // namespace skerry::emulation
