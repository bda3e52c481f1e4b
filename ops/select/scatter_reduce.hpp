// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"
#include "ops/select/scatter_kernels.hpp"

namespace skerry {

/// x.flat[index] = x.flat[index] op values, for an index that occurs several times as often as it
/// does. In place; `index` counts the elements of x in C order, from the end where it is negative.
/// `values` broadcast to its shape and convert to the dtype of x. The same bits for any number of
/// threads. Throws DeviceMismatchError, ReadOnlyError, DtypeError, ShapeError, IndexError
/// (on a CUDA device at a later wait); x is as it was then.
void scatter_reduce(ScatterOp op, const NdArray& x, const NdArray& index, const Operand& values);

}  // namespace skerry
