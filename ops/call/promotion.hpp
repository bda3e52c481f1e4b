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

/// Returns the device of the arrays among `operands`. Throws DeviceMismatchError, which names each
/// array and the remedy, if they are on several devices.
Device common_device(std::span<const Operand> operands);
/// The same for functions of any number of arrays; the message names them `arrays[0]`, ….
Device common_device(std::span<const NdArray> arrays);

/// Returns the compute dtype: the promoted dtype of the arrays, raised to a higher kind if a scalar
/// has one. At least one of `operands` must be an array. Throws DtypeError.
[[nodiscard]] Dtype common_dtype(std::span<const Operand> operands);

/// The result dtype for each compute dtype, as in OpEntry and ReductionEntry; empty if unsupported.
using result_dtype_table = std::optional<Dtype>[dtype_count];

[[noreturn]] void reject_dtype(const result_dtype_table& results, Dtype type);
/// Returns the result dtype for `type`. Throws DtypeError, which lists the accepted dtypes.
inline Dtype require_result_dtype(const result_dtype_table& results, Dtype type) {
  if (const std::optional<Dtype> result = results[static_cast<int>(type)]) return *result;
  reject_dtype(results, type);
}
/// Returns the compute dtype for a `type` without a loop: the default dtype of the next higher kind
/// that has a loop (complex: of the precision of a floating `type`), or bool if only bool has one.
/// Throws DtypeError, which lists the accepted dtypes, if no loop fits, and always if
/// promotion_is_strict().
[[nodiscard]] Dtype compute_dtype(const result_dtype_table& results, Dtype type);
/// Returns `type` if it has a loop, otherwise compute_dtype().
[[nodiscard]] inline Dtype nearest_loop(const result_dtype_table& results, Dtype type) {
  return results[static_cast<int>(type)] ? type : compute_dtype(results, type);
}

/// Returns the broadcast shape of the arrays among `operands`. Throws ShapeError.
[[nodiscard]] Dims common_shape(std::span<const Operand> operands);

/// Returns the layout of a new result: C order, unless all arrays of the full shape share another
/// order of axes, which the result then has too. Throws ShapeError if the result is too large.
[[nodiscard]] Layout result_layout(const Dims& shape, Dtype type,
                                   std::span<const Operand> operands);

}  // namespace skerry
