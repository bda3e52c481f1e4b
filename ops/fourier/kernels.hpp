// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

/// A batch of discrete Fourier transforms over the trailing axes of an array. No axis is empty.
/// Addresses and strides are multiples of the size of a component or, if
/// NativeLimits::complex_alignment is set, of a complex number.
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
  /// True if the exponent is -2 pi i jk / n, false if it is 2 pi i jk / n.
  bool forward;
  /// Real to complex, host form only: the output has all `shape` elements, the second half mirrored
  /// from the first.
  bool mirrored;
  /// Host form only: set to 1 if workspace memory could not be allocated.
  ErrorWord out_of_memory;

  static constexpr bool native_form_finds_errors = false;
  static constexpr NativeLimits native_limits{.dense_operands = true, .complex_alignment = true};
};

/// Returns the batch axis over which the plan is executed repeatedly, 0 or 1, or -1 if none.
/// cuFFT's plans have a single evenly spaced batch; of two batch axes, the one with the smaller
/// stride becomes the plan's batch.
[[nodiscard]] constexpr int fft_looped_axis(const FftParams& params) {
  if (params.rank - params.transformed != 2) return -1;
  return params.input_strides[0] < params.input_strides[1] ? 1 : 0;
}

/// Kernels by component type: float32, float64. The native forms require axes whose strides are
/// positive multiples of each other, as in a C-contiguous array, and at most two batch axes. At
/// every index along fft_looped_axis(), input and output must be aligned for complex numbers.
struct FftKernels {
  Kernel<FftParams> complex_to_complex[2];
  Kernel<FftParams> real_to_complex[2];
  Kernel<FftParams> complex_to_real[2];
  /// Returns why the native forms cannot run, or null if they can. The function pointer is null if
  /// there are no native forms.
  const char* (*library_error_message)();
};

}  // namespace skerry
