// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry {

/// Returns an uninitialized array in C order. Throws ShapeError if the shape is invalid, DtypeError
/// if the device lacks the dtype.
[[nodiscard]] NdArray empty(const Dims& shape, Dtype type, Device device);
/// Returns an uninitialized array. `layout` must be dense, and checked by the caller.
[[nodiscard]] NdArray empty_of(Layout layout, Dtype type, Device device);

/// Returns the address where this thread may write the elements of `x` immediately; null if they
/// are not in host memory, or pending work may use them.
[[nodiscard]] inline char* host_address(const NdArray& x) noexcept {
  return is_host(x.device()) ? x.data() : nullptr;
}

/// Throws ReadOnlyError if `target` is read-only, or if several of its elements share memory.
void require_writable(const NdArray& target);

}  // namespace skerry
