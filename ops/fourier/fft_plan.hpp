// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

enum class FftSide : std::uint8_t { real, complex };

/// Throws LibraryError if the library that transforms `x` cannot be opened or was not built in.
void require_fft_library(const NdArray& x);

/// Enqueues the transforms of one call: splits them into groups of axes, and copies where needed.
/// Arrays have at least one element.
struct FftPlan {
  bool forward;
  double scale;

  /// Returns a new complex array, whatever the dtype of `x`; a copy for no axes.
  [[nodiscard]] NdArray complex_to_complex(const NdArray& x, const Dims& axes) const;
  /// `x` is complex, C-contiguous and not shared; the result may be `x` itself.
  [[nodiscard]] NdArray complex_in_place(const NdArray& x, const Dims& axes) const;
  /// Returns the half of the spectrum that determines it or, if `mirrored` (on CPU devices), all of
  /// it.
  [[nodiscard]] NdArray real_to_complex(const NdArray& x, int axis, bool mirrored) const;
  /// Returns `length` elements along the axis.
  [[nodiscard]] NdArray complex_to_real(const NdArray& x, int axis, std::int64_t length) const;
};

}  // namespace skerry
