// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// Kinds of transforms; fftn() computes their forms over several axes.
enum class FftKind : std::uint8_t { fft, ifft, rfft, irfft, hfft, ihfft };

/// Normalization, as in NumPy: the inverse transform is divided by the number of elements
/// (backward), the forward one is (forward), or both are divided by its square root (ortho).
enum class FftNorm : std::uint8_t { backward, ortho, forward };

/// Transforms along one axis. float16 and bfloat16 are computed in float32, so the result is
/// complex64 or float32. `n` is the length of the input (of the result for irfft and hfft); the
/// input is cropped or zero-padded accordingly. Integers and bools become the default real dtype.
/// Throws DtypeError for a complex x in rfft and ihfft and, if promotion is strict, for integers
/// and bools; throws AxisError, ValueError for n < 1, ShapeError, OutOfMemoryError.
[[nodiscard]] NdArray fft(FftKind kind, const NdArray& x, std::optional<std::int64_t> n,
                          std::int64_t axis, FftNorm norm);
/// Transforms over several axes: by default the last ones, one per length, or all if `lengths` is
/// empty as well. In rfftn and irfftn, the spectrum is halved along the last of them. Also throws
/// ValueError for repeated axes.
[[nodiscard]] NdArray fftn(FftKind kind, const NdArray& x,
                           std::optional<std::span<const std::int64_t>> lengths,
                           std::optional<std::span<const std::int64_t>> axes, FftNorm norm);

/// Returns the frequencies of the bins of fft, or of rfft if `half`, for n samples with the given
/// spacing. `type` is real floating. Throws ValueError for n < 1 or zero spacing, DtypeError.
[[nodiscard]] NdArray fft_frequencies(std::int64_t n, double spacing, Dtype type, Device device,
                                      bool half);

/// Moves the zero frequency to the middle of the axes (all by default) or, if `back`, from there to
/// the front.
[[nodiscard]] NdArray fft_shift(const NdArray& x, std::optional<std::span<const std::int64_t>> axes,
                                bool back);

}  // namespace skerry
