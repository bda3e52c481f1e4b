// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Tests the stand-ins for cuBLAS and cuSOLVER: their results, and that each check of an argument
// accepts a valid value and rejects a similar invalid one.

#include <array>
#include <cstdlib>

#include "device/emulator/libraries/cublas.hpp"
#include "device/emulator/libraries/cusolver.hpp"
#include "tests/emulator/libraries/stand_ins.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

bool has_openblas() { return std::getenv("SKERRY_OPENBLAS") != nullptr; }

// ---- cuBLAS

class CublasTest : public StandInsTest {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "SKERRY_OPENBLAS names no library";
    StandInsTest::SetUp();
    ASSERT_EQ(cublas::create(&handle), cublas::success);
    const std::array<float, 6> left{1, 2, 3, 4, 5, 6};  // by columns: 1 3 5 / 2 4 6
    const std::array<float, 6> right{1, 0, 1, 0, 1, 0};
    a = on_device<float>(6, left.data());
    b = on_device<float>(6, right.data());
    c = on_device<float>(4);
  }
  void TearDown() override {
    if (handle == nullptr) return;
    EXPECT_EQ(cublas::destroy(handle), cublas::success);
    EXPECT_EQ(cublas::destroy(nullptr), cublas::not_initialized);
    StandInsTest::TearDown();
  }
  /// Arguments of C = A @ B, 2 x 3 and 3 x 2. Tests change one or two of them.
  struct Arguments {
    std::int64_t m = 2, lda = 2, ldb = 3, ldc = 2, count = 1;
    long long stride_c = 4;
    int type_b = cublas::real_32, compute = cublas::compute_32, algorithm = -1, op_a = 0;
    std::size_t offset_bytes = 0;
  };
  int multiply(const Arguments& arguments) {
    const float one = 1;
    const float zero = 0;
    const char* const moved = reinterpret_cast<const char*>(a) + arguments.offset_bytes;
    return cublas::gemm_strided_batched(handle, arguments.op_a, cublas::not_transposed, arguments.m,
                                        2, 3, &one, moved, cublas::real_32, arguments.lda, 0, b,
                                        arguments.type_b, arguments.ldb, 0, &zero, c,
                                        cublas::real_32, arguments.ldc, arguments.stride_c,
                                        arguments.count, arguments.compute, arguments.algorithm);
  }

  cublas::Handle* handle = nullptr;
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
};

TEST_F(CublasTest, gemm_multiplies_matrices) {
  ASSERT_EQ(multiply({}), cublas::success);
  EXPECT_EQ(from_device(c, 4), (std::vector<float>{6, 8, 3, 4}));
}

TEST_F(CublasTest, invalid_arguments_are_rejected) {
  EXPECT_EQ(multiply({.lda = 1}), cublas::invalid_value);
  EXPECT_EQ(multiply({.ldb = 2}), cublas::invalid_value);
  EXPECT_EQ(multiply({.ldc = 1}), cublas::invalid_value);
  EXPECT_EQ(multiply({.m = -1}), cublas::invalid_value);
  EXPECT_EQ(multiply({.op_a = 3}), cublas::invalid_value);
  EXPECT_EQ(multiply({.algorithm = 200}), cublas::invalid_value);
  EXPECT_EQ(multiply({.count = 2, .stride_c = 3}), cublas::invalid_value) << "C overlaps itself";
  EXPECT_EQ(multiply({.type_b = cublas::real_64}), cublas::not_supported);
  EXPECT_EQ(multiply({.compute = cublas::compute_64}), cublas::not_supported);
  EXPECT_EQ(multiply({.offset_bytes = 2}), cublas::invalid_value);
  EXPECT_NE(last_rejection().find("not aligned to its element size"), std::string::npos)
      << last_rejection();
  EXPECT_EQ(multiply({.m = 0}), cublas::success) << "nothing to do";
  EXPECT_EQ(multiply({}), cublas::success);
}

