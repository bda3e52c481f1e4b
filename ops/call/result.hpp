// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"

namespace skerry {

/// Uninitialised, C order. Throws ShapeError.
[[nodiscard]] NdArray empty(const Dims& shape, Dtype type, Device device);
/// Uninitialised, of a checked dense layout.
[[nodiscard]] NdArray empty_of(Layout layout, Dtype type, Device device);

/// Where this thread may write the elements of `x` itself, and at once: null where they are not in
/// the host's memory, or work on them may be under way.
[[nodiscard]] inline char* host_address(const NdArray& x) noexcept {
  return is_host(x.device()) ? x.data() : nullptr;
}

/// Throws ReadOnlyError, with the remedy, for a read-only target and for one in which two
/// elements share memory.
void require_writable(const NdArray& target);

}  // namespace skerry
