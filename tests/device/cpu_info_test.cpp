// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/info.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace skerry::cpu {
namespace {

TEST(cpu_info, the_machine_has_a_name_and_memory) {
  EXPECT_FALSE(processor_name().empty());
  EXPECT_GT(total_memory(), std::size_t{64} << 20);
  EXPECT_GT(free_memory(), 0u);
  EXPECT_LE(free_memory(), total_memory());
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
  unsetenv("SKERRY_ISA");
}
#endif

TEST(cpu_info, levels_have_the_names_that_compilers_use) {
  EXPECT_STREQ(to_string(Isa::x86_64_v2), "x86-64-v2");
  EXPECT_STREQ(to_string(Isa::x86_64_v3), "x86-64-v3");
  EXPECT_STREQ(to_string(Isa::x86_64_v4), "x86-64-v4");
}

}  // namespace
}  // namespace skerry::cpu
