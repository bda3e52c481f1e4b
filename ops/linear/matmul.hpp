// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/ndarray.hpp"

namespace skerry {

// Products of numeric arrays, in their common dtype. Integers wrap around; float16 and bfloat16 are
// accumulated in float32 and rounded once. All functions throw DeviceMismatchError, DtypeError,
// ShapeError, AxisError, and LibraryError if a CPU device needs OpenBLAS and it is missing.

/// Matrices are in the last two axes; the others form stacks, which broadcast. A 1-D argument is a
/// row (x1) or a column (x2), and the result lacks that axis.
[[nodiscard]] NdArray matmul(const NdArray& x1, const NdArray& x2);
/// Multiplies into `output`, which is writable and on the device of x1 and x2. Returns false,
/// without any effect, if the result has another dtype or shape. The kernel writes to `output`
/// itself if its layout permits and it overlaps no operand.
[[nodiscard]] bool matmul_to_output(const NdArray& output, const NdArray& x1, const NdArray& x2);
/// `target @= x2`.
void matmul_into(const NdArray& target, const NdArray& x2);
/// Sums conj(x1) * x2 along `axis`, which counts from the end (-1 is the last) and must have the
/// same extent in both; the other axes broadcast.
[[nodiscard]] NdArray vecdot(const NdArray& x1, const NdArray& x2, std::int64_t axis);
/// Sums over pairs of axes, one from each array.
[[nodiscard]] NdArray tensordot(const NdArray& x1, const NdArray& x2,
                                std::span<const std::int64_t> axes1,
                                std::span<const std::int64_t> axes2);
/// Returns x1[i] * x2[j]; both are 1-D.
[[nodiscard]] NdArray outer(const NdArray& x1, const NdArray& x2);

}  // namespace skerry
