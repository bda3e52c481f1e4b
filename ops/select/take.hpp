// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Selection by integer arrays. All functions throw DeviceMismatchError, DtypeError, AxisError and
// ShapeError at once. An out-of-bounds index raises IndexError: at once on a CPU device, at a later
// synchronization for a CUDA device.

/// Takes elements along an axis, which the axes of `indices` replace. `axis` may be empty for 1-D
/// arrays.
[[nodiscard]] NdArray take(const NdArray& x, const NdArray& indices,
                           std::optional<std::int64_t> axis);
/// `x[indices]`: takes along the first axis.
[[nodiscard]] NdArray take_first(const NdArray& x, const NdArray& indices);
/// out[..., j, ...] = x[..., indices[..., j, ...], ...]; the other axes broadcast.
[[nodiscard]] NdArray take_along_axis(const NdArray& x, const NdArray& indices, std::int64_t axis);
/// Returns the coordinates of nonzero elements, an int64 array per axis. Synchronizes.
[[nodiscard]] std::vector<NdArray> nonzero(const NdArray& x);
/// Repeats element `i` along an axis `repeats[i]` times. Synchronizes.
[[nodiscard]] NdArray repeat(const NdArray& x, const NdArray& repeats,
                             std::optional<std::int64_t> axis);

/// Throws DtypeError unless x has an integer dtype.
void require_integers(const char* argument, const NdArray& x);

}  // namespace skerry
