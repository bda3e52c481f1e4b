// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// Index arrays along an axis of an array.
struct IndexedAxis {
  NdArray index;  ///< int64; broadcasts to the shape of the selection's index arrays
  std::int64_t size;
  std::int64_t stride;  ///< bytes
  int number;           ///< of the axis, as messages name it
};

/// Elements of an array that index arrays choose: what `take` reads and `x[index] = y` writes.
struct Selection {
  /// Shape of the result. Along the axes of the index arrays the strides are 0, or those by which
  /// the array is walked beside the indices (take_along_axis).
  Layout layout;
  int first = 0;  ///< of the axes of the result that are those of the index arrays
  Dims index_shape;
  std::vector<IndexedAxis> axes;  ///< at least one
};

/// `index` as kernels take it: int64, on the same device. Values of uint64 beyond int64 stay out of
/// any bounds. The caller has checked the dtype.
[[nodiscard]] NdArray as_indices(const NdArray& index);

/// A fresh array, C order. Throws IndexError: at once on a CPU device and for an axis without
/// elements, at a later wait for a CUDA device (DeferredError).
[[nodiscard]] NdArray gather(const NdArray& x, const Selection& selection);

/// `values` broadcast to the selection's shape and have the dtype of `x`, with which they share no
/// memory. Nothing is written where an index is out of bounds: on a CPU device to the whole array,
/// on a CUDA device to that element. If two values go to one element, the last stays on a CPU
/// device and any on a CUDA device. `is_unique` promises that there are none.
void scatter(const NdArray& x, const Selection& selection, const NdArray& values, bool is_unique);

/// Whether `x[index]` is one run along the one axis of both, on a CPU device, and not empty: most
/// such calls are so small that a selection would take longer than they do. Elsewhere a launch
/// takes longer than either.
[[nodiscard]] inline bool is_1d_on_host(const NdArray& x, const NdArray& index) {
  return x.rank() == 1 && index.rank() == 1 && index.dtype() == Dtype::int64 &&
         is_host(x.device()) && x.shape()[0] > 0 && index.shape()[0] > 0;
}
/// gather() of a run.
[[nodiscard]] NdArray gather_run(const NdArray& x, const NdArray& index);
/// scatter() to a run, of an element where there are no values.
void scatter_run(const NdArray& x, const NdArray& index, const NdArray* values,
                 const Element& value);

}  // namespace skerry
