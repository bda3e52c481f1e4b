// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/int_out_of_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/scalar_conversion.hpp"
#include "core/scalar_range.hpp"

namespace skerry {
namespace {

int side_of(const Operand& x, Dtype type) {
  return x.value == nullptr ? 0 : out_of_range_side(*x.value, type);
}

/// Returns the comparison with its operands exchanged.
op_id mirrored(op_id op) {
  switch (op) {
    case op_id_of<ops::less>:
      return op_id_of<ops::greater>;
    case op_id_of<ops::less_equal>:
      return op_id_of<ops::greater_equal>;
    case op_id_of<ops::greater>:
      return op_id_of<ops::less>;
    case op_id_of<ops::greater_equal>:
      return op_id_of<ops::less_equal>;
    default:
      return op;
  }
}

bool is_comparison(op_id op) {
  return op == op_id_of<ops::equal> || op == op_id_of<ops::not_equal> || mirrored(op) != op;
}

/// Returns the side of the range (1: above, -1: below) on which an operand has no effect.
int neutral_side(op_id op, std::size_t position) {
  const bool is_upper_limit = op == op_id_of<ops::minimum> || op == op_id_of<ops::fmin> ||
                              (op == op_id_of<ops::clip> && position == 2);
  return is_upper_limit ? 1 : -1;
}

}  // namespace

bool has_out_of_range_int(Dtype type, std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [&](const Operand& x) { return side_of(x, type) != 0; });
}

CallInRange::CallInRange(op_id op, Dtype type, std::span<const Operand> operands)
    : op_(op), count_(operands.size()) {
  std::ranges::copy(operands, operands_);
  if (!is_comparison(op)) {
    limit(type);
    return;
  }
  if (side_of(operands_[0], type) != 0) {
    std::swap(operands_[0], operands_[1]);
    op_ = mirrored(op);
  }
  compare(type, side_of(operands_[1], type));
}

/// Replaces a comparison of an array with a value that is out of its range on `side`. The new
/// comparison has the same result for NaN, too.
void CallInRange::compare(Dtype type, int side) {
  const bool is_equality = op_ == op_id_of<ops::equal> || op_ == op_id_of<ops::not_equal>;
  operands_[1].value = &values_[1];
  if (is_equality && !is_integer(type)) {
    values_[1] =
        Scalar::from_value(std::numeric_limits<double>::quiet_NaN());  // also equals no element
    return;
  }
  values_[1] = last_value(type, side);
  const bool is_below = op_ == op_id_of<ops::less> || op_ == op_id_of<ops::less_equal>;
  const bool holds_inside =
      op_ == op_id_of<ops::not_equal> || (!is_equality && is_below == (side > 0));
  if (side > 0) {
    op_ = holds_inside ? op_id_of<ops::less_equal> : op_id_of<ops::greater>;
  } else {
    op_ = holds_inside ? op_id_of<ops::greater_equal> : op_id_of<ops::less>;
  }
}

/// Replaces limits out of range by the end of the range, or for floats by an infinity.
void CallInRange::limit(Dtype type) {
  for (std::size_t i = 0; i < count_; ++i) {
    const int side = side_of(operands_[i], type);
    if (side == 0) continue;
    // clip applies the upper limit after the lower one.
    const bool is_limited =
        op_ == op_id_of<ops::clip> && i == 1 && side_of(operands_[2], type) != 1;
    if (side != neutral_side(op_, i) && !is_limited) {
      static_cast<void>(to_element(*operands_[i].value, type));  // throws, unless it rounds
    }
    values_[i] = is_integer(type) ? last_value(type, side) : Scalar::from_value(side * HUGE_VAL);
    operands_[i].value = &values_[i];
  }
}

}  // namespace skerry
