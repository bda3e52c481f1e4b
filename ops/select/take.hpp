// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Elements by integer arrays. All throw DeviceMismatchError, DtypeError, AxisError and
// ShapeError at once; an index out of bounds is an IndexError at once on a CPU device and at a
// later wait for a CUDA device.

/// Elements along an axis; the axes of `indices` are in its place. `axis` is empty for 1-D arrays.
[[nodiscard]] NdArray take(const NdArray& x, const NdArray& indices,
                           std::optional<std::int64_t> axis);
/// `x[indices]`: of the first axis.
[[nodiscard]] NdArray take_first(const NdArray& x, const NdArray& indices);
/// out[…, j, …] = x[…, indices[…, j, …], …]: the other axes broadcast.
[[nodiscard]] NdArray take_along_axis(const NdArray& x, const NdArray& indices, std::int64_t axis);
/// The coordinates of elements that are not 0, an int64 array for each axis. Waits for the device.
[[nodiscard]] std::vector<NdArray> nonzero(const NdArray& x);
/// Element `i` along an axis `repeats[i]` times. Waits for the device.
[[nodiscard]] NdArray repeat(const NdArray& x, const NdArray& repeats,
                             std::optional<std::int64_t> axis);

/// Throws DtypeError unless it is of an integer dtype.
void require_integers(const char* argument, const NdArray& x);

}  // namespace skerry
