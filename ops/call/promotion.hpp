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

/// Returns the device of all arrays among `operands`. Throws DeviceMismatchError that names each
/// array and the remedy.
Device common_device(std::span<const Operand> operands);
/// The same for functions that take any number of arrays; the message calls them `arrays[0]`, ….
Device common_device(std::span<const NdArray> arrays);

/// Returns the compute dtype: the arrays promote, then each scalar takes their dtype or raises its
/// kind. At least one of `operands` is an array; absent ones don't count. Throws DtypeError.
[[nodiscard]] Dtype common_dtype(std::span<const Operand> operands);

/// Results by compute dtype, as in OpEntry and ReductionEntry.
using result_dtype_table = std::optional<Dtype>[dtype_count];

[[noreturn]] void reject_dtype(const result_dtype_table& results, Dtype type);
/// The result dtype for `type`. Throws DtypeError that lists those that are accepted.
inline Dtype require_result_dtype(const result_dtype_table& results, Dtype type) {
  if (const std::optional<Dtype> result = results[static_cast<int>(type)]) return *result;
  reject_dtype(results, type);
}
/// Returns the compute dtype for `type`, which has no loop: the default dtype of the next kind that
/// has one, or a complex dtype of the precision of `type`; bool if that is the only loop. Throws
/// DtypeError that lists the accepted dtypes, always if promotion_is_strict().
[[nodiscard]] Dtype compute_dtype(const result_dtype_table& results, Dtype type);
/// Returns `type` if it has a loop, otherwise compute_dtype().
[[nodiscard]] inline Dtype nearest_loop(const result_dtype_table& results, Dtype type) {
  return results[static_cast<int>(type)] ? type : compute_dtype(results, type);
}

/// Returns the broadcast shape of the arrays among `operands`. Throws ShapeError.
[[nodiscard]] Dims common_shape(std::span<const Operand> operands);

/// Returns the layout of a new result: C order, unless all arrays of the full shape have the same
/// other order of axes, which it then has, too. Throws ShapeError for too many bytes.
[[nodiscard]] Layout result_layout(const Dims& shape, Dtype type,
                                   std::span<const Operand> operands);

}  // namespace skerry