TEST_F(CublasTest, handles_streams_and_workspaces_belong_to_one_device) {
  char* const scratch = on_device<char>(1 << 10);
  EXPECT_EQ(cublas::set_workspace(handle, scratch + 128, 512), cublas::invalid_value);
  EXPECT_EQ(cublas::set_workspace(handle, scratch, 1 << 10), cublas::success);
  EXPECT_EQ(multiply({}), cublas::success);
  EXPECT_EQ(from_device(c, 4)[0], 6);
  EXPECT_EQ(from_device(scratch, 1)[0], '\xa5') << "the library uses its workspace";
  EXPECT_EQ(cublas::set_workspace(handle, a, 64), cublas::success);
  EXPECT_EQ(multiply({}), cublas::invalid_value) << "the workspace overlaps A";
  EXPECT_EQ(cublas::set_stream(handle, cuda::legacy_stream), cublas::success);
  EXPECT_EQ(multiply({}), cublas::success) << "set_stream resets the workspace";
  ASSERT_EQ(set_device(1), cuda::success);
  EXPECT_EQ(multiply({}), cublas::not_initialized);
  void* stream = nullptr;
  ASSERT_EQ(stream_create(&stream, 1), cuda::success);
  ASSERT_EQ(set_device(0), cuda::success);
  EXPECT_EQ(cublas::set_stream(handle, stream), cublas::success);
  EXPECT_EQ(multiply({}), cublas::not_initialized) << "a stream of the other device";
  EXPECT_EQ(stream_destroy(stream), cuda::success);
  EXPECT_EQ(cublas::set_stream(handle, nullptr), cublas::success);
}

TEST_F(CublasTest, float16_sums_are_float32_if_the_mode_requires_it) {
  const std::array<float16, 2> left{float16(60000.f), float16(-60000.f)};
  const std::array<float16, 2> right{float16(2.f), float16(2.f)};
  const float16* const x = on_device<float16>(2, left.data());
  const float16* const y = on_device<float16>(2, right.data());
  auto* const out = on_device<float16>(1);
  const auto product = [&](int compute) {
    const float one = 1;
    const float zero = 0;
    return cublas::gemm_strided_batched(handle, cublas::not_transposed, cublas::not_transposed, 1,
                                        1, 2, &one, x, cublas::real_16, 1, 0, y, cublas::real_16, 2,
                                        0, &zero, out, cublas::real_16, 1, 1, 1, compute, -1);
  };
  EXPECT_EQ(product(cublas::compute_64), cublas::not_supported);
  ASSERT_EQ(product(cublas::compute_32), cublas::success);
  const float in_parts = from_device(out, 1)[0];
  EXPECT_NE(in_parts, 0) << "each partial sum overflows";
  EXPECT_EQ(cublas::set_math_mode(handle, 99), cublas::invalid_value);
  EXPECT_EQ(cublas::set_math_mode(nullptr, 0), cublas::not_initialized);
  ASSERT_EQ(cublas::set_math_mode(handle, cublas::disallow_reduced_precision_reduction),
            cublas::success);
  ASSERT_EQ(product(cublas::compute_32), cublas::success);
  EXPECT_EQ(from_device(out, 1)[0], 0);
}

TEST_F(CublasTest, multiplies_bfloat16) {
  const std::array<bfloat16, 2> left{bfloat16(0x1p100f), bfloat16(-3.0f)};
  const std::array<bfloat16, 2> right{bfloat16(0x1p-99f), bfloat16(0.5f)};
  const bfloat16* const x = on_device<bfloat16>(2, left.data());
  const bfloat16* const y = on_device<bfloat16>(2, right.data());
  auto* const out = on_device<bfloat16>(1);
  const float one = 1;
  const float zero = 0;
  ASSERT_EQ(
      cublas::gemm_strided_batched(handle, cublas::not_transposed, cublas::not_transposed, 1, 1, 2,
                                   &one, x, cublas::brain_16, 1, 0, y, cublas::brain_16, 2, 0,
                                   &zero, out, cublas::brain_16, 1, 1, 1, cublas::compute_32, -1),
      cublas::success);
  EXPECT_EQ(from_device(out, 1)[0], 0.5f);
}

