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

/// `target op= operands[1…]`: as `target[...] = op(target, …)`, in place where that gives the same.
/// operands[0] is the target. Throws ReadOnlyError, and DtypeError or ShapeError if the result
/// does not fit the target's dtype or shape.
void apply_into(op_id op, const NdArray& target, std::span<const Operand> operands);

// The same, recorded: the checks are those of the calls, in the same order. Operands may be
// pending.
[[nodiscard]] PendingArray record(Recording& recording, op_id op,
                                  std::span<const Operand> operands);
/// What becomes of the first operand by apply_into().
[[nodiscard]] PendingArray record_into(Recording& recording, op_id op,
                                       std::span<const Operand> operands);
[[nodiscard]] PendingArray record_where(Recording& recording, const Operand& condition,
                                        const Operand& x1, const Operand& x2);
[[nodiscard]] PendingArray record_clip(Recording& recording, const Operand& x, const Operand& min,
                                       const Operand& max);

/// `where(condition, x1, x2)`: condition is an array, of which the truth counts; x1 and x2 promote.
/// Where both are scalars, the result has the default dtype of the wider kind.
[[nodiscard]] NdArray where(const Operand& condition, const Operand& x1, const Operand& x2);

/// `clip(x, min, max)`: either bound may be absent (null pointers in the operand). The result has
/// the dtype of x, or that to which x and bounds of a wider dtype promote.
[[nodiscard]] NdArray clip(const NdArray& x, const Operand& min, const Operand& max);

}  // namespace skerry
