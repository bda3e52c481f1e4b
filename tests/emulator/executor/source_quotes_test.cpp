// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Reports quote the source line: of a file, or of a program that the PTX carries.

#include <unistd.h>

#include <fstream>

#include "device/emulator/execute/failure_text.hpp"
#include "device/emulator/ptx/embedded_source.hpp"
#include "device/emulator/ptx/joined_modules.hpp"
#include "tests/emulator/executor/emulated.hpp"

namespace skerry::emulation {
namespace {

/// Returns the failure of a kernel that reads past the end of its memory at line 3 of a file.
Failure failure_in(const std::string& file, const std::string& appended = "") {
  TestMemory memory;
  const std::uint64_t address = memory.allocate(4);
  const std::string body =
      ".reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.u64 %d0, [p];\n"
      ".loc 1 3 1\nld.global.u32 %r0, [%d0+4]; ret;";
  const auto failure =
      run_text(kernel_text(".param .u64 p", body) + ".file 1 \"" + file + "\"\n" + appended, {}, {},
               memory, address);
  EXPECT_TRUE(failure.has_value());
  return failure.value_or(Failure{});
}

TEST(SourceQuotes, a_line_of_a_file_is_quoted_without_blanks_at_its_ends) {
  const std::string file = testing::TempDir() + "quoted_" + std::to_string(getpid()) + ".py";
  std::ofstream(file) << "first\nsecond\n \tx[i] = y[i + 1] \r\n";
  const Failure failure = failure_in(file);
  EXPECT_EQ(failure.source_line.quote, "x[i] = y[i + 1]");
  EXPECT_NE(failure.text.find(file + ":3: x[i] = y[i + 1]\n"), std::string::npos) << failure.text;
  std::ofstream(file) << "one line";
  EXPECT_EQ(failure_in(file).source_line.quote, "");
  std::ofstream(file) << "\n\n" << std::string(500, 'x');
  EXPECT_EQ(failure_in(file).source_line.quote, std::string(160, 'x') + "...");
  unlink(file.c_str());
}

TEST(SourceQuotes, a_missing_file_is_named_without_a_quote) {
  const Failure failure = failure_in("/nowhere/at/all.cu");
  EXPECT_EQ(failure.source_line.quote, "");
  EXPECT_NE(failure.text.find("// /nowhere/at/all.cu:3\n"), std::string::npos) << failure.text;
}

TEST(SourceQuotes, a_program_in_the_ptx_is_quoted_if_it_is_the_file) {
  const std::string program = "a\nb\n  x[i] = 1; // \"c\"\nd";
  for (const std::string name : {"k.cu", "/here/k.cu", "here/k.cu"}) {
    const std::string appended = ptx::embedded_source(name, program);
    EXPECT_EQ(failure_in("/here/k.cu", appended).source_line.quote, "x[i] = 1; // \"c\"") << name;
  }
  for (const std::string name : {"other.cu", "k", "ere/k.cu", "u"}) {
    EXPECT_EQ(failure_in("/here/k.cu", ptx::embedded_source(name, program)).source_line.quote, "")
        << name;
  }
}

TEST(SourceQuotes, of_several_programs_the_right_one_is_quoted) {
  const std::string appended =
      ptx::embedded_source("a.cu", "1\n2\n3\n") + ptx::embedded_source("b.cu", "\n\nthird\n");
  EXPECT_EQ(failure_in("/here/a.cu", appended).source_line.quote, "3");
  EXPECT_EQ(failure_in("/here/b.cu", appended).source_line.quote, "third");
  EXPECT_EQ(ptx::embedded_line(appended, "/here/a.cu", 4), std::nullopt);
  EXPECT_EQ(ptx::embedded_line(appended, "/here/b.cu", 1), "");
}

TEST(SourceQuotes, linked_modules_keep_their_programs) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const std::string a = head + ".visible .global .u32 a;\n" + ptx::embedded_source("a.cu", "of a");
  const std::string b = head + ".visible .global .u32 b;\n" + ptx::embedded_source("b.cu", "of b");
  const std::string text = ptx::join_modules(std::vector<ptx::LinkPart>{{"a", a}, {"b", b}});
  EXPECT_EQ(ptx::embedded_line(text, "/a.cu", 1), "of a");
  EXPECT_EQ(ptx::embedded_line(text, "/b.cu", 1), "of b");
}

TEST(SourceQuotes, text_without_programs_has_none) {
  EXPECT_EQ(ptx::embedded_sources("ret; //skerry-source k.cu\n"), "");
  EXPECT_EQ(ptx::embedded_sources(""), "");
  EXPECT_EQ(ptx::embedded_line("", "/k.cu", 1), std::nullopt);
}

}  // namespace
}  // namespace skerry::emulation
