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
  } catch (const LibraryError& missing) {
    GTEST_SKIP() << what << ": " << missing.what();
  } catch (const NotImplementedError& missing) {
    GTEST_SKIP() << what << ": " << missing.what();
  }
}

class ProductKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ProductKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(ProductKernelsOf, multiply) {
  const Dtype type = GetParam();
  if (type == Dtype::bool_) return;
  const double tolerance = is_floating(type) ? 20 * tolerance_of(type) : 0;
  compare_with_library(
      of("matmul", type),
      [&](Device where) {
        return matmul(sample(type, Dims{3, 33, 29}, where), sample(type, Dims{29, 31}, where, 1));
      },
      tolerance);
  for (const Dims& shape : {Dims{33, 29}, Dims{2, 20011}}) {
    compare_with_library(
        of("vecdot", type),
        [&](Device where) {
          return vecdot(sample(type, shape, where), sample(type, shape, where, 1), -1);
        },
        tolerance);
  }
}

class LinAlgKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, LinAlgKernelsOf, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(LinAlgKernelsOf, factorise) {
  const Dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const auto run = [&](const char* op, auto&& f) {
    compare_with_library(
        of(op, type), [&](Device where) { return f(sample_matrices(type, 3, 17, where)); },
        tolerance);
  };
  run("cholesky", [](const NdArray& x) { return cholesky(x, false); });
  run("slogdet", [](const NdArray& x) { return slogdet(x).second; });
  run("inv", [](const NdArray& x) { return inv(x); });
  run("solve", [](const NdArray& x) { return solve(x, x); });
  run("eigvalsh", [](const NdArray& x) { return eigvalsh(x); });
  run("values of eigh", [](const NdArray& x) { return eigh(x).first; });
  run("svdvals", [](const NdArray& x) { return svdvals(x); });
  run("values of svd", [](const NdArray& x) { return svd(x, true).second; });
  // Signs of columns are free: the product is not.
  run("qr", [](const NdArray& x) {
    const TwoArrays factors = qr(x, false);
    return matmul(factors.first, factors.second);
  });
}

class FftKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, FftKernelsOf, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(FftKernelsOf, transform) {
  const Dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const bool is_real = kind(type) == DtypeKind::real_floating;
  for (const std::int64_t n : {1024, 101}) {
    const auto run = [&](const char* op, FftKind which, std::int64_t axis) {
      compare_with_library(
          of(op, type),
          [&](Device where) {
            return fft(which, sample(type, Dims{9, n}, where), std::nullopt, axis,
                       FftNorm::backward);
          },
          tolerance);
    };
    if (is_real) {
      run("rfft", FftKind::rfft, -1);
      compare_with_library(
          of("rfft of x[1:]", type),
          [&](Device where) {
            return fft(FftKind::rfft, without_first(sample(type, Dims{n}, where), 1), std::nullopt,
                       -1, FftNorm::backward);
          },
          tolerance);
      for (const FftKind which : {FftKind::rfft, FftKind::ihfft}) {
        compare_with_library(
            of("rfft of odd batches", type),
            [&](Device where) {
              return fft(which, sample(type, Dims{3, 7, 5}, where), std::nullopt, 1,
                         FftNorm::backward);
            },
            tolerance);
      }
    } else {
      compare_with_library(
          of("irfft to odd batches", type),
          [&](Device where) {
            return fft(FftKind::irfft, sample(type, Dims{3, 4, 5}, where), 7, 1, FftNorm::backward);
          },
          tolerance);
      run("fft", FftKind::fft, -1);
      run("ifft", FftKind::ifft, 0);
      run("irfft", FftKind::irfft, -1);
    }
  }
}

}  // namespace
}  // namespace skerry::testing
