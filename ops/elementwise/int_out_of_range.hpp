// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/plan.hpp"
#include "ops/call/operand.hpp"
#include "ops/elementwise/op_id.hpp"

namespace skerry {

/// True for operations that accept a Python int out of range of the dtype: comparisons and limits.
[[nodiscard]] constexpr bool takes_any_int(op_id op) noexcept {
  switch (op) {
    case op_id_of<ops::clip>:
    case op_id_of<ops::equal>:
    case op_id_of<ops::fmax>:
    case op_id_of<ops::fmin>:
    case op_id_of<ops::greater>:
    case op_id_of<ops::greater_equal>:
    case op_id_of<ops::less>:
    case op_id_of<ops::less_equal>:
    case op_id_of<ops::maximum>:
    case op_id_of<ops::minimum>:
    case op_id_of<ops::not_equal>:
      return true;
    default:
      return false;
  }
}

/// True if a Python int among `operands` is out of range of `type`, the compute dtype.
[[nodiscard]] bool has_out_of_range_int(Dtype type, std::span<const Operand> operands);

/// Replaces a call with an int out of range by an equivalent one with numbers in range:
/// `uint8 < 300` becomes `uint8 <= 255`. Only for operations of takes_any_int().
class CallInRange {
 public:
  /// Throws OverflowError if the result is out of range, as that of maximum(uint8, 300) is.
  CallInRange(op_id op, Dtype type, std::span<const Operand> operands);
  CallInRange(const CallInRange&) = delete;
  CallInRange& operator=(const CallInRange&) = delete;

  [[nodiscard]] op_id op() const noexcept { return op_; }
  [[nodiscard]] std::span<const Operand> operands() const noexcept { return {operands_, count_}; }

 private:
  static constexpr std::size_t max_inputs = Plan::max_operands - 1;
  void compare(Dtype type, int side);
  void limit(Dtype type);

  op_id op_;
  std::size_t count_;
  Operand operands_[max_inputs];
  Scalar values_[max_inputs];
};

}  // namespace skerry
