// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

enum class FftSide : std::uint8_t { real, complex };

/// Throws LibraryError where the library that transforms `x` can't be opened or was not built in.
void require_fft_library(const NdArray& x);

/// How the transforms of one call are enqueued: in which pieces, over which copies. Arrays have at
/// least one element.
struct FftPlan {
  bool forward;
  double scale;

  /// A fresh complex array, whatever the dtype of `x`; a fresh copy for no axes.
  [[nodiscard]] NdArray complex_to_complex(const NdArray& x, const Dims& axes) const;
  /// `x` is complex, C-contiguous and nobody else's; the result may be it.
  [[nodiscard]] NdArray complex_in_place(const NdArray& x, const Dims& axes) const;
  /// The half of the spectrum that determines it, or (`mirrored`, on CPU devices) all of it.
  [[nodiscard]] NdArray real_to_complex(const NdArray& x, int axis, bool mirrored) const;
  /// `length` elements along the axis.
  [[nodiscard]] NdArray complex_to_real(const NdArray& x, int axis, std::int64_t length) const;
};

}  // namespace skerry
