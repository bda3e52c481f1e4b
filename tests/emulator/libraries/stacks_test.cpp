// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Tests the stand-ins for the batched functions of cuBLAS and cuSOLVER: QR, eigenvalues, singular
// values.

#include <array>
#include <cmath>
#include <cstdlib>

#include "device/emulator/libraries/cublas.hpp"
#include "device/emulator/libraries/cusolver.hpp"
#include "tests/emulator/libraries/stand_ins.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

class StacksTest : public StandInsTest {
 protected:
  void SetUp() override {
    if (std::getenv("SKERRY_OPENBLAS") == nullptr) {
      GTEST_SKIP() << "SKERRY_OPENBLAS names no library";
    }
    StandInsTest::SetUp();
    ASSERT_EQ(cublas::create(&cublas_handle), cublas::success);
    ASSERT_EQ(cusolver::create(&handle), cusolver::success);
    ASSERT_EQ(cusolver::create_settings(&settings), cusolver::success);
    info = on_device<int>(2);
  }
  void TearDown() override {
    if (handle == nullptr) return;
    EXPECT_EQ(cusolver::destroy_settings(settings), cusolver::success);
    EXPECT_EQ(cusolver::destroy(handle), cusolver::success);
    EXPECT_EQ(cublas::destroy(cublas_handle), cublas::success);
    StandInsTest::TearDown();
  }
  cublas::Handle* cublas_handle = nullptr;
  cusolver::Handle* handle = nullptr;
  cusolver::RoutineSettings* settings = nullptr;
  int* info = nullptr;
};

