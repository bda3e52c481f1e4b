// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fourier/cpu/fft.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {
#define SKERRY_FILL(real, index)                                                               \
  table.complex_to_complex[index]                                                              \
      .set_host<run_fft<complex<real>, SKERRY_FFT_ENTRY(complex_to_complex_##real), false>>(); \
  table.real_to_complex[index]                                                                 \
      .set_host<run_fft<complex<real>, SKERRY_FFT_ENTRY(real_to_complex_##real), true>>();     \
  table.complex_to_real[index]                                                                 \
      .set_host<run_fft<real, SKERRY_FFT_ENTRY(complex_to_real_##real), false>>();

void fill_fft([[maybe_unused]] FftKernels& table) {
#if defined(SKERRY_FFT_float32)
  SKERRY_FILL(float32, 0)
#endif
#if defined(SKERRY_FFT_float64)
  SKERRY_FILL(float64, 1)
#endif
}

#undef SKERRY_FILL

}  // namespace skerry::inline SKERRY_TARGET::kernels