TEST_F(CublasTest, inaccessible_memory_is_a_sticky_error) {
  ASSERT_EQ(multiply({.count = 2}), cublas::success) << "C has room for one";
  EXPECT_EQ(device_synchronize(), cuda::illegal_address);
}

TEST_F(CublasTest, batches_of_matrices_are_factored_and_solved) {
  // Column-major: 2 1 / 1 3, and a singular one.
  const std::array<double, 8> matrices{2, 1, 1, 3, 1, 2, 2, 4};
  const std::array<double, 4> right{3, 5, 1, 1};
  double* const stack = on_device<double>(8, matrices.data());
  double* const sides = on_device<double>(4, right.data());
  const std::array<double*, 2> matrix_pointers{stack, stack + 4};
  const std::array<double*, 2> side_places{sides, sides + 2};
  double** const list = on_device<double*>(2, matrix_pointers.data());
  double** const side_list = on_device<double*>(2, side_places.data());
  int* const pivots = on_device<int>(4);
  int* const info = on_device<int>(2);
  int wrong = 7;
  EXPECT_EQ(cublas::getrf_batched(handle, 2, list, 1, pivots, info, 2), cublas::invalid_value);
  EXPECT_EQ(cublas::getrf_batched(handle, -1, list, 2, pivots, info, 2), cublas::invalid_value);
  EXPECT_EQ(cublas::getrf_batched(handle, 2, list, 2, pivots, info, -1), cublas::invalid_value);
  EXPECT_EQ(cublas::getrf_batched(handle, 2, list, 2, pivots, nullptr, 2), cublas::invalid_value);
  ASSERT_EQ(cublas::getrf_batched(handle, 2, list, 2, pivots, info, 2), cublas::success);
  EXPECT_EQ(from_device(info, 2), (std::vector<int>{0, 2})) << "the second pivot is 0";
  const auto solve = [&](int op, int lda, int ldb, int* error) {
    return cublas::getrs_batched(handle, op, 2, 1, list, lda, pivots, side_list, ldb, error, 1);
  };
  EXPECT_EQ(solve(3, 2, 2, &wrong), cublas::invalid_value);
  EXPECT_EQ(solve(0, 1, 2, &wrong), cublas::invalid_value);
  EXPECT_EQ(solve(0, 2, 1, &wrong), cublas::invalid_value);
  EXPECT_EQ(solve(0, 2, 2, nullptr), cublas::invalid_value) << "info is a host pointer";
  ASSERT_EQ(solve(0, 2, 2, &wrong), cublas::success);
  EXPECT_EQ(wrong, 0);
  const std::vector<double> x = from_device(sides, 2);
  EXPECT_NEAR(x[0], 0.8, 1e-15);
  EXPECT_NEAR(x[1], 1.4, 1e-15);
}

