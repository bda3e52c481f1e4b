// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/fourier/fft.hpp"

#include <optional>

#include "bench/kernels/benchmarks.hpp"

namespace skerry::bench {
namespace {

auto transform(FftKind kind) {
  return [kind](const Point& /*point*/, const Arrays& a) {
    return fft(kind, a[0], std::nullopt, -1, FftNorm::backward);
  };
}

}  // namespace

Benchmarks fourier_benchmarks() {
  const std::vector<Dtype> complex = {Dtype::complex64, Dtype::complex128};
  // Powers of two and the next primes, which take longer.
  const std::vector<std::int64_t> lengths = {1024, 1031, 1 << 20, 1'048'583};
  return {
      {"fft", complex, vectors<>, transform(FftKind::fft), lengths},
      {"rfft", floating, vectors<>, transform(FftKind::rfft), lengths},
      {"fft_rows", complex, matrices<>, transform(FftKind::fft)},
      {"fftn", complex, matrices<>,
       [](const Point&, const Arrays& a) {
         return fftn(FftKind::fft, a[0], std::nullopt, std::nullopt, FftNorm::backward);
       }},
      {"fft_shift", complex, matrices<>,
       [](const Point&, const Arrays& a) { return fft_shift(a[0], std::nullopt, false); }},
  };
}

}  // namespace skerry::bench
