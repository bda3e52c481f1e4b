// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

/// One discrete Fourier transform over some axes of an array, batched over the others. No axis is
/// empty. Addresses and strides are multiples of the size of the element's real type or, where
/// required, of the element.
struct FftParams {
  static constexpr int max_axes = 8;
  static constexpr int max_transformed = 3;

  InputPointer<char> input;
  OutputPointer<char> output;  ///< complex to complex: may be the input, with the same strides
  double scale;                ///< multiplies every element of the result
  std::int32_t rank;
  std::int32_t transformed;  ///< number of trailing axes transformed, 1 to 3; 1 if one side is real
  /// Of the real side if there is one; the complex side then has shape / 2 + 1 elements along the
  /// transformed axis.
  std::int64_t shape[max_axes];
  std::int64_t input_strides[max_axes];   ///< in bytes
  std::int64_t output_strides[max_axes];  ///< in bytes
  /// The exponent is -2 pi i jk / n, otherwise 2 pi i jk / n.
  bool forward;
  /// Real to complex, host form only: the output has all `shape` elements, the second half mirrored
  /// from the first.
  bool mirrored;
  /// Host form only: set to 1 if there was no workspace memory.
  ErrorWord out_of_memory;

  static constexpr bool native_form_finds_errors = false;
  static constexpr NativeLimits native_limits{.dense_operands = true, .complex_alignment = true};
};

/// Returns the batch axis over which the plan is executed repeatedly, 0 or 1, or -1 if none.
/// cuFFT's plans have a single evenly spaced batch; of two batch axes, that of smaller stride goes
/// into the plan.
[[nodiscard]] constexpr int fft_looped_axis(const FftParams& params) {
  if (params.rank - params.transformed != 2) return -1;
  return params.input_strides[0] < params.input_strides[1] ? 1 : 0;
}

/// By real type: float32, float64. The native forms require axes whose strides are positive
/// multiples of each other, as in a C-contiguous array, and at most two batch axes. Both sides must
/// be aligned to a complex number for each element of fft_looped_axis().
struct FftKernels {
  Kernel<FftParams> complex_to_complex[2];
  Kernel<FftParams> real_to_complex[2];
  Kernel<FftParams> complex_to_real[2];
  /// Returns why the native forms cannot run, or null if they can; the pointer is null if there are
  /// none.
  const char* (*library_error_message)();
};

}  // namespace skerry
