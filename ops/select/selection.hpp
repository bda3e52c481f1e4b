// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// An axis and the array that indexes it.
struct IndexedAxis {
  NdArray index;  ///< int64; broadcasts to the shape of the selection's index arrays
  std::int64_t size;
  std::int64_t stride;  ///< in bytes
  int number;           ///< number of the axis in error messages
};

/// Elements of an array selected by index arrays, for reading and writing.
struct Selection {
  /// Layout of the result. Along the axes of the index arrays, strides are 0, or those with which
  /// the array is traversed together with the indices (take_along_axis).
  Layout layout;
  int first = 0;  ///< position of the index arrays' axes in the result
  Dims index_shape;
  std::vector<IndexedAxis> axes;  ///< at least one
};

/// Converts `index` to what kernels expect: int64, on the same device. uint64 values beyond int64
/// remain out of bounds. The caller has checked the dtype.
[[nodiscard]] NdArray as_indices(const NdArray& index);

/// Returns a new array in C order. Throws IndexError: at once on a CPU device or for an empty axis,
/// and at a later synchronization for a CUDA device (DeferredError).
[[nodiscard]] NdArray gather(const NdArray& x, const Selection& selection);

/// Writes `values`, which broadcast to the selection's shape, have the dtype of `x` and share no
/// memory with it. For an out-of-bounds index, nothing is written on a CPU device, and only that
/// element is skipped on a CUDA device. If two values go to one element, the last is kept on a CPU
/// device and any on a CUDA device; `is_unique` promises that this does not occur.
void scatter(const NdArray& x, const Selection& selection, const NdArray& values, bool is_unique);

/// True if `x[index]` is a single non-empty run on a CPU device, with both arrays 1-D. Most such
/// calls are so small that building a selection would take longer; on other devices the launch
/// dominates.
[[nodiscard]] inline bool is_1d_on_host(const NdArray& x, const NdArray& index) {
  return x.rank() == 1 && index.rank() == 1 && index.dtype() == Dtype::int64 &&
         is_host(x.device()) && x.shape()[0] > 0 && index.shape()[0] > 0;
}
/// gather() for a run.
[[nodiscard]] NdArray gather_run(const NdArray& x, const NdArray& index);
/// scatter() for a run; stores `value` everywhere if `values` is null.
void scatter_run(const NdArray& x, const NdArray& index, const NdArray* values,
                 const Element& value);

}  // namespace skerry