TEST_F(StacksTest, qr_factors_each_matrix) {
  // Column-major, 2 x 1.
  const std::array<double, 4> matrices{3, 4, 0, 5};
  double* const stack = on_device<double>(4, matrices.data());
  double* const tau = on_device<double>(2);
  const std::array<double*, 2> matrix_pointers{stack, stack + 2};
  const std::array<double*, 2> tau_places{tau, tau + 1};
  double** const list = on_device<double*>(2, matrix_pointers.data());
  double** const tau_list = on_device<double*>(2, tau_places.data());
  int wrong = 7;
  const auto factor = [&](int m, int n, int lda, int* error, int count) {
    return cublas::geqrf_batched(cublas_handle, m, n, list, lda, tau_list, error, count);
  };
  EXPECT_EQ(factor(2, 1, 1, &wrong, 2), cublas::invalid_value);
  EXPECT_EQ(wrong, -1);
  EXPECT_EQ(factor(-1, 1, 2, &wrong, 2), cublas::invalid_value);
  EXPECT_EQ(factor(2, -1, 2, &wrong, 2), cublas::invalid_value);
  EXPECT_EQ(factor(2, 1, 2, &wrong, -1), cublas::invalid_value);
  EXPECT_EQ(factor(2, 1, 2, nullptr, 2), cublas::invalid_value) << "info is a host pointer";
  ASSERT_EQ(factor(2, 1, 2, &wrong, 2), cublas::success);
  EXPECT_EQ(wrong, 0);
  const std::vector<double> r = from_device(stack, 4);
  EXPECT_NEAR(std::abs(r[0]), 5, 1e-14);
  EXPECT_NEAR(std::abs(r[2]), 5, 1e-14);
  const std::array<double*, 2> too_late{tau, tau + 2};
  ASSERT_EQ(copy(tau_list, too_late.data(), sizeof too_late, 1), cuda::success);
  ASSERT_EQ(factor(2, 1, 2, &wrong, 2), cublas::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "tau extends past its allocation";
}

TEST_F(StacksTest, gesvdj_batched_returns_full_u_and_limits_the_size) {
  const std::array<float, 4> matrices{3, 4, 0, 2};  // 2 x 1 each
  float* const a = on_device<float>(4, matrices.data());
  float* const s = on_device<float>(2);
  float* const u = on_device<float>(8);
  float* const v = on_device<float>(2);
  int length = 0;
  const auto size = [&](int m, int n, int count) {
    return cusolver::gesvdj_batched_size(handle, 1, m, n, a, m, s, u, m, v, n, &length, settings,
                                         count);
  };
  EXPECT_EQ(size(33, 1, 1), cusolver::invalid_value) << "at most 32";
  EXPECT_EQ(size(2, 1, -1), cusolver::invalid_value);
  ASSERT_EQ(size(2, 1, 2), cusolver::success);
  float* const workspace = on_device<float>(static_cast<std::size_t>(length));
  struct Arguments {
    int jobz = 1, lda = 2, ldu = 2, ldv = 1, shortage = 0;
    float* u = nullptr;
  };
  const auto call_routine = [&](const Arguments& arguments) {
    return cusolver::gesvdj_batched(handle, arguments.jobz, 2, 1, a, arguments.lda, s, arguments.u,
                                    arguments.ldu, v, arguments.ldv, workspace,
                                    length - arguments.shortage, info, settings, 2);
  };
  EXPECT_EQ(call_routine({.jobz = 2, .u = u}), cusolver::invalid_value);
  EXPECT_EQ(call_routine({.lda = 1, .u = u}), cusolver::invalid_value);
  EXPECT_EQ(call_routine({.ldu = 1, .u = u}), cusolver::invalid_value);
  EXPECT_EQ(call_routine({.ldv = 0, .u = u}), cusolver::invalid_value);
  EXPECT_EQ(call_routine({.shortage = 1, .u = u}), cusolver::invalid_value) << "the workspace";
  EXPECT_EQ(call_routine({.jobz = 0}), cusolver::invalid_value)
      << "U must not be null, even with jobz = 0";
  ASSERT_EQ(call_routine({.u = u}), cusolver::success);
  EXPECT_EQ(from_device(info, 2), (std::vector<int>{0, 0}));
  EXPECT_NEAR(from_device(s, 2)[0], 5, 1e-6);
  EXPECT_NEAR(from_device(s, 2)[1], 2, 1e-6);
  const std::vector<float> vectors = from_device(u, 8);
  EXPECT_NEAR(std::abs(vectors[0]), 0.6, 1e-6);
  EXPECT_NEAR(std::abs(vectors[2]), 0.8, 1e-6) << "the second column of a 2 x 2";
  EXPECT_NEAR(std::abs(vectors[5]), 1, 1e-6) << "the second matrix";
}

TEST_F(StacksTest, eigenvalues_need_matching_types) {
  const std::array<double, 8> matrices{2, 1, 9, 2, 5, 0, 9, 3};  // the lower triangles count
  double* const a = on_device<double>(8, matrices.data());
  double* const w = on_device<double>(4);
  std::size_t device_nbytes = 0;
  std::size_t host_nbytes = 0;
  struct Arguments {
    std::int64_t n = 2, lda = 2, count = 2;
    int jobz = 1, uplo = 0, type_a = 1, type_w = 1, compute = 1;
    std::size_t shortage = 0;
  };
  const auto size = [&](const Arguments& arguments) {
    return cusolver::syev_batched_size(handle, settings, arguments.jobz, arguments.uplo,
                                       arguments.n, arguments.type_a, a, arguments.lda,
                                       arguments.type_w, w, arguments.compute, &device_nbytes,
                                       &host_nbytes, arguments.count);
  };
  EXPECT_EQ(size({.count = 0}), cusolver::invalid_value);
  EXPECT_EQ(size({.count = std::int64_t{1} << 29}), cusolver::invalid_value) << "2^31 elements";
  EXPECT_EQ(size({.lda = 1}), cusolver::invalid_value);
  EXPECT_EQ(size({.uplo = 2}), cusolver::invalid_value);
  EXPECT_EQ(size({.jobz = 2}), cusolver::invalid_value);
  EXPECT_EQ(size({.type_w = 0}), cusolver::not_supported);
  EXPECT_EQ(size({.type_a = 5, .type_w = 5, .compute = 5}), cusolver::not_supported);
  EXPECT_EQ(size({.compute = 5}), cusolver::not_supported);
  ASSERT_EQ(size({}), cusolver::success);
  char* const workspace = on_device<char>(device_nbytes);
  std::vector<char> host_work(host_nbytes);
  const auto call_routine = [&](std::size_t device_shortage, std::size_t host_shortage,
                                void* values) {
    return cusolver::syev_batched(handle, settings, 1, 0, 2, 1, a, 2, 1, values, 1, workspace,
                                  device_nbytes - device_shortage, host_work.data(),
                                  host_nbytes - host_shortage, info, 2);
  };
  EXPECT_EQ(call_routine(1, 0, w), cusolver::invalid_value);
  EXPECT_EQ(call_routine(0, 1, w), cusolver::invalid_value);
  EXPECT_EQ(call_routine(0, 0, nullptr), cusolver::invalid_value);
  ASSERT_EQ(call_routine(0, 0, w), cusolver::success);
  ASSERT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(from_device(info, 2), (std::vector<int>{0, 0}));
  const std::vector<double> values = from_device(w, 4);
  EXPECT_NEAR(values[0], 1, 1e-14);
  EXPECT_NEAR(values[1], 3, 1e-14);
  EXPECT_NEAR(values[2], 3, 1e-14);
  EXPECT_NEAR(values[3], 5, 1e-14);
}

}  // namespace
}  // namespace skerry::emulation
