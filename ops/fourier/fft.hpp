// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

/// What a transform computes; the one of several axes has the name with an `n`.
enum class FftKind : std::uint8_t { fft, ifft, rfft, irfft, hfft, ihfft };

/// Where the result is divided by the number of elements: in the transform to the time domain, in
/// both by its square root, or in the one to the frequency domain.
enum class FftNorm : std::uint8_t { backward, ortho, forward };

/// Along one axis; float16 as float32, so it gives complex64 or float32; `n` elements of the input
/// (of the result for irfft and hfft), by default all. Throws DtypeError for what is not floating
/// (not real for rfft and ihfft), AxisError, ValueError for n < 1, ShapeError,
/// OutOfMemoryError.
[[nodiscard]] NdArray fft(FftKind kind, const NdArray& x, std::optional<std::int64_t> n,
                          std::int64_t axis, FftNorm norm);
/// Over several axes (the last ones if only `lengths` are given, all without either); the last of
/// them is the one of the real side. Throws ValueError for axes named twice too.
[[nodiscard]] NdArray fftn(FftKind kind, const NdArray& x,
                           std::optional<std::span<const std::int64_t>> lengths,
                           std::optional<std::span<const std::int64_t>> axes, FftNorm norm);

/// The frequencies of the bins of fft, or (`half`) of rfft, of n samples that are `spacing` apart.
/// `type` is real floating. Throws ValueError for n < 1 or a zero spacing, DtypeError.
[[nodiscard]] NdArray fft_frequencies(std::int64_t n, double spacing, Dtype type, Device device,
                                      bool half);

/// Moves the zero frequency to the middle of the axes (all by default), or, `back`, from there to
/// the front.
[[nodiscard]] NdArray fft_shift(const NdArray& x, std::optional<std::span<const std::int64_t>> axes,
                                bool back);

}  // namespace skerry
