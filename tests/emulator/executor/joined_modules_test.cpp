// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/joined_modules.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string joined(const std::vector<std::string>& texts) {
  std::vector<ptx::LinkPart> parts;
  const std::string names = "abcd";
  for (std::size_t k = 0; k < texts.size(); ++k) {
    parts.push_back({std::string_view(names).substr(k, 1), texts[k]});
  }
  return ptx::join_modules(parts);
}

std::size_t count_of(const std::string& text, const std::string& pattern) {
  std::size_t count = 0;
  for (std::size_t position = text.find(pattern); position != std::string::npos;
       position = text.find(pattern, position + 1)) {
    ++count;
  }
  return count;
}

/// Returns a function without arguments that reads a 32-bit variable.
std::string function_of(const std::string& linkage, const std::string& name,
                        const std::string& variable) {
  return linkage + " .func (.param .b32 result) " + name +
         "()\n{\n.reg .b32 %r;\nld.global.u32 %r, [" + variable +
         "];\nst.param.b32 [result], %r;\nret;\n}\n";
}

/// Returns a kernel k that stores the results of functions.
std::string caller_of(const std::vector<std::string>& functions) {
  std::string declared;
  std::string body = ".reg .b64 %p; .reg .b32 %v;\nld.param.u64 %p, [p];\n";
  std::size_t offset = 0;
  for (const std::string& name : functions) {
    declared += ".extern .func (.param .b32 result) " + name + "();\n";
    body += "{ .param .b32 got; call.uni (got), " + name +
            ", (); ld.param.b32 %v, [got]; }\nst.global.u32 [%p+" + std::to_string(offset) +
            "], %v;\n";
    offset += 4;
  }
  return kernel_text(".param .u64 p", body + "ret;", declared);
}

std::vector<std::uint32_t> results_of(const std::string& text, std::size_t count) {
  TestMemory memory;
  const std::uint64_t out = memory.allocate(std::vector<std::uint32_t>(count));
  EXPECT_RUNS(text, {.block = {1, 1, 1}}, {}, memory, out);
  return memory.read<std::uint32_t>(out, count);
}

TEST(joined_modules, one_module_is_unchanged) {
  const std::string text = head + ".visible .entry k()\n{\nret;\n}\n";
  EXPECT_EQ(joined({text}), text);
}

TEST(joined_modules, extern_names_resolve_to_other_modules) {
  const std::string text = joined(
      {caller_of({"f"}), head + ".extern .global .u32 v;\n" + function_of(".visible", "f", "v"),
       head + ".visible .global .u32 v = 7;\n"});
  EXPECT_EQ(count_of(text, ".version"), 1);
  EXPECT_EQ(count_of(text, ".extern"), 0);
  EXPECT_EQ(count_of(text, ".global .u32 v"), 1);
  // A variable precedes its uses.
  EXPECT_LT(text.find(".global .u32 v"), text.find("ld.global"));
}

TEST(joined_modules, names_without_linkage_are_private) {
  const auto with_own = [](const std::string& function, int value) {
    return head + ".global .u32 own = " + std::to_string(value) + ";\n" +
           function_of(".visible", function, "own");
  };
  const std::string text = joined({with_own("f", 1), with_own("g", 2)});
  EXPECT_EQ(count_of(text, ".global .u32 own = 1"), 1);
  EXPECT_EQ(count_of(text, ".global .u32 own$1 = 2"), 1);
  EXPECT_EQ(count_of(text, "[own]"), 1);
  EXPECT_EQ(count_of(text, "[own$1]"), 1);
}

TEST(joined_modules, a_strong_definition_replaces_a_weak_one) {
  const std::string weak = head + ".weak .global .u32 v = 1;\n";
  const std::string strong = head + ".visible .global .u32 v = 2;\n";
  for (const auto& order : {std::vector{weak, strong}, {strong, weak}, {weak, strong, weak}}) {
    const std::string text = joined(order);
    EXPECT_EQ(count_of(text, "v = 1"), 0);
    EXPECT_EQ(count_of(text, ".visible .global .u32 v = 2"), 1);
  }
  EXPECT_EQ(count_of(joined({weak, weak}), "v = 1"), 1);
}

