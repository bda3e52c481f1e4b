// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The stand-ins for NVIDIA's libraries: what they compute, and that each check of an argument takes
// the call that is right and refuses the one beside it.

#include <array>
#include <cmath>
#include <numbers>

#include "ops/kernels/cuda/emulation/cublas.hpp"
#include "ops/kernels/cuda/emulation/cufft.hpp"
#include "ops/kernels/cuda/emulation/cusolver.hpp"
#include "tests/emulation/runtime/programs.hpp"

namespace skerry::emulation {
namespace {

using namespace entry_points;

class stand_ins_test : public emulated_devices {
 protected:
  void TearDown() override {
    static_cast<void>(get_last_error());
    rehearsal::clear();
    for (void* data : blocks_) {
      EXPECT_EQ(deallocate(data), cuda::success);
    }
    emulated_devices::TearDown();
  }

  template <class T>
  T* on_device(std::size_t count, const T* values = nullptr) {
    void* data = nullptr;
    EXPECT_EQ(allocate(&data, count * sizeof(T)), cuda::success);
    blocks_.push_back(data);
    if (values != nullptr) {
      EXPECT_EQ(copy(data, values, count * sizeof(T), 1), cuda::success);
    }
    return static_cast<T*>(data);
  }
  template <class T>
  std::vector<T> from_device(const T* data, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(copy(values.data(), data, count * sizeof(T), 2), cuda::success);
    return values;
  }

 private:
  std::vector<void*> blocks_;
};

bool has_openblas() { return std::getenv("SKERRY_OPENBLAS") != nullptr; }

// ---- cuBLAS

class cublas_test : public stand_ins_test {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "SKERRY_OPENBLAS names no library";
    stand_ins_test::SetUp();
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
    stand_ins_test::TearDown();
  }
  /// C = A @ B of 2 x 3 and 3 x 2, with what is changed of it.
  struct arguments {
    std::int64_t m = 2, lda = 2, ldb = 3, ldc = 2, count = 1;
    long long stride_c = 4;
    int type_b = cublas::real_32, compute = cublas::compute_32, algorithm = -1, op_a = 0;
    std::size_t offset_bytes = 0;
  };
  int multiply(const arguments& with) {
    const float one = 1;
    const float zero = 0;
    const char* const moved = reinterpret_cast<const char*>(a) + with.offset_bytes;
    return cublas::gemm_strided_batched(handle, with.op_a, cublas::plain, with.m, 2, 3, &one, moved,
                                        cublas::real_32, with.lda, 0, b, with.type_b, with.ldb, 0,
                                        &zero, c, cublas::real_32, with.ldc, with.stride_c,
                                        with.count, with.compute, with.algorithm);
  }

