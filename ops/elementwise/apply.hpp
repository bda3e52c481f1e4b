// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ops/call/operand.hpp"
#include "ops/elementwise/op_table.hpp"

namespace skerry {

class recording;

/// Applies an elementwise operation: common device → dtypes → broadcast → allocate → plan →
/// enqueue. At least one operand is an array. Throws device_mismatch_error, dtype_error,
/// overflow_error, shape_error, out_of_memory_error.
[[nodiscard]] ndarray apply(op_id op, std::span<const operand> operands);

/// The same under another name in messages, for functions that are made of operations.
[[nodiscard]] ndarray apply_as(const char* name, op_id op, std::span<const operand> operands);
[[nodiscard]] ndarray record_as(recording& to, const char* name, op_id op,
                                std::span<const operand> operands);

/// `target op= operands[1…]`: as `target[...] = op(target, …)`, in place where that gives the same.
/// operands[0] is the target. Throws read_only_error, and dtype_error or shape_error if the result
/// does not fit the target's dtype or shape.
void apply_into(op_id op, const ndarray& target, std::span<const operand> operands);

// The same, recorded: the checks are those of the calls, in the same order. Operands may be
// pending.
[[nodiscard]] ndarray record(recording& to, op_id op, std::span<const operand> operands);
/// What becomes of a pending `target` by apply_into().
[[nodiscard]] ndarray record_into(recording& to, op_id op, const ndarray& target,
                                  std::span<const operand> operands);
[[nodiscard]] ndarray record_where(recording& to, const operand& condition, const operand& x1,
                                   const operand& x2);
[[nodiscard]] ndarray record_clip(recording& to, const ndarray& x, const operand& min,
                                  const operand& max);

/// `where(condition, x1, x2)`: condition is an array, of which the truth counts; x1 and x2 promote.
/// Where both are scalars, the result has the default dtype of the wider kind.
[[nodiscard]] ndarray where(const operand& condition, const operand& x1, const operand& x2);

/// `clip(x, min, max)`: either bound may be absent (null pointers in the operand). The result has
/// the dtype of x, or that to which x and bounds of a wider dtype promote.
[[nodiscard]] ndarray clip(const ndarray& x, const operand& min, const operand& max);

}  // namespace skerry
