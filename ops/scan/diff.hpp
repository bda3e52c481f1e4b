// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"

namespace skerry {

/// Returns the `n`-th differences along an axis of prepend, x and append, concatenated (prepend and
/// append may be null).
[[nodiscard]] NdArray diff(const NdArray& x, std::int64_t axis, std::int64_t n,
                           const NdArray* prepend, const NdArray* append);

}  // namespace skerry