  cublas::handle* handle = nullptr;
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
};

TEST_F(cublas_test, multiplies) {
  ASSERT_EQ(multiply({}), cublas::success);
  EXPECT_EQ(from_device(c, 4), (std::vector<float>{6, 8, 3, 4}));
}

TEST_F(cublas_test, refuses_what_the_documentation_forbids) {
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
  EXPECT_NE(last_refusal().find("multiple of an item"), std::string::npos) << last_refusal();
  EXPECT_EQ(multiply({.m = 0}), cublas::success) << "nothing to do";
  EXPECT_EQ(multiply({}), cublas::success);
}

TEST_F(cublas_test, handles_streams_and_workspaces_belong_to_one_device) {
  char* const scratch = on_device<char>(1 << 10);
  EXPECT_EQ(cublas::set_workspace(handle, scratch + 128, 512), cublas::invalid_value);
  EXPECT_EQ(cublas::set_workspace(handle, scratch, 1 << 10), cublas::success);
  EXPECT_EQ(multiply({}), cublas::success);
  EXPECT_EQ(from_device(c, 4)[0], 6);
  EXPECT_EQ(from_device(scratch, 1)[0], '\xa5') << "the library uses its workspace";
  EXPECT_EQ(cublas::set_workspace(handle, a, 64), cublas::success);
  EXPECT_EQ(multiply({}), cublas::invalid_value) << "the workspace lies over A";
  EXPECT_EQ(cublas::set_stream(handle, cuda::legacy_stream), cublas::success);
  EXPECT_EQ(multiply({}), cublas::success) << "which takes the workspace away";
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

TEST_F(cublas_test, memory_that_is_not_there_is_a_sticky_error) {
  ASSERT_EQ(multiply({.count = 2}), cublas::success) << "C has room for one";
  EXPECT_EQ(device_synchronize(), cuda::illegal_address);
}

// ---- cuSOLVER

class cusolver_test : public stand_ins_test {
 protected:
  void SetUp() override {
    if (!has_openblas()) GTEST_SKIP() << "SKERRY_OPENBLAS names no library";
    stand_ins_test::SetUp();
    ASSERT_EQ(cusolver::create(&handle), cusolver::success);
    info = on_device<int>(1);
  }
  void TearDown() override {
    if (handle == nullptr) return;
    EXPECT_EQ(cusolver::destroy(handle), cusolver::success);
    stand_ins_test::TearDown();
  }
  cusolver::handle* handle = nullptr;
  int* info = nullptr;
};

TEST_F(cusolver_test, factors_and_solves) {
  const std::array<double, 4> matrix{2, 1, 1, 3};
  const std::array<double, 2> right{3, 5};
  double* const a = on_device<double>(4, matrix.data());
  double* const b = on_device<double>(2, right.data());
  int* const pivots = on_device<int>(2);
  int length = 0;
  ASSERT_EQ(cusolver::getrf_size(handle, 2, 2, a, 2, &length), cusolver::success);
  double* const work = on_device<double>(static_cast<std::size_t>(length));
  ASSERT_EQ(cusolver::getrf(handle, 2, 2, a, 2, work, pivots, info), cusolver::success);
  ASSERT_EQ(cusolver::getrs(handle, 0, 2, 1, a, 2, pivots, b, 2, info), cusolver::success);
  EXPECT_EQ(from_device(info, 1)[0], 0);
  const std::vector<double> x = from_device(b, 2);
  EXPECT_NEAR(x[0], 0.8, 1e-15);
  EXPECT_NEAR(x[1], 1.4, 1e-15);
  EXPECT_EQ(cusolver::getrs(handle, 3, 2, 1, a, 2, pivots, b, 2, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrs(handle, 0, 2, 1, a, 1, pivots, b, 2, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf(handle, 2, 2, a, 1, work, pivots, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf(handle, 2, 2, a, 2, work, pivots, nullptr), cusolver::invalid_value);
  EXPECT_EQ(cusolver::getrf_size(handle, -1, 2, a, 2, &length), cusolver::invalid_value);
}

TEST_F(cusolver_test, workspaces_are_as_large_as_asked_for) {
  const std::array<float, 4> matrix{4, 2, 2, 3};
  float* const a = on_device<float>(4, matrix.data());
  int length = 0;
  ASSERT_EQ(cusolver::potrf_size(handle, cusolver::lower, 2, a, 2, &length), cusolver::success);
  float* const work = on_device<float>(static_cast<std::size_t>(length));
  EXPECT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, work, length - 1, info),
            cusolver::invalid_value);
  EXPECT_EQ(cusolver::potrf(handle, 2, 2, a, 2, work, length, info), cusolver::invalid_value);
  ASSERT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, work, length, info),
            cusolver::success);
  EXPECT_EQ(from_device(a, 4)[0], 2);
  float* const small = on_device<float>(1);
  ASSERT_EQ(cusolver::potrf(handle, cusolver::lower, 2, a, 2, small, length, info),
            cusolver::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "the memory is smaller than was said";
}

TEST_F(cusolver_test, singular_vectors_are_v_and_not_its_adjoint) {
  const std::array<complex128, 2> matrix{complex128(3, 0), complex128(0, 4)};
  complex128* const a = on_device<complex128>(2, matrix.data());  // 1 x 2
  double* const s = on_device<double>(1);
  complex128* const u = on_device<complex128>(1);
  complex128* const v = on_device<complex128>(2);
  cusolver::routine_settings* settings = nullptr;
  ASSERT_EQ(cusolver::create_gesvdj_settings(&settings), cusolver::success);
  int length = 0;
  ASSERT_EQ(cusolver::gesvdj_size(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 2, &length, settings),
            cusolver::success);
  complex128* const work = on_device<complex128>(static_cast<std::size_t>(length));
  EXPECT_EQ(cusolver::gesvdj(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 1, work, length, info, settings),
            cusolver::invalid_value)
      << "ldv";
  ASSERT_EQ(cusolver::gesvdj(handle, 1, 1, 1, 2, a, 1, s, u, 1, v, 2, work, length, info, settings),
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

TEST_F(cusolver_test, geev_takes_complex_matrices_without_left_vectors) {
  const std::array<complex128, 4> matrix{complex128(1, 1), {}, {}, complex128(2, 0)};
  complex128* const a = on_device<complex128>(4, matrix.data());
  complex128* const w = on_device<complex128>(2);
  cusolver::routine_settings* settings = nullptr;
  ASSERT_EQ(cusolver::create_settings(&settings), cusolver::success);
  std::size_t device_nbytes = 0;
  std::size_t host_nbytes = 0;
  constexpr int type = 5;
  const auto size = [&](int left, int of) {
    return cusolver::geev_size(handle, settings, left, 0, 2, of, a, 2, type, w, type, nullptr, 2,
                               type, nullptr, 2, type, &device_nbytes, &host_nbytes);
  };
  EXPECT_EQ(size(1, type), cusolver::invalid_value);
  EXPECT_EQ(size(0, 4), cusolver::not_supported);
  ASSERT_EQ(size(0, type), cusolver::success);
  char* const work = on_device<char>(device_nbytes);
  std::vector<char> host_work(host_nbytes);
  const auto run = [&](std::size_t host) {
    return cusolver::geev(handle, settings, 0, 0, 2, type, a, 2, type, w, type, nullptr, 2, type,
                          nullptr, 2, type, work, device_nbytes, host_work.data(), host, info);
  };
  EXPECT_EQ(run(host_nbytes - 1), cusolver::invalid_value);
  ASSERT_EQ(run(host_nbytes), cusolver::success);
  ASSERT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(from_device(w, 2)[0].im, 1);
  EXPECT_EQ(cusolver::destroy_settings(settings), cusolver::success);
}

TEST_F(cusolver_test, reflectors_are_no_more_than_columns) {
  double* const a = on_device<double>(6);
  double* const tau = on_device<double>(3);
  double* const work = on_device<double>(200);
  EXPECT_EQ(cusolver::orgqr(handle, 2, 3, 2, a, 2, tau, work, 200, info), cusolver::invalid_value);
  EXPECT_EQ(cusolver::orgqr(handle, 3, 2, 3, a, 3, tau, work, 200, info), cusolver::invalid_value);
}

// ---- cuFFT

class cufft_test : public stand_ins_test {
 protected:
  void SetUp() override {
    stand_ins_test::SetUp();
    ASSERT_EQ(cufft::create(&plan), cufft::success);
  }
  void TearDown() override {
    EXPECT_EQ(cufft::destroy(plan), cufft::success);
    EXPECT_EQ(cufft::destroy(plan), cufft::invalid_plan);
    stand_ins_test::TearDown();
  }
  int make(int type, long long length, long long batch = 1) {
    EXPECT_EQ(cufft::set_auto_allocation(plan, 0), cufft::success);
    const int status = cufft::make_plan(plan, 1, &length, &length, 1, length, &length, 1, length,
                                        type, batch, &work_nbytes);
    if (status == cufft::success) {
      work = on_device<char>(work_nbytes);
      EXPECT_EQ(cufft::set_work_area(plan, work), cufft::success);
    }
    return status;
  }
  int plan = 0;
  std::size_t work_nbytes = 0;
  char* work = nullptr;
};

TEST_F(cufft_test, transforms_both_ways_without_scaling) {
  constexpr std::size_t n = 6;
  std::array<complex128, n> values{};
  for (std::size_t i = 0; i < n; ++i) values[i] = complex128(static_cast<double>(i), 1);
  complex128* const x = on_device<complex128>(n, values.data());
  complex128* const y = on_device<complex128>(n);
  const int made = make(cufft::complex_to_complex + cufft::double_precision, n);
  if (made == cufft::not_implemented) GTEST_SKIP() << "this build has no complex128";
  ASSERT_EQ(made, cufft::success);
  ASSERT_EQ(cufft::run_z2z(plan, x, y, -1), cufft::success);
  complex128 expected(0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / n;
    expected = expected + values[i] * complex128(std::cos(angle), std::sin(angle));
  }
  const complex128 found = from_device(y, n)[1];
  EXPECT_NEAR(found.re, expected.re, 1e-13);
  EXPECT_NEAR(found.im, expected.im, 1e-13);
  ASSERT_EQ(cufft::run_z2z(plan, y, x, 1), cufft::success);
  EXPECT_NEAR(from_device(x, n)[2].re, 2 * static_cast<double>(n), 1e-13);
  EXPECT_EQ(cufft::run_z2z(plan, y, x, 0), cufft::invalid_value);
  EXPECT_EQ(cufft::run_c2c(plan, y, x, 1), cufft::invalid_type);
  EXPECT_EQ(cufft::run_z2z(plan + 1, y, x, 1), cufft::invalid_plan);
}

TEST_F(cufft_test, real_transforms_want_addresses_of_complex_numbers_and_spoil_their_input) {
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
  EXPECT_NE(from_device(y, 1)[0].re, 36) << "as cuFFT does";
}

TEST_F(cufft_test, plans_without_their_work_area_or_with_bad_layouts_are_refused) {
  complex64* const x = on_device<complex64>(8);
  EXPECT_EQ(make(cufft::complex_to_complex, 0), cufft::invalid_size);
  EXPECT_EQ(make(0x20, 8), cufft::invalid_type);
  EXPECT_EQ(make(cufft::complex_to_complex, 8, 0), cufft::invalid_size);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::invalid_plan) << "not made yet";
  ASSERT_EQ(make(cufft::complex_to_complex, 8), cufft::success);
  EXPECT_EQ(cufft::set_auto_allocation(plan, 0), cufft::invalid_plan) << "too late";
  EXPECT_EQ(cufft::set_work_area(plan, nullptr), cufft::success);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::no_workspace);
  EXPECT_EQ(cufft::set_work_area(plan, work), cufft::success);
  EXPECT_EQ(cufft::run_c2c(plan, x, x, 1), cufft::success) << "in place";
  EXPECT_EQ(cufft::run_c2c(plan, x, nullptr, 1), cufft::invalid_value);
  EXPECT_EQ(device_synchronize(), cuda::success);
  EXPECT_EQ(cufft::run_c2c(plan, x + 1, x + 1, 1), cufft::success);
  EXPECT_EQ(device_synchronize(), cuda::illegal_address) << "one element past the end";
}

}  // namespace
}  // namespace skerry::emulation
