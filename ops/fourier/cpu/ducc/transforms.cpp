// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fourier/cpu/ducc/transforms.hpp"

// The build defines the real dtype in a source that includes this one.
#ifndef SKERRY_FFT_REALS
#define SKERRY_FFT_REALS(X) X(float32)
#endif

#define SKERRY_FFT_DEFINE(real)                                                                \
  bool SKERRY_FFT_ENTRY(complex_to_complex_##real)(const skerry::FftParams& params) noexcept { \
    return skerry::ducc::run(params, skerry::ducc::complex_to_complex<skerry::real>);          \
  }                                                                                            \
  bool SKERRY_FFT_ENTRY(real_to_complex_##real)(const skerry::FftParams& params) noexcept {    \
    return skerry::ducc::run(params, skerry::ducc::real_to_complex<skerry::real>);             \
  }                                                                                            \
  bool SKERRY_FFT_ENTRY(complex_to_real_##real)(const skerry::FftParams& params) noexcept {    \
    return skerry::ducc::run(params, skerry::ducc::complex_to_real<skerry::real>);             \
  }

extern "C" {
SKERRY_FFT_REALS(SKERRY_FFT_DEFINE)
}  // extern "C"
