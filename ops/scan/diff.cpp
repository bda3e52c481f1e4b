// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan/diff.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/join.hpp"
#include "ops/move/views.hpp"

namespace skerry {

NdArray diff(const NdArray& x, std::int64_t axis, std::int64_t n, const NdArray* prepend,
             const NdArray* append) {
  std::vector<NdArray> parts;
  std::vector<Operand> operands;
  for (const auto& [array, name] : {std::pair{prepend, "prepend"}, {&x, "x"}, {append, "append"}}) {
    if (array == nullptr) continue;
    parts.push_back(*array);
    operands.push_back({.array = array, .name = name});
  }
  static_cast<void>(common_device(operands));
  const Dtype type = common_dtype(operands);
  const bool is_bool = type == Dtype::bool_;
  const op_id difference = is_bool ? op_id_of<ops::not_equal> : op_id_of<ops::subtract>;
  require_result_dtype(op_table()[difference].result, type);
  if (n < 0) throw ValueError("n is negative: " + std::to_string(n));
  const int along = normalize_axis(axis, x.rank());
  check_shapes(parts, along);
  if (n == 0) return astype(x, type, true);
  NdArray result = parts.size() > 1 ? join(parts, along, type) : x;
  for (; n > 0 && result.size() > 0; --n) {
    const std::int64_t left = std::max<std::int64_t>(result.shape()[along] - 1, 0);
    const NdArray high = slice_of(result, along, 1, left);
    const NdArray low = slice_of(result, along, 0, left);
    const Operand both[] = {{.array = &high, .name = "x"}, {.array = &low, .name = "x"}};
    result = apply(difference, both);
  }
  if (n > 0) {  // no elements left: only the length still changes
    Dims shape = result.shape();
    shape[along] = std::max<std::int64_t>(shape[along] - n, 0);
    return empty(shape, type, x.device());
  }
  return result;
}

}  // namespace skerry
