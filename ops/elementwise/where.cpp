// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"

namespace skerry {
namespace {

/// Throws for a condition that is not of bools, or of numbers where mixes are not refused.
void check_condition(const operand& condition) {
  const bool is_bool = condition.array != nullptr ? condition.array->dtype() == dtype::bool_
                                                  : condition.value->kind == scalar_kind::boolean;
  if (is_bool || !promotion_is_strict()) return;
  throw dtype_error(std::string("where: condition must be a bool array, not ") +
                    (condition.array != nullptr ? describe(*condition.array) : "a Python number") +
                    "; compare it, as in x != 0");
}

/// For two scalars, the default dtype of the wider kind.
dtype default_of_both(const scalar& x1, const scalar& x2) {
  const bool swap = static_cast<int>(x1.kind) < static_cast<int>(x2.kind);
  return promote_scalar("where", default_dtype((swap ? x2 : x1).kind), swap ? x1 : x2);
}

dtype choice_dtype(const operand& x1, const operand& x2) {
  if (x1.value != nullptr && x2.value != nullptr) return default_of_both(*x1.value, *x2.value);
  const operand both[] = {x1, x2};
  return common_dtype("where", both);
}

/// `x` as the kernel takes it. Returns what owns a cast.
ndarray cast(const operand& x, dtype type) {
  if (x.array == nullptr) return {};
  return x.array->dtype() == type ? *x.array : convert_operand(*x.array, type);
}

void add(kernel_call& call, const operand& x, const ndarray& array, dtype type) {
  if (x.array != nullptr) {
    call.add(array);
  } else {
    const bool is_truth = type == dtype::bool_;  // of any number
    const scalar value = is_truth ? cast_scalar("where", *x.value, type) : *x.value;
    call.add(to_element("where", value, type), itemsize(type));
  }
}

/// Throws unless the bound goes with x: without changing its dtype, where mixes are refused.
void check_bound(const ndarray& x, const operand& bound) {
  const std::optional<dtype> type = bound.array != nullptr
                                        ? promote_kinds(x.dtype(), bound.array->dtype())
                                        : promote_scalar_kind("clip", x.dtype(), *bound.value);
  if (type == x.dtype()) return;
  const bool is_real = type && kind(*type) != dtype_kind::complex_floating;
  if (is_real && !promotion_is_strict()) return;
  throw dtype_error(std::string("clip: ") + bound.name + " does not go into the dtype of x: " +
                    (bound.array != nullptr ? name(bound.array->dtype()) : "complex") + " into " +
                    name(x.dtype()) + "; convert x with astype");
}

}  // namespace

ndarray where(const operand& condition, const operand& x1, const operand& x2) {
  const operand all[] = {condition, x1, x2};
  const device place = common_device("where", all);
  check_condition(condition);
  const dtype type = choice_dtype(x1, x2);
  const dims shape = common_shape("where", all);
  layout fresh = result_layout("where", shape, type, all);
  const kernel& loop = require_kernel(
      "where", kernels<moves_kernels>(place).where[size_class(itemsize(type))], type, place);
  const ndarray truth = cast(condition, dtype::bool_);  // numbers by their truth
  const ndarray first = cast(x1, type);
  const ndarray second = cast(x2, type);
  ndarray out = empty_of(std::move(fresh), type, place);
  kernel_call call(out);
  add(call, condition, truth, dtype::bool_);
  add(call, x1, first, type);
  add(call, x2, second, type);
  call.enqueue(loop);
  return out;
}

ndarray record_where(recording& to, const operand& condition, const operand& x1,
                     const operand& x2) {
  const operand all[] = {condition, x1, x2};
  const device place = common_device("where", all);
  check_condition(condition);
  const dtype type = choice_dtype(x1, x2);
  const dims shape = common_shape("where", all);
  layout fresh = result_layout("where", shape, type, all);
  const kernel& loop = require_kernel(
      "where", kernels<moves_kernels>(place).where[size_class(itemsize(type))], type, place);
  recorded_input inputs[3];
  ndarray casts[3];
  for (int i = 0; i < 3; ++i) {
    inputs[i].type = i == 0 ? dtype::bool_ : type;
    if (all[i].array == nullptr) {
      inputs[i].value = to_element("where", *all[i].value, type);
    } else if (all[i].array->dtype() == inputs[i].type) {
      inputs[i].array = all[i].array;
    } else {
      casts[i] = record_operand(to, *all[i].array, inputs[i].type, shape);
      inputs[i].array = &casts[i];
    }
  }
  return to.append<layout&&>(loop, {"choose"}, std::move(fresh), type, place, inputs);
}

namespace {

/// `apply` gets the operation that clip() is, and its operands; `copied` is called where there is
/// no bound.
template <class Apply, class Copied>
ndarray clip_by(const ndarray& x, const operand& min, const operand& max, Apply apply,
                Copied copied) {
  constexpr op_id limit_both = op_id_of<ops::clip>;
  std::array<operand, 3> all{{{.array = &x, .name = "x"}}};
  std::size_t count = 1;
  for (const operand* bound : {&min, &max}) {
    if (bound->array != nullptr || bound->value != nullptr) all[count++] = *bound;
  }
  const std::span<const operand> given(all.data(), count);
  static_cast<void>(common_device("clip", given));
  static_cast<void>(nearest_loop("clip", op_table()[limit_both].result, x.dtype()));
  for (const operand& bound : given.subspan(1)) check_bound(x, bound);
  if (count == 1) return copied();
  if (count == 3) return apply(limit_both, given);
  const bool only_min = min.array != nullptr || min.value != nullptr;
  return apply(only_min ? op_id_of<ops::maximum> : op_id_of<ops::minimum>, given);
}

}  // namespace

ndarray clip(const ndarray& x, const operand& min, const operand& max) {
  return clip_by(
      x, min, max, [](op_id op, auto given) { return apply_as("clip", op, given); },
      [&] { return copy(x); });
}

ndarray record_clip(recording& to, const ndarray& x, const operand& min, const operand& max) {
  return clip_by(
      x, min, max, [&](op_id op, auto given) { return record_as(to, "clip", op, given); },
      [&] { return record_astype(to, x, x.dtype()); });
}

}  // namespace skerry