TEST(joined_modules, duplicate_definitions_are_rejected_with_both_modules) {
  const std::string strong = head + ".visible .global .u32 v = 2;\n";
  try {
    (void)joined({strong, strong});
    FAIL();
  } catch (const ImageError& error) {
    EXPECT_STREQ(error.what(), "linker: multiple definition of 'v' in 'b': first defined in 'a'");
  }
}

TEST(joined_modules, undefined_names_remain_declared_once) {
  const std::string declared = head + ".extern .func (.param .b32 result) vprintf();\n";
  const std::string text = joined({declared, declared + ".visible .global .u32 v;\n"});
  EXPECT_EQ(count_of(text, ".extern .func (.param .b32 result) vprintf"), 1);
}

TEST(joined_modules, line_directives_keep_their_files) {
  const auto with_line = [](const std::string& file, const std::string& name) {
    return head + ".file 1 \"" + file + "\"\n.visible .entry " + name +
           "()\n{\n.loc 1 5 0\n.loc 1 6 0, function_name $L__info_string0, inlined_at 1 7 "
           "0\nret;\n}\n"
           ".section .debug_str\n{\n$L__info_string0:\n.b8 0\n}\n";
  };
  const std::string text = joined({with_line("a.py", "k"), with_line("b.py", "l")});
  EXPECT_EQ(count_of(text, ".file 2 \"b.py\""), 1);
  EXPECT_EQ(count_of(text, ".loc 2 5 0"), 1);
  EXPECT_EQ(count_of(text, "function_name $L__info_string0$1, inlined_at 2 7 0"), 1);
  EXPECT_EQ(count_of(text, ".loc 1 5 0"), 1);
}

TEST(joined_modules, the_newest_version_and_target_are_used) {
  const std::string text = joined({head + ".visible .global .u32 v;\n",
                                   ".version 8.10\n.target sm_90a, debug\n.address_size 64\n"});
  EXPECT_EQ(text.find(".version 8.10\n.target sm_90a, debug\n"), 0);
}

TEST(joined_modules, a_joined_kernel_runs) {
  // Each function calls a private function of its module, both with the same name.
  const auto with_own = [](const std::string& function, int value) {
    return head + ".func (.param .b32 result) own()\n{\nst.param.b32 [result], " +
           std::to_string(value) + ";\nret;\n}\n.visible .func (.param .b32 result) " + function +
           "()\n{\n.reg .b32 %r;\n{ .param .b32 got; call.uni (got), own, ();"
           " ld.param.b32 %r, [got]; }\nst.param.b32 [result], %r;\nret;\n}\n";
  };
  const std::string text = joined({caller_of({"f", "g"}), with_own("f", 3), with_own("g", 4)});
  EXPECT_EQ(results_of(text, 2), (std::vector<std::uint32_t>{3, 4}));
}

int registers_of(const std::string& text) {
  const auto code = Module::load(std::as_bytes(std::span(text)), 80);
  return code->find("k")->attributes().registers;
}

TEST(joined_modules, a_register_limit_applies_to_kernels_without_one) {
  // Values that are all live until the end.
  std::string loads;
  std::string stores;
  for (int k = 0; k < 64; ++k) {
    const std::string operand = "%v" + std::to_string(k) + ", ";
    loads += "ld.global.u64 " + operand + "[%p+" + std::to_string(8 * k) + "];\n";
    stores += "st.global.u64 [%p+" + std::to_string(8 * k) + "], %v" + std::to_string(k) + ";\n";
  }
  const std::string text = kernel_text(
      ".param .u64 p", ".reg .b64 %p; .reg .b64 %v<64>;\nld.param.u64 %p, [p];\n" + loads + stores);
  EXPECT_GT(registers_of(text), 128);
  const std::string limited = ptx::with_register_limit(text, 40);
  EXPECT_EQ(registers_of(limited), 40);
  EXPECT_EQ(registers_of(ptx::with_register_limit(limited, 24)), 40);
  EXPECT_EQ(count_of(ptx::with_register_limit(text + text, 40), ".maxnreg 40 {"), 2);
}

}  // namespace
}  // namespace skerry::emulation
