// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Tests the stand-in for cuFFT: its results, and that each check of an argument accepts a valid
// value and rejects a similar invalid one.

#include <array>
#include <cmath>
#include <numbers>

#include "core/complex.hpp"
#include "device/emulator/libraries/cufft.hpp"
#include "tests/emulator/libraries/stand_ins.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

class CufftTest : public StandInsTest {
 protected:
  void SetUp() override {
    StandInsTest::SetUp();
    ASSERT_EQ(cufft::create(&plan), cufft::success);
  }
  void TearDown() override {
    EXPECT_EQ(cufft::destroy(plan), cufft::success);
    EXPECT_EQ(cufft::destroy(plan), cufft::invalid_plan);
    StandInsTest::TearDown();
  }
  int make(int type, long long length, long long batch = 1) {
    EXPECT_EQ(cufft::set_auto_allocation(plan, 0), cufft::success);
    const int status = cufft::make_plan(plan, 1, &length, &length, 1, length, &length, 1, length,
                                        type, batch, &work_nbytes);
    if (status == cufft::success) {
      workspace = on_device<char>(work_nbytes);
      EXPECT_EQ(cufft::set_work_area(plan, workspace), cufft::success);
    }
    return status;
  }
  int plan = 0;
  std::size_t work_nbytes = 0;
  char* workspace = nullptr;
};

TEST_F(CufftTest, forward_and_inverse_transforms_are_unscaled) {
  constexpr std::size_t n = 6;
  std::array<complex128, n> values{};
  for (std::size_t i = 0; i < n; ++i) values[i] = complex128(static_cast<double>(i), 1);
  complex128* const x = on_device<complex128>(n, values.data());
  complex128* const y = on_device<complex128>(n);
  const int status = make(cufft::complex_to_complex + cufft::double_precision, n);
  if (status == cufft::not_implemented) GTEST_SKIP() << "this build has no complex128";
  ASSERT_EQ(status, cufft::success);
  ASSERT_EQ(cufft::run_z2z(plan, x, y, -1), cufft::success);
  complex128 expected(0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / n;
    expected = expected + values[i] * complex128(std::cos(angle), std::sin(angle));
  }
  const complex128 coefficient = from_device(y, n)[1];
  EXPECT_NEAR(coefficient.re, expected.re, 1e-13);
  EXPECT_NEAR(coefficient.im, expected.im, 1e-13);
  ASSERT_EQ(cufft::run_z2z(plan, y, x, 1), cufft::success);
  EXPECT_NEAR(from_device(x, n)[2].re, 2 * static_cast<double>(n), 1e-13);
  EXPECT_EQ(cufft::run_z2z(plan, y, x, 0), cufft::invalid_value);
  EXPECT_EQ(cufft::run_c2c(plan, y, x, 1), cufft::invalid_type);
  EXPECT_EQ(cufft::run_z2z(plan + 1, y, x, 1), cufft::invalid_plan);
}

TEST_F(CufftTest, real_transforms_need_complex_alignment_and_overwrite_their_input) {
  const std::array<float, 9> values{1, 2, 3, 4, 5, 6, 7, 8, 9};
  float* const x = on_device<float>(9, values.data());
  complex64* const y = on_device<complex64>(5);
  ASSERT_EQ(make(cufft::real_to_complex, 8), cufft::success);
  EXPECT_EQ(cufft::run_r2c(plan, x + 1, y), cufft::invalid_value);
  ASSERT_EQ(cufft::run_r2c(plan, x, y), cufft::success);
  EXPECT_EQ(from_device(y, 1)[0].re, 36);
  EXPECT_EQ(cufft::destroy(plan), cufft::success);
  ASSERT_EQ(cufft::create(&plan), cufft::success);
  ASSERT_EQ(make(cufft::complex_to_real, 8), cufft::success);
  ASSERT_EQ(cufft::run_c2r(plan, y, x), cufft::success);
  EXPECT_NEAR(from_device(x, 8)[7], 64, 1e-4);
  EXPECT_NE(from_device(y, 1)[0].re, 36) << "overwritten, as by cuFFT";
}

TEST_F(CufftTest, plans_without_a_work_area_or_with_bad_layouts_are_rejected) {
  complex64* const x = on_device<complex64>(8);
  EXPECT_EQ(make(cufft::complex_to_complex, 0), cufft::invalid_size);
  EXPECT_EQ(make(0x20, 8), cufft::invalid_type);
  EXPECT_EQ(make(cufft::complex_to_complex, 8, 0), cufft::invalid_size);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::invalid_plan) << "not initialized yet";
  ASSERT_EQ(make(cufft::complex_to_complex, 8), cufft::success);
  EXPECT_EQ(cufft::set_auto_allocation(plan, 0), cufft::invalid_plan) << "too late";
  EXPECT_EQ(cufft::set_work_area(plan, nullptr), cufft::success);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::no_workspace);
  EXPECT_EQ(cufft::set_work_area(plan, workspace), cufft::success);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::success) << "in place";
  EXPECT_EQ(cufft::run_c2c(plan, x, nullptr, 1), cufft::invalid_value);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(cufft::run_c2c(plan, x + 1, x + 1, 1), cufft::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "one element past the end";
}

}  // namespace
}  // namespace skerry::emulation