TEST_F(CublasTest, lists_of_matrices_must_be_in_device_memory) {
  const std::array<double, 4> matrix{2, 1, 1, 3};
  double* const one = on_device<double>(4, matrix.data());
  int* const pivots = on_device<int>(2);
  int* const info = on_device<int>(1);
  double* host_list[] = {one};
  ASSERT_EQ(cublas::getrf_batched(handle, 2, host_list, 2, pivots, info, 1), cublas::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "a list in host memory";
}

TEST_F(CublasTest, listed_matrices_must_be_in_device_memory) {
  const std::array<double, 4> matrix{2, 1, 1, 3};
  double* const one = on_device<double>(4, matrix.data());
  int* const pivots = on_device<int>(2);
  int* const info = on_device<int>(1);
  const std::array<double*, 1> matrix_pointers{one + 1};
  double** const list = on_device<double*>(1, matrix_pointers.data());
  ASSERT_EQ(cublas::getrf_batched(handle, 2, list, 2, pivots, info, 1), cublas::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "a matrix extends past its allocation";
}

// ---- cuSOLVER

class CusolverTest : public StandInsTest {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "SKERRY_OPENBLAS names no library";
    StandInsTest::SetUp();
    ASSERT_EQ(cusolver::create(&handle), cusolver::success);
    info = on_device<int>(1);
  }
  void TearDown() override {
    if (handle == nullptr) return;
    EXPECT_EQ(cusolver::destroy(handle), cusolver::success);
    StandInsTest::TearDown();
  }
  cusolver::Handle* handle = nullptr;
  int* info = nullptr;
};

TEST_F(CusolverTest, matrices_are_factored_and_solved) {
  const std::array<double, 4> matrix{2, 1, 1, 3};
  const std::array<double, 2> right{3, 5};
  double* const a = on_device<double>(4, matrix.data());
  double* const b = on_device<double>(2, right.data());
  int* const pivots = on_device<int>(2);
  int length = 0;
  ASSERT_EQ(cusolver::getrf_size(handle, 2, 2, a, 2, &length), cusolver::success);
  double* const workspace = on_device<double>(static_cast<std::size_t>(length));
  ASSERT_EQ(cusolver::getrf(handle, 2, 2, a, 2, workspace, pivots, info), cusolver::success);
  ASSERT_EQ(cusolver::getrs(handle, 0, 2, 1, a, 2, pivots, b, 2, info), cusolver::success);
  EXPECT_EQ(from_device(info, 1)[0], 0);
  const std::vector<double> x = from_device(b, 2);
  EXPECT_NEAR(x[0], 0.8, 1e-15);
  EXPECT_NEAR(x[1], 1.4, 1e-15);
  EXPECT_EQ(cusolver::getrs(handle, 3, 2, 1, a, 2, pivots, b, 2, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrs(handle, 0, 2, 1, a, 1, pivots, b, 2, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf(handle, 2, 2, a, 1, workspace, pivots, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf(handle, 2, 2, a, 2, workspace, pivots, nullptr),
            cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf_size(handle, -1, 2, a, 2, &length), cusolver::invalid_value);
}

TEST_F(CusolverTest, workspaces_must_have_the_queried_size) {
  const std::array<float, 4> matrix{4, 2, 2, 3};
  float* const a = on_device<float>(4, matrix.data());
  int length = 0;
  ASSERT_EQ(cusolver::potrf_size(handle, cusolver::lower, 2, a, 2, &length), cusolver::success);
  float* const workspace = on_device<float>(static_cast<std::size_t>(length));
  EXPECT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, workspace, length - 1, info),
            cusolver::invalid_value);
  EXPECT_EQ(cusolver::potrf(handle, 2, 2, a, 2, workspace, length, info), cusolver::invalid_value);
  ASSERT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, workspace, length, info),
            cusolver::success);
  EXPECT_EQ(from_device(a, 4)[0], 2);
  float* const small = on_device<float>(1);
  ASSERT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, small, length, info),
            cusolver::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address)
      << "the memory is smaller than its stated length";
}

TEST_F(CusolverTest, batches_of_positive_definite_matrices_are_factored) {
  const std::array<float, 8> matrices{4, 2, 2, 3, 1, 2, 2, 1};
  float* const stack = on_device<float>(8, matrices.data());
  const std::array<float*, 2> matrix_pointers{stack, stack + 4};
  float** const list = on_device<float*>(2, matrix_pointers.data());
  int* const stack_info = on_device<int>(2);
  const auto factor = [&](int uplo, int n, int lda, int* codes, int count) {
    return cusolver::potrf_batched(handle, uplo, n, list, lda, codes, count);
  };
  EXPECT_EQ(factor(2, 2, 2, stack_info, 2), cusolver::invalid_value);
  EXPECT_EQ(factor(cusolver::lower, 2, 1, stack_info, 2), cusolver::invalid_value);
  EXPECT_EQ(factor(cusolver::lower, -1, 2, stack_info, 2), cusolver::invalid_value);
  EXPECT_EQ(factor(cusolver::lower, 2, 2, nullptr, 2), cusolver::invalid_value);
  EXPECT_EQ(factor(cusolver::lower, 2, 2, stack_info, -1), cusolver::invalid_value);
  ASSERT_EQ(factor(cusolver::lower, 2, 2, stack_info, 2), cusolver::success);
  EXPECT_EQ(from_device(stack_info, 2), (std::vector<int>{0, 2}))
      << "the second is not positive definite";
  EXPECT_EQ(from_device(stack, 1)[0], 2);
}

