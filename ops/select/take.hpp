// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ndarray.hpp"

namespace skerry {

// Elements by integer arrays. All throw device_mismatch_error, dtype_error, axis_error and
// shape_error at once; an index out of bounds is an index_error at once on a CPU device and at a
// later wait for a CUDA device.

/// Elements along an axis; the axes of `indices` are in its place. `axis` is empty for 1-D arrays.
[[nodiscard]] ndarray take(const ndarray& x, const ndarray& indices,
                           std::optional<std::int64_t> axis);
/// `x[indices]`: of the first axis.
[[nodiscard]] ndarray take_first(const char* op, const ndarray& x, const ndarray& indices);
/// out[…, j, …] = x[…, indices[…, j, …], …]: the other axes broadcast.
[[nodiscard]] ndarray take_along_axis(const ndarray& x, const ndarray& indices, std::int64_t axis);
/// The coordinates of elements that are not 0, an int64 array for each axis. Waits for the device.
[[nodiscard]] std::vector<ndarray> nonzero(const ndarray& x);
/// Element `i` along an axis `repeats[i]` times. Waits for the device.
[[nodiscard]] ndarray repeat(const ndarray& x, const ndarray& repeats,
                             std::optional<std::int64_t> axis);

/// Throws dtype_error unless it is of an integer dtype.
void require_integers(const char* op, const char* argument, const ndarray& x);

}  // namespace skerry
