// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

// Products of numeric arrays, in the dtype that they promote to; integers wrap around, float16 is
// added up in float32 and rounded once. All throw device_mismatch_error, dtype_error, shape_error,
// axis_error; library_error where a CPU device needs OpenBLAS and it is not there.

/// Matrices in the last two axes, stacks of them in the others, which broadcast; a 1-D argument is
/// a row (x1) or a column (x2) that the result lacks.
[[nodiscard]] ndarray matmul(const ndarray& x1, const ndarray& x2);
/// `target @= x2`.
void matmul_into(const ndarray& target, const ndarray& x2);
/// Sums of conj(x1) * x2 along `axis`, which counts from the end (-1 is the last) and must have the
/// same size in both; the other axes broadcast.
[[nodiscard]] ndarray vecdot(const ndarray& x1, const ndarray& x2, std::int64_t axis);
/// Sums over pairs of axes, one from each array.
[[nodiscard]] ndarray tensordot(const ndarray& x1, const ndarray& x2,
                                std::span<const std::int64_t> axes1,
                                std::span<const std::int64_t> axes2);
/// x1[i] * x2[j]; both are 1-D.
[[nodiscard]] ndarray outer(const ndarray& x1, const ndarray& x2);

}  // namespace skerry
