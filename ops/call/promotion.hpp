// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "core/promotion.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// The device of all arrays among `operands`. Throws device_mismatch_error that names `op`, each
/// array and the remedy.
device common_device(const char* op, std::span<const operand> operands);
/// The same for functions that take any number of arrays; the message calls them `arrays[0]`, ….
device common_device(const char* op, std::span<const ndarray> arrays);

/// What all of `operands` are computed in: the arrays promote, then each scalar takes their dtype
/// or raises its kind. At least one is an array; absent operands don't count. Throws dtype_error.
[[nodiscard]] dtype common_dtype(const char* op, std::span<const operand> operands);

/// Results by compute dtype, as in op_entry and reduction_entry.
using loop_table = std::optional<dtype>[dtype_count];

[[noreturn]] void reject_dtype(const char* op, const loop_table& results, dtype type);
/// The result dtype for `type`. Throws dtype_error that lists the dtypes that `op` takes.
inline dtype require_loop(const char* op, const loop_table& results, dtype type) {
  if (const std::optional<dtype> result = results[static_cast<int>(type)]) return *result;
  reject_dtype(op, results, type);
}
/// What a call in `type`, for which there is no loop, is computed in: the default dtype of the next
/// kind that has one, or a complex dtype of the precision of `type`; bool, the truth, where there
/// is a loop for that alone. Throws dtype_error that lists the dtypes that `op` takes, also where
/// promotion_is_strict().
[[nodiscard]] dtype loop_dtype(const char* op, const loop_table& results, dtype type);
/// The same, and `type` itself where it has a loop.
[[nodiscard]] inline dtype nearest_loop(const char* op, const loop_table& results, dtype type) {
  return results[static_cast<int>(type)] ? type : loop_dtype(op, results, type);
}

/// The common shape of the arrays among `operands`. Throws shape_error.
[[nodiscard]] dims common_shape(const char* op, std::span<const operand> operands);

/// Layout of a fresh result: C order, unless the axes of all arrays of the full shape are in one
/// other order, which is kept then. Throws shape_error for too many bytes.
[[nodiscard]] layout result_layout(const char* op, const dims& shape, dtype type,
                                   std::span<const operand> operands);

}  // namespace skerry
