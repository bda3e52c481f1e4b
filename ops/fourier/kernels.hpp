// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

/// One discrete Fourier transform over some axes of an array, the rest being a batch. No axis is of
/// size 0; addresses and strides are multiples of what an element's real type, or the element,
/// takes.
struct FftParams {
  static constexpr int max_axes = 8;
  static constexpr int max_transformed = 3;

  InputPointer<char> input;
  OutputPointer<char> output;  ///< complex to complex: may be the input, with the same strides
  double scale;                ///< of every element of the result
  std::int32_t rank;
  std::int32_t transformed;  ///< the last so many axes, 1 to 3; 1 where one side is real
  /// The real side's, where there is one; the complex side then has shape / 2 + 1 elements along
  /// the transformed axis.
  std::int64_t shape[max_axes];
  std::int64_t input_strides[max_axes];   ///< bytes
  std::int64_t output_strides[max_axes];  ///< bytes
  /// The exponent is -2 pi i jk / n, else 2 pi i jk / n.
  bool forward;
  /// Real to complex, host form only: the output has all `shape` elements, the second half being
  /// the first mirrored.
  bool mirrored;
  /// Host form only: becomes 1 where there was no memory to work in.
  ErrorWord out_of_memory;

  static constexpr bool native_form_finds_errors = false;
  static constexpr NativeLimits native_limits{.dense_operands = true, .complex_alignment = true};
};

/// cuFFT's plans have one batch of equal distances. From two axes of a batch it takes that of
/// smaller stride, and the plan is executed for each element of the other: axis 0 or 1, -1 if there
/// is none.
[[nodiscard]] constexpr int fft_looped_axis(const FftParams& params) {
  if (params.rank - params.transformed != 2) return -1;
  return params.input_strides[0] < params.input_strides[1] ? 1 : 0;
}

/// By real type: float32, float64. The native forms take axes that are
/// positive multiples of each other, as in a C-contiguous array, and at most two of a batch; both
/// sides begin at multiples of a complex number's size, for each element of fft_looped_axis().
struct FftKernels {
  Kernel<FftParams> complex_to_complex[2];
  Kernel<FftParams> real_to_complex[2];
  Kernel<FftParams> complex_to_real[2];
  /// Why the native forms can't run, null if they can; itself null where there are none.
  const char* (*library_error_message)();
};

}  // namespace skerry