TEST_F(CusolverTest, singular_vectors_are_v_and_not_its_adjoint) {
  const std::array<complex128, 2> matrix{complex128(3, 0), complex128(0, 4)};
  complex128* const a = on_device<complex128>(2, matrix.data());  // 1 x 2
  double* const s = on_device<double>(1);
  complex128* const u = on_device<complex128>(1);
  complex128* const v = on_device<complex128>(2);
  cusolver::RoutineSettings* settings = nullptr;
  ASSERT_EQ(cusolver::create_gesvdj_settings(&settings), cusolver::success);
  int length = 0;
  ASSERT_EQ(cusolver::gesvdj_size(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 2, &length, settings),
            cusolver::success);
  complex128* const workspace = on_device<complex128>(static_cast<std::size_t>(length));
  EXPECT_EQ(
      cusolver::gesvdj(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 1, workspace, length, info, settings),
      cusolver::invalid_value)
      << "ldv";
  ASSERT_EQ(
      cusolver::gesvdj(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 2, workspace, length, info, settings),
      cusolver::success);
  EXPECT_NEAR(from_device(s, 1)[0], 5, 1e-14);
  const complex128 first = from_device(u, 1)[0];
  const std::vector<complex128> right = from_device(v, 2);
  // A = U S V^H, so that its second element is u * 5 * conj(v[1]).
  const complex128 second = first * complex128(5, 0) * complex128(right[1].re, -right[1].im);
  EXPECT_NEAR(second.re, 0, 1e-14);
  EXPECT_NEAR(second.im, 4, 1e-14);
  EXPECT_EQ(cusolver::destroy_gesvdj_settings(settings), cusolver::success);
}

TEST_F(CusolverTest, geev_accepts_complex_matrices_without_left_vectors) {
  const std::array<complex128, 4> matrix{complex128(1, 1), {}, {}, complex128(2, 0)};
  complex128* const a = on_device<complex128>(4, matrix.data());
  complex128* const w = on_device<complex128>(2);
  cusolver::RoutineSettings* settings = nullptr;
  ASSERT_EQ(cusolver::create_settings(&settings), cusolver::success);
  std::size_t device_nbytes = 0;
  std::size_t host_nbytes = 0;
  constexpr int type = 5;
  const auto size = [&](int left, int type_a) {
    return cusolver::geev_size(handle, settings, left, 0, 2, type_a, a, 2, type, w, type, nullptr,
                               2, type, nullptr, 2, type, &device_nbytes, &host_nbytes);
  };
  EXPECT_EQ(size(1, type), cusolver::invalid_value);
  EXPECT_EQ(size(0, 4), cusolver::not_supported);
  ASSERT_EQ(size(0, type), cusolver::success);
  char* const workspace = on_device<char>(device_nbytes);
  std::vector<char> host_work(host_nbytes);
  const auto call_routine = [&](std::size_t host) {
    return cusolver::geev(handle, settings, 0, 0, 2, type, a, 2, type, w, type, nullptr, 2, type,
                          nullptr, 2, type, workspace, device_nbytes, host_work.data(), host, info);
  };
  EXPECT_EQ(call_routine(host_nbytes - 1), cusolver::invalid_value);
  ASSERT_EQ(call_routine(host_nbytes), cusolver::success);
  ASSERT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(from_device(w, 2)[0].im, 1);
  EXPECT_EQ(cusolver::destroy_settings(settings), cusolver::success);
}

TEST_F(CusolverTest, more_reflectors_than_columns_are_rejected) {
  double* const a = on_device<double>(6);
  double* const tau = on_device<double>(3);
  double* const workspace = on_device<double>(200);
  EXPECT_EQ(cusolver::orgqr(handle, 2, 3, 2, a, 2, tau, workspace, 200, info),
            cusolver::invalid_value);
  EXPECT_EQ(cusolver::orgqr(handle, 3, 2, 3, a, 3, tau, workspace, 200, info),
            cusolver::invalid_value);
}

}  // namespace
}  // namespace skerry::emulation
