// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// Index arrays along an axis of an array.
struct indexed_axis {
  ndarray index;  ///< int64; broadcasts to the shape of the selection's index arrays
  std::int64_t size;
  std::int64_t stride;  ///< bytes
  int number;           ///< of the axis, as messages name it
};

/// Elements of an array that index arrays choose: what `take` reads and `x[index] = y` writes.
struct selection {
  /// Shape of the result. Along the axes of the index arrays the strides are 0, or those by which
  /// the array is walked beside the indices (take_along_axis).
  layout place;
  int first = 0;  ///< of the axes of the result that are those of the index arrays
  dims index_shape;
  std::vector<indexed_axis> axes;  ///< at least one
};

/// `index` as kernels take it: int64, on the same device. Values of uint64 beyond int64 stay out of
/// any bounds. The caller has checked the dtype.
[[nodiscard]] ndarray as_indices(const ndarray& index);

/// A fresh array, C order. Throws index_error: at once on a CPU device and for an axis without
/// elements, at a later wait for a CUDA device (deferred_error).
[[nodiscard]] ndarray gather(const char* op, const ndarray& x, const selection& chosen);

/// `values` broadcast to the selection's shape and have the dtype of `x`, with which they share no
/// memory. Nothing is written where an index is out of bounds: on a CPU device to the whole array,
/// on a CUDA device to that element. If two values go to one element, the last stays on a CPU
/// device and any on a CUDA device. `is_unique` promises that there are none.
void scatter(const char* op, const ndarray& x, const selection& chosen, const ndarray& values,
             bool is_unique);

/// Whether `x[index]` is one run along the one axis of both, on a CPU device, and not empty: most
/// such calls are so small that a selection would take longer than they do.
[[nodiscard]] inline bool is_run(const ndarray& x, const ndarray& index) {
  return x.rank() == 1 && index.rank() == 1 && index.dtype() == dtype::int64 &&
         is_host(x.device()) && x.shape()[0] > 0 && index.shape()[0] > 0;
}
/// gather() of a run.
[[nodiscard]] ndarray gather_run(const char* op, const ndarray& x, const ndarray& index);
/// scatter() to a run, of an element where there are no values.
void scatter_run(const char* op, const ndarray& x, const ndarray& index, const ndarray* values,
                 const element& value);

}  // namespace skerry
