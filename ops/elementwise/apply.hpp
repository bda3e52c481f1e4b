// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ops/call/operand.hpp"
#include "ops/elementwise/op_table.hpp"

namespace skerry {

struct PendingArray;
class Recording;

/// Applies an elementwise operation: common device → dtypes → broadcast → allocate → plan →
/// enqueue. At least one operand is an array. Throws DeviceMismatchError, DtypeError,
/// OverflowError, ShapeError, OutOfMemoryError.
[[nodiscard]] NdArray apply(op_id op, std::span<const Operand> operands);

/// Computes `target op= operands[1…]`, that is, `target[...] = op(target, …)`: in place unless
/// overlapping operands would change the result. operands[0] is the target. Throws ReadOnlyError,
/// and DtypeError or ShapeError if the result does not have the target's dtype or shape.
void apply_into(op_id op, const NdArray& target, std::span<const Operand> operands);

/// Computes an operation into `output`, as out= of NumPy's ufuncs. Returns false, without any
/// effect, unless the result has the device, the dtype and the shape of `output`, which is
/// writable. Throws like apply().
[[nodiscard]] bool apply_to_output(op_id op, const NdArray& output,
                                   std::span<const Operand> operands);

// Record these calls, with the same checks in the same order. Operands may be pending.
[[nodiscard]] PendingArray record(Recording& recording, op_id op,
                                  std::span<const Operand> operands);
/// Returns the new value of the first operand of apply_into().
[[nodiscard]] PendingArray record_into(Recording& recording, op_id op,
                                       std::span<const Operand> operands);
[[nodiscard]] PendingArray record_where(Recording& recording, const Operand& condition,
                                        const Operand& x1, const Operand& x2);
[[nodiscard]] PendingArray record_clip(Recording& recording, const Operand& x, const Operand& min,
                                       const Operand& max);

/// Returns x1 where `condition` is true (nonzero), x2 elsewhere; x1 and x2 promote. If both are
/// scalars, the result has the default dtype of the higher kind.
[[nodiscard]] NdArray where(const Operand& condition, const Operand& x1, const Operand& x2);

/// Limits x to [min, max]; either bound may be absent (an operand of null pointers). The result has
/// the dtype to which x and the bounds promote.
[[nodiscard]] NdArray clip(const NdArray& x, const Operand& min, const Operand& max);

}  // namespace skerry
