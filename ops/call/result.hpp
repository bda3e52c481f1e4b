// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry {

/// Returns an uninitialized array in C order. Throws ShapeError.
[[nodiscard]] NdArray empty(const Dims& shape, Dtype type, Device device);
/// Returns an uninitialized array with a dense layout that has been checked.
[[nodiscard]] NdArray empty_of(Layout layout, Dtype type, Device device);

/// Returns the address where this thread may write the elements of `x` immediately; null if they
/// are not in host memory, or pending work may use them.
[[nodiscard]] inline char* host_address(const NdArray& x) noexcept {
  return is_host(x.device()) ? x.data() : nullptr;
}

/// Throws ReadOnlyError, with the remedy, for a read-only target and for one whose elements share
/// memory.
void require_writable(const NdArray& target);

}  // namespace skerry
