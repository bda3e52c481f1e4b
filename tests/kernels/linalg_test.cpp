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

/// Calls compare(). If a library or one of its routines is missing, skips the test and names the
/// library.
template <class F>
void compare_with_library(const std::string& label, F&& f, double tolerance) {
  try {
    compare(label, std::forward<F>(f), tolerance);
  } catch (const LibraryError& missing) {
    GTEST_SKIP() << label << ": " << missing.what();
  } catch (const NotImplementedError& missing) {
    GTEST_SKIP() << label << ": " << missing.what();
  }
}

class ProductKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, ProductKernelsOf, ::testing::ValuesIn(every_dtype),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(ProductKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  if (type == Dtype::bool_) return;
  const double tolerance = is_floating(type) ? 20 * tolerance_of(type) : 0;
  compare_with_library(
      case_label("matmul", type),
      [&](Device device) {
        return matmul(sample(type, Dims{3, 33, 29}, device), sample(type, Dims{29, 31}, device, 1));
      },
      tolerance);
  for (const Dims& shape : {Dims{33, 29}, Dims{2, 20011}}) {
    compare_with_library(
        case_label("vecdot", type),
        [&](Device device) {
          return vecdot(sample(type, shape, device), sample(type, shape, device, 1), -1);
        },
        tolerance);
  }
}

class LinAlgKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, LinAlgKernelsOf, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(LinAlgKernelsOf, factorizations_match_the_cpu) {
  const Dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const auto compare_routine = [&](const char* op, auto&& f) {
    compare_with_library(
        case_label(op, type),
        [&](Device device) { return f(sample_matrices(type, 3, 17, device)); }, tolerance);
  };
  compare_routine("cholesky", [](const NdArray& x) { return cholesky(x, false); });
  compare_routine("slogdet", [](const NdArray& x) { return slogdet(x).second; });
  compare_routine("inv", [](const NdArray& x) { return inv(x); });
  compare_routine("solve", [](const NdArray& x) { return solve(x, x); });
  compare_routine("eigvalsh", [](const NdArray& x) { return eigvalsh(x); });
  compare_routine("values of eigh", [](const NdArray& x) { return eigh(x).first; });
  compare_routine("svdvals", [](const NdArray& x) { return svdvals(x); });
  compare_routine("values of svd", [](const NdArray& x) { return svd(x, true).second; });
  // The signs of columns are arbitrary, so compare the product.
  compare_routine("qr", [](const NdArray& x) {
    const TwoArrays factors = qr(x, false);
    return matmul(factors.first, factors.second);
  });
}

class FftKernelsOf : public ::testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtypes, FftKernelsOf, ::testing::ValuesIn(floating_dtypes),
                         [](const auto& about) { return std::string(name(about.param)); });

TEST_P(FftKernelsOf, match_the_cpu) {
  const Dtype type = GetParam();
  const double tolerance = 50 * tolerance_of(type);
  const bool is_real = kind(type) == DtypeKind::real_floating;
  for (const std::int64_t n : {1024, 101}) {
    const auto compare_transform = [&](const char* op, FftKind fft_kind, std::int64_t axis) {
      compare_with_library(
          case_label(op, type),
          [&](Device device) {
            return fft(fft_kind, sample(type, Dims{9, n}, device), std::nullopt, axis,
                       FftNorm::backward);
          },
          tolerance);
    };
    if (is_real) {
      compare_transform("rfft", FftKind::rfft, -1);
      compare_with_library(
          case_label("rfft of x[1:]", type),
          [&](Device device) {
            return fft(FftKind::rfft, without_first(sample(type, Dims{n}, device), 1), std::nullopt,
                       -1, FftNorm::backward);
          },
          tolerance);
      for (const FftKind fft_kind : {FftKind::rfft, FftKind::ihfft}) {
        compare_with_library(
            case_label("rfft of odd batches", type),
            [&](Device device) {
              return fft(fft_kind, sample(type, Dims{3, 7, 5}, device), std::nullopt, 1,
                         FftNorm::backward);
            },
            tolerance);
      }
    } else {
      compare_with_library(
          case_label("irfft to odd batches", type),
          [&](Device device) {
            return fft(FftKind::irfft, sample(type, Dims{3, 4, 5}, device), 7, 1,
                       FftNorm::backward);
          },
          tolerance);
      compare_transform("fft", FftKind::fft, -1);
      compare_transform("ifft", FftKind::ifft, 0);
      compare_transform("irfft", FftKind::irfft, -1);
    }
  }
}

}  // namespace
}  // namespace skerry::testing
