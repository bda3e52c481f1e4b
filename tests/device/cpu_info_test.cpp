// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/info.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>
#include <string>

namespace skerry::cpu {
namespace {

TEST(cpu_info, the_machine_has_a_name_and_memory) {
  EXPECT_FALSE(processor_name().empty());
  EXPECT_GT(total_memory(), std::size_t{64} << 20);
  EXPECT_GT(free_memory(), 0u);
  EXPECT_LE(free_memory(), total_memory());
}

TEST(cpu_info, processors_are_named_by_model_or_by_part) {
  const auto name = [](const std::string& cpuinfo) {
    std::istringstream text(cpuinfo);
    return read_processor_name(text);
  };
  EXPECT_EQ(name("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9554\n"), "AMD EPYC 9554");
  const auto part = [](const std::string& implementer, const std::string& number) {
    return "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: " +
           implementer + "\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: " + number +
           "\nCPU revision\t: 1\n\n";
  };
  EXPECT_EQ(name(part("0x41", "0xd0c") + part("0x41", "0xd0c")), "Neoverse-N1");
  EXPECT_EQ(name(part("0x41", "0xd46") + part("0x41", "0xd48")), "Cortex-A510 + Cortex-X2");
  EXPECT_EQ(name("model name\t: ARMv8 Processor rev 1 (v8l)\n" + part("0x41", "0xd42")),
            "Cortex-A78AE");
  EXPECT_EQ(name(part("0x41", "0x001")), "aarch64 processor (implementer 0x41, part 0x001)");
  EXPECT_EQ(name("processor\t: 0\n"), "unknown processor");
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
TEST(cpu_info, best_isa_agrees_with_the_compilers_own_detection) {
  if (getenv("SKERRY_ISA") != nullptr) GTEST_SKIP() << "SKERRY_ISA lowers it";
  __builtin_cpu_init();
  Isa expected = Isa::x86_64_v2;
  if (__builtin_cpu_supports("x86-64-v3")) expected = Isa::x86_64_v3;
  if (__builtin_cpu_supports("x86-64-v4")) expected = Isa::x86_64_v4;
  EXPECT_EQ(best_isa(), expected);
}

TEST(cpu_info_death, the_environment_lowers_best_isa_and_never_raises_it) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // best_isa reads the environment once
  const Isa best = best_isa();
  setenv("SKERRY_ISA", "v2", 1);
  EXPECT_EXIT(_exit(best_isa() == Isa::x86_64_v2 ? 0 : 1), testing::ExitedWithCode(0), "");
  setenv("SKERRY_ISA", "v4", 1);
  EXPECT_EXIT(_exit(best_isa() <= best ? 0 : 1), testing::ExitedWithCode(0), "");
  for (const char* const other : {"v8", "generic", "v1"}) {  // levels of other processors, of none
    setenv("SKERRY_ISA", other, 1);
    EXPECT_EXIT(_exit(best_isa() == supported_isa() ? 0 : 1), testing::ExitedWithCode(0), "");
  }
  unsetenv("SKERRY_ISA");
}
#elif defined(__aarch64__)
TEST(cpu_info_death, the_environment_lowers_best_isa_and_never_raises_it) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // best_isa reads the environment once
  setenv("SKERRY_ISA", "generic", 1);
  EXPECT_EXIT(_exit(best_isa() == Isa::generic ? 0 : 1), testing::ExitedWithCode(0), "");
  for (const char* const other : {"v8", "v2", "v1"}) {
    setenv("SKERRY_ISA", other, 1);
    EXPECT_EXIT(_exit(best_isa() == supported_isa() ? 0 : 1), testing::ExitedWithCode(0), "");
  }
  unsetenv("SKERRY_ISA");
}
#endif

TEST(cpu_info, levels_have_the_names_that_SKERRY_ISA_takes) {
  EXPECT_STREQ(to_string(Isa::x86_64_v2), "x86-64-v2");
  EXPECT_STREQ(to_string(Isa::x86_64_v3), "x86-64-v3");
  EXPECT_STREQ(to_string(Isa::x86_64_v4), "x86-64-v4");
  EXPECT_STREQ(to_string(Isa::aarch64_v8), "aarch64-v8");
  EXPECT_STREQ(to_string(Isa::generic), "generic");
}

}  // namespace
}  // namespace skerry::cpu
