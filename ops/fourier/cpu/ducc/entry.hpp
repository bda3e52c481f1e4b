// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/fourier/kernels.hpp"

// Entry points of ducc, which is compiled once per instruction set. ops/fourier/ducc.cmake makes
// all other symbols local, so that the linker cannot merge them into code that runs on machines
// without that instruction set.

#define SKERRY_FFT_PASTE(target, name) skerry_fft_##target##_##name
#define SKERRY_FFT_EXPAND(target, name) SKERRY_FFT_PASTE(target, name)
/// The name of an entry point, such as skerry_fft_v3_complex_to_real_float32.
#define SKERRY_FFT_ENTRY(name) SKERRY_FFT_EXPAND(SKERRY_FFT_TARGET, name)

#define SKERRY_FFT_DECLARE(real)                                                              \
  bool SKERRY_FFT_ENTRY(complex_to_complex_##real)(const skerry::FftParams& params) noexcept; \
  bool SKERRY_FFT_ENTRY(real_to_complex_##real)(const skerry::FftParams& params) noexcept;    \
  bool SKERRY_FFT_ENTRY(complex_to_real_##real)(const skerry::FftParams& params) noexcept;

/// Returns false if memory ran out.
extern "C" {
SKERRY_FFT_DECLARE(float32)
SKERRY_FFT_DECLARE(float64)
}
