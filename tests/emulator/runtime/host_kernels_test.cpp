// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/host_kernels.hpp"

#include <array>

#include "device/emulator/runtime/undefined_memory.hpp"
#include "tests/emulator/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;
using words = std::array<std::uint32_t, 4>;

struct Parameters {
  std::uint32_t* out;
  const std::uint32_t* in;
};

words bits_of(const std::uint32_t* data) {
  words bits{};
  std::memcpy(bits.data(), undefined_memory_bits(reinterpret_cast<std::uint64_t>(data)),
              sizeof bits);
  return bits;
}

/// Two arrays of four words. Only the second word of `in` is written.
class HostKernelsTest : public EmulatedDevices {
 protected:
  void SetUp() override {
    ASSERT_TRUE(follow_undefined_memory());
    in = device_memory(4);
    out = device_memory(4);
    in[1] = 5;
    define_memory(in + 1, sizeof *in);
  }
  void TearDown() override {
    EXPECT_EQ(deallocate(in), cuda::success);
    EXPECT_EQ(deallocate(out), cuda::success);
    unfollow_undefined_memory();
  }
  void run(void (*kernel)(const Parameters& p)) {
    static void (*running)(const Parameters& p);
    running = kernel;
    const Parameters kernel_params{out, in};
    const cuda::KernelOperand operands[] = {{out, sizeof(words), true, false},
                                            {in, sizeof(words), false, false}};
    run_host_kernel([](const void* params) { running(*static_cast<const Parameters*>(params)); },
                    &kernel_params, operands);
  }

  std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
};

constexpr std::uint32_t none = 0;
constexpr std::uint32_t all = 0xffffffff;

TEST_F(HostKernelsTest, a_host_kernel_defines_only_bytes_that_it_writes) {
  run([](const Parameters& p) { p.out[2] = 7; });
  EXPECT_EQ(bits_of(out), (words{all, all, none, all}));
  EXPECT_EQ(bits_of(in), (words{all, none, all, all}));
  EXPECT_EQ(out[2], 7U);
}

TEST_F(HostKernelsTest, results_that_depend_on_undefined_inputs_are_undefined) {
  run([](const Parameters& p) {
    p.out[0] = p.in[1] + 1;
    p.out[1] = p.in[0];
    p.out[2] = p.in[0] * 0;
    p.out[3] = p.in[2] & 0xff;
  });
  EXPECT_EQ(bits_of(out), (words{none, all, none, 0xff}));
  EXPECT_EQ(out[0], 6U);
}

TEST_F(HostKernelsTest, an_array_is_updated_in_place_only_once) {
  run([](const Parameters& p) { p.out[0] = p.out[1] = 1; });
  run([](const Parameters& p) { p.out[0] += p.in[1]; });
  EXPECT_EQ(out[0], 6U);
  EXPECT_EQ(bits_of(out), (words{none, none, all, all}));
}

TEST_F(HostKernelsTest, memory_counts_as_defined_while_the_check_is_off) {
  unfollow_undefined_memory();
  EXPECT_FALSE(follows_undefined_memory());
  run([](const Parameters& p) { p.out[2] = 7; });
  EXPECT_EQ(out[2], 7U);
  ASSERT_TRUE(follow_undefined_memory());
  EXPECT_EQ(bits_of(out), (words{none, none, none, none}));
}

}  // namespace
}  // namespace skerry::emulation
