// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"
#include "ops/select/scatter_kernels.hpp"

namespace skerry {

/// Computes x.flat[index] = x.flat[index] op values in place, once per occurrence of an index.
/// `index` counts the elements of x in C order; negative indices count from the end. `values`
/// broadcast to the shape of `index` and are converted to the dtype of x. Results do not depend on
/// the number of threads. Throws DeviceMismatchError, ReadOnlyError, DtypeError, ShapeError,
/// IndexError (for a CUDA device at a later synchronization), in which case x is unchanged.
void scatter_reduce(ScatterOp op, const NdArray& x, const NdArray& index, const Operand& values);

}  // namespace skerry
