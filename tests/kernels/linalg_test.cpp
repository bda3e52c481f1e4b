// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/linalg.hpp"

#include "both.hpp"
#include "core/errors.hpp"
#include "ops/fourier/fft.hpp"
#include "ops/linear/matmul.hpp"

namespace skerry::testing {
namespace {

using namespace linalg;

/// As compare(), but a library or a routine of it that is not on this machine is skipped by name.
template <class F>
void compare_with_library(const std::string& what, F&& f, double tolerance) {
  try {
    compare(what, std::forward<F>(f), tolerance);
  } catch (const library_error& missing) {
    GTEST_SKIP() << what << ": " << missing.what();
  } catch (const not_implemented_error& missing) {
    GTEST_SKIP() << what << ": " << missing.what();
  }
}

class product_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, product_kernels_of, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(product_kernels_of, multiply) {
  const dtype type = GetParam();
  if (type == dtype::bool_) return;
  const double tolerance = is_floating(type) ? 20 * tolerance_of(type) : 0;
  compare_with_library(
      of("matmul", type),
      [&](device where) {
        return matmul(sample(type, dims{3, 33, 29}, where), sample(type, dims{29, 31}, where, 1));
      },
      tolerance);
  for (const dims& shape : {dims{33, 29}, dims{2, 20011}}) {
    compare_with_library(
        of("vecdot", type),
        [&](device where) {
          return vecdot(sample(type, shape, where), sample(type, shape, where, 1), -1);
        },
        tolerance);
  }
}

class linalg_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, linalg_kernels_of, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(linalg_kernels_of, factorise) {
  const dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const auto run = [&](const char* op, auto&& f) {
    compare_with_library(
        of(op, type), [&](device where) { return f(sample_matrices(type, 3, 17, where)); },
        tolerance);
  };
  run("cholesky", [](const ndarray& x) { return cholesky(x, false); });
  run("slogdet", [](const ndarray& x) { return slogdet(x).second; });
  run("inv", [](const ndarray& x) { return inv(x); });
  run("solve", [](const ndarray& x) { return solve(x, x); });
  run("eigvalsh", [](const ndarray& x) { return eigvalsh(x); });
  run("values of eigh", [](const ndarray& x) { return eigh(x).first; });
  run("svdvals", [](const ndarray& x) { return svdvals(x); });
  run("values of svd", [](const ndarray& x) { return svd(x, true).second; });
  // Signs of columns are free: the product is not.
  run("qr", [](const ndarray& x) {
    const two_arrays factors = qr(x, false);
    return matmul(factors.first, factors.second);
  });
}

class fft_kernels_of : public ::testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, fft_kernels_of, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(fft_kernels_of, transform) {
  const dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const bool is_real = kind(type) == dtype_kind::real_floating;
  for (const std::int64_t n : {1024, 101}) {
    const auto run = [&](const char* op, fft_kind which, std::int64_t axis) {
      compare_with_library(
          of(op, type),
          [&](device where) {
            return fft(which, sample(type, dims{9, n}, where), std::nullopt, axis,
                       fft_norm::backward);
          },
          tolerance);
    };
    if (is_real) {
      run("rfft", fft_kind::rfft, -1);
      compare_with_library(
          of("rfft of x[1:]", type),
          [&](device where) {
            return fft(fft_kind::rfft, without_first(sample(type, dims{n}, where), 1), std::nullopt,
                       -1, fft_norm::backward);
          },
          tolerance);
      for (const fft_kind which : {fft_kind::rfft, fft_kind::ihfft}) {
        compare_with_library(
            of("rfft of odd batches", type),
            [&](device where) {
              return fft(which, sample(type, dims{3, 7, 5}, where), std::nullopt, 1,
                         fft_norm::backward);
            },
            tolerance);
      }
    } else {
      compare_with_library(
          of("irfft to odd batches", type),
          [&](device where) {
            return fft(fft_kind::irfft, sample(type, dims{3, 4, 5}, where), 7, 1,
                       fft_norm::backward);
          },
          tolerance);
      run("fft", fft_kind::fft, -1);
      run("ifft", fft_kind::ifft, 0);
      run("irfft", fft_kind::irfft, -1);
    }
  }
}

}  // namespace
}  // namespace skerry::testing
