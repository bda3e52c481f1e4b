// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"

namespace skerry {
namespace {

/// Throws for a condition that is not bool; numbers are allowed unless promotion is strict.
void check_condition(const Operand& condition) {
  const bool is_bool = condition.array != nullptr ? condition.array->dtype() == Dtype::bool_
                                                  : condition.value->kind == ScalarKind::boolean;
  if (is_bool || !promotion_is_strict()) return;
  throw DtypeError(std::string("condition must be a bool array, not ") +
                   (condition.array != nullptr ? describe(*condition.array) : "a Python number") +
                   "; compare it, as in x != 0");
}

/// Returns the default dtype of the higher kind of two scalars.
Dtype default_of_both(const Scalar& x1, const Scalar& x2) {
  const bool swap = static_cast<int>(x1.kind) < static_cast<int>(x2.kind);
  return promote_scalar(default_dtype((swap ? x2 : x1).kind), swap ? x1 : x2);
}

Dtype choice_dtype(const Operand& x1, const Operand& x2) {
  if (x1.value != nullptr && x2.value != nullptr) return default_of_both(*x1.value, *x2.value);
  const Operand both[] = {x1, x2};
  return common_dtype(both);
}

/// Returns `x` as an array of `type`, or an empty one for a scalar.
NdArray cast(const Operand& x, Dtype type) {
  if (x.array == nullptr) return {};
  return x.array->dtype() == type ? *x.array : convert_operand(*x.array, type);
}

void add(KernelCall& call, const Operand& x, const NdArray& array, Dtype type) {
  if (x.array != nullptr) {
    call.add(array);
  } else {
    const bool is_bool = type == Dtype::bool_;  // bool accepts any number
    const Scalar value = is_bool ? cast_scalar(*x.value, type) : *x.value;
    call.add(to_element(value, type), itemsize(type));
  }
}

/// Throws unless x and the bound promote to a real dtype; if promotion is strict, to the dtype of
/// x.
void check_bound(const NdArray& x, const Operand& bound) {
  const std::optional<Dtype> type = bound.array != nullptr
                                        ? promote_kinds(x.dtype(), bound.array->dtype())
                                        : promote_scalar_kind(x.dtype(), *bound.value);
  if (type == x.dtype()) return;
  const bool is_real = type && kind(*type) != DtypeKind::complex_floating;
  if (is_real && !promotion_is_strict()) return;
  throw DtypeError(std::string(bound.name) + " can't be converted to the dtype of x: " +
                   (bound.array != nullptr ? name(bound.array->dtype()) : "complex") + " to " +
                   name(x.dtype()) + "; convert x with astype");
}

}  // namespace

NdArray where(const Operand& condition, const Operand& x1, const Operand& x2) {
  const Operand all[] = {condition, x1, x2};
  const Device device = common_device(all);
  check_condition(condition);
  const Dtype type = choice_dtype(x1, x2);
  const Dims shape = common_shape(all);
  Layout layout = result_layout(shape, type, all);
  const Kernel<Plan>& loop = require_kernel(
      kernels<MovesKernels>(device).where_kernel[size_class(itemsize(type))], type, device);
  const NdArray mask = cast(condition, Dtype::bool_);  // nonzero numbers are true
  const NdArray first = cast(x1, type);
  const NdArray second = cast(x2, type);
  NdArray out = empty_of(std::move(layout), type, device);
  KernelCall call(out);
  add(call, condition, mask, Dtype::bool_);
  add(call, x1, first, type);
  add(call, x2, second, type);
  call.enqueue(loop);
  return out;
}

PendingArray record_where(Recording& recording, const Operand& condition, const Operand& x1,
                          const Operand& x2) {
  const Operand all[] = {condition, x1, x2};
  const Device device = common_device(all);
  check_condition(condition);
  const Dtype type = choice_dtype(x1, x2);
  const Dims shape = common_shape(all);
  Layout layout = result_layout(shape, type, all);
  const Kernel<Plan>& loop = require_kernel(
      kernels<MovesKernels>(device).where_kernel[size_class(itemsize(type))], type, device);
  RecordedInput inputs[3];
  PendingArray casts[3];
  for (int i = 0; i < 3; ++i) {
    inputs[i].type = i == 0 ? Dtype::bool_ : type;
    if (all[i].array == nullptr) {
      inputs[i].value = to_element(*all[i].value, type);
    } else if (all[i].array->dtype() == inputs[i].type) {
      inputs[i].array = all[i].array;
      inputs[i].pending = all[i].pending;
    } else {
      casts[i] = record_operand(recording, all[i], inputs[i].type, shape);
      inputs[i].array = &casts[i].header;
      inputs[i].pending = casts[i].value.get();
    }
  }
  return recording.append<Layout&&>(loop, {"choose"}, std::move(layout), type, device, inputs);
}

namespace {

/// Calls `apply` with the operation that computes clip() and its operands; without a bound, calls
/// `copied`.
template <class Apply, class Copied>
auto clip_by(const Operand& x, const Operand& min, const Operand& max, Apply apply, Copied copied) {
  constexpr op_id limit_both = op_id_of<ops::clip>;
  std::array<Operand, 3> all{{x}};
  std::size_t count = 1;
  for (const Operand* bound : {&min, &max}) {
    if (bound->array != nullptr || bound->value != nullptr) all[count++] = *bound;
  }
  const std::span<const Operand> operands(all.data(), count);
  static_cast<void>(common_device(operands));
  static_cast<void>(nearest_loop(op_table()[limit_both].result, x.array->dtype()));
  for (const Operand& bound : operands.subspan(1)) check_bound(*x.array, bound);
  if (count == 1) return copied();
  if (count == 3) return apply(limit_both, operands);
  const bool only_min = min.array != nullptr || min.value != nullptr;
  return apply(only_min ? op_id_of<ops::maximum> : op_id_of<ops::minimum>, operands);
}

}  // namespace

NdArray clip(const NdArray& x, const Operand& min, const Operand& max) {
  return clip_by(
      {.array = &x}, min, max, [](op_id op, auto operands) { return apply(op, operands); },
      [&] { return copy(x); });
}

PendingArray record_clip(Recording& recording, const Operand& x, const Operand& min,
                         const Operand& max) {
  return clip_by(
      x, min, max, [&](op_id op, auto operands) { return record(recording, op, operands); },
      [&] { return record_astype(recording, x, x.array->dtype()); });
}

}  // namespace skerry
