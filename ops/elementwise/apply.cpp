// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/apply.hpp"

#include <optional>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/scalar_conversion.hpp"
#include "core/view.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/call/run.hpp"
#include "ops/elementwise/converted_operands.hpp"
#include "ops/elementwise/int_out_of_range.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

const OpEntry& entry_of(op_id op) { return op_table()[static_cast<std::size_t>(op)]; }

const Kernel<Plan>& elementwise_kernel(op_id op, const Common& common) {
  const Kernel<Plan>& loop =
      kernels<ElementwiseKernels>(common.device).kernel[op][static_cast<int>(common.type)];
  return require_kernel(loop, common.type, common.device);
}

/// Applies an operation to operands that do not form a run: converts them, then launches each part
/// of the plan. Not inlined, like apply_parts_into(): the fast path would run out of registers.
[[gnu::noinline]] NdArray apply_parts(op_id op, const Common& common, Dtype result,
                                      std::span<const Operand> operands) {
  const Dims shape = common_shape(operands);
  Layout layout = result_layout(shape, result, operands);
  const Kernel<Plan>& loop = elementwise_kernel(op, common);
  const ConvertedOperands converted_operands(operands, common.type);
  NdArray out = empty_of(std::move(layout), result, common.device);
  if (const auto constant_result = entry_of(op).result_for_integers;
      constant_result && is_integer(common.type)) {
    fill(out, Scalar::from_value(*constant_result));
    return out;
  }
  KernelCall call(out);
  converted_operands.add_to(call);
  call.enqueue(loop);
  return out;
}

/// Throws DtypeError unless an in-place operation can store its result in `target`.
void check_result_dtype(op_id op, Dtype result, const NdArray& target) {
  if (is_assignable(result, target.dtype())) return;
  throw DtypeError(std::string("the result is ") + name(result) +
                   ", which can't be stored in place in x1, " + describe(target) +
                   "; write x1 = " + entry_of(op).name + "(x1, x2), or convert x2 with astype");
}

void check_result_shape(const Dims& shape, const NdArray& target) {
  if (shape == target.shape()) return;
  throw ShapeError("the result has shape " + to_string(shape) + ", the target " + describe(target) +
                   " keeps its shape");
}

[[gnu::noinline]] void apply_parts_into(op_id op, const Common& common, const NdArray& target,
                                        std::span<const Operand> operands) {
  check_result_shape(common_shape(operands), target);
  const Kernel<Plan>& loop = elementwise_kernel(op, common);
  ConvertedOperands converted_operands(operands, common.type);
  converted_operands.keep_from(target);
  KernelCall call(target);
  converted_operands.add_to(call);
  call.enqueue(loop);
}

/// True if writing `target` element by element can't overwrite an element before it is read. The
/// operands must have the layout of `target`.
bool safe_in_place(const NdArray& target, std::span<const Operand> operands) noexcept {
  for (const Operand& operand : operands) {
    if (operand.array == nullptr || operand.array->data() == target.data()) continue;
    if (may_overlap(*operand.array, target)) return false;
  }
  return true;
}

/// Returns the logical operation that replaces `op` for bools, as in NumPy, PyTorch and JAX: sums
/// and products of bools are bools. Returns `op` if nothing replaces it.
op_id with_bools(op_id op) noexcept {
  if (op == op_id_of<ops::add> || op == op_id_of<ops::maximum>) return op_id_of<ops::logical_or>;
  if (op == op_id_of<ops::multiply> || op == op_id_of<ops::minimum>) {
    return op_id_of<ops::logical_and>;
  }
  return op;
}

/// Replaces pow by a unary operation for the scalar exponents 2 and -1, and drops the exponent from
/// `operands`. Real results have the same bits as pow's (math::power); complex squares are within
/// three units in the last place, and take a seventh of the time of pow.
op_id simplify_power(Dtype type, std::span<const Operand>& operands) {
  const Operand& exponent_operand = operands[1];
  if (exponent_operand.array != nullptr || exponent_operand.value->kind == ScalarKind::complex) {
    return op_id_of<ops::pow>;
  }
  const double exponent = to_element(*exponent_operand.value, Dtype::float64).as<double>();
  if (exponent < 0 && kind(type) == DtypeKind::signed_integer) {
    throw ValueError("x2 is negative, and x1 of dtype " + std::string(name(type)) +
                     " has no negative integer powers; use a float exponent, as x1 ** -1.0");
  }
  op_id simpler = op_id_of<ops::pow>;
  if (exponent == 2) simpler = op_id_of<ops::square>;
  if (exponent == -1 && is_floating(type)) simpler = op_id_of<ops::reciprocal>;
  if (simpler != op_id_of<ops::pow>) operands = operands.first(1);
  return simpler;
}

/// The operation and dtype whose loop runs a call for which the operation itself has no loop.
struct OtherLoop {
  op_id op;
  Dtype type;
};
OtherLoop find_other_loop(op_id op, Dtype type) {
  const OpEntry& entry = entry_of(op);
  if (type == Dtype::bool_ && !promotion_is_strict()) {
    const op_id of_bools = with_bools(op);
    if (of_bools != op) return {of_bools, type};
    // NumPy rejects these, too: the caller may have meant ^ and ~.
    const bool is_refused = op == op_id_of<ops::subtract> || op == op_id_of<ops::negative>;
    if (is_refused) reject_dtype(entry.result, type);
  }
  return {op, compute_dtype(entry.result, type)};
}

/// Converts operands to the dtype of another loop and applies it. Not inlined, like apply_parts().
[[gnu::noinline, gnu::cold]] NdArray apply_other_loop(op_id op, Device device, Dtype operand_dtype,
                                                      std::span<const Operand> operands) {
  const auto [other, type] = find_other_loop(op, operand_dtype);
  return apply_parts(other, {device, type, nullptr, 0},
                     *entry_of(other).result[static_cast<int>(type)], operands);
}

/// Computes a result of another dtype than the target's, and converts it.
[[gnu::noinline]] void apply_and_assign(op_id op, Dtype result, const NdArray& target,
                                        std::span<const Operand> operands) {
  check_result_dtype(op, result, target);
  check_result_shape(common_shape(operands), target);
  require_writable(target);
  assign(target, apply(op, operands));
}

[[gnu::noinline]] void apply_other_loop_into(op_id op, const Common& common, const NdArray& target,
                                             std::span<const Operand> operands) {
  const auto [other, type] = find_other_loop(op, common.type);
  const Dtype result = *entry_of(other).result[static_cast<int>(type)];
  if (result != target.dtype()) return apply_and_assign(op, result, target, operands);
  apply_parts_into(other, {common.device, type, nullptr, 0}, target, operands);
}

/// True if a call must be replaced by a CallInRange.
inline bool needs_call_in_range(op_id op, Dtype type, std::span<const Operand> operands) {
  return takes_any_int(op) && has_out_of_range_int(type, operands);
}

[[gnu::noinline, gnu::cold]] NdArray apply_in_range(op_id op, Dtype type,
                                                    std::span<const Operand> operands) {
  const CallInRange same(op, type, operands);
  return apply(same.op(), same.operands());
}

}  // namespace

/// Slow paths are out of line.
NdArray apply(op_id op, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  const Common common = common_of(operands);
  if (needs_call_in_range(op, common.type, operands)) [[unlikely]]
    return apply_in_range(op, common.type, operands);
  const std::optional<Dtype>& result_dtype = entry.result[static_cast<int>(common.type)];
  if (!result_dtype) [[unlikely]]
    return apply_other_loop(op, common.device, common.type, operands);
  const Dtype result = *result_dtype;
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(common.type, operands);
  if (!is_one_part(common)) return apply_parts(op, common, result, operands);
  const std::int64_t width = itemsize(result);
  if (width > itemsize(common.type)) check_shape(common.shape->span(), width);
  const Kernel<Plan>& loop = elementwise_kernel(op, common);
  StorageRef memory = allocate(common.device, static_cast<std::size_t>(common.run_size * width));
  launch_run(loop, common, memory, 0, width, operands);
  return {std::move(memory), *common.shape, result};
}

namespace {

/// Converts a scalar to an element for a loop of `type`.
Element element_of(const Scalar& value, Dtype type) {
  const bool is_bool = type == Dtype::bool_;  // bool accepts any number
  return to_element(is_bool ? cast_scalar(value, type) : value, type);
}

/// Records the loop of apply_parts(). Arrays are converted when they are read.
template <class LayoutOrShape>
PendingArray record_loop(Recording& recording, op_id op, const Common& common, const Dims& shape,
                         LayoutOrShape layout_or_shape, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  const Kernel<Plan>& loop = elementwise_kernel(op, common);
  RecordedInput inputs[Plan::max_operands - 1];
  PendingArray casts[Plan::max_operands - 1];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& operand = operands[i];
    inputs[i].type = common.type;
    if (operand.array == nullptr) {
      inputs[i].value = element_of(*operand.value, common.type);
    } else if (operand.array->dtype() == common.type) {
      inputs[i].array = operand.array;
      inputs[i].pending = operand.pending;
    } else {
      casts[i] = record_operand(recording, operand, common.type, shape);
      inputs[i].array = &casts[i].header;
      inputs[i].pending = casts[i].value.get();
    }
  }
  const std::uint8_t cost = entry.expensive ? 8 : 1;
  return recording.append<LayoutOrShape>(
      loop, {entry.name, cost, entry.chain}, std::forward<LayoutOrShape>(layout_or_shape),
      *entry.result[static_cast<int>(common.type)], common.device, {inputs, operands.size()});
}

/// The loop and result dtype of a call, which apply_entry() and apply_into() choose before they
/// check shapes.
struct Decided {
  op_id op;
  Common common;
  Dtype result;
};
Decided decide(op_id op, const Common& common, std::span<const Operand>& operands,
               const NdArray* target = nullptr) {
  const auto check = [&](Dtype result) {
    if (target != nullptr) check_result_dtype(op, result, *target);
    return result;
  };
  if (!entry_of(op).result[static_cast<int>(common.type)]) {
    const auto [other, type] = find_other_loop(op, common.type);
    const Dtype result = check(*entry_of(other).result[static_cast<int>(type)]);
    return {other, {common.device, type, nullptr, 0}, result};
  }
  const Dtype result = check(*entry_of(op).result[static_cast<int>(common.type)]);
  if (op == op_id_of<ops::pow>) op = simplify_power(common.type, operands);
  return {op, common, result};
}

}  // namespace

PendingArray record(Recording& recording, op_id op, std::span<const Operand> operands) {
  const Common operands_common = common_of(operands);
  if (needs_call_in_range(op, operands_common.type, operands)) {
    const CallInRange same(op, operands_common.type, operands);
    return record(recording, same.op(), same.operands());
  }
  const auto [loop, loop_common, result] = decide(op, operands_common, operands);
  if (loop_common.run_size > 0) {
    check_shape(loop_common.shape->span(), itemsize(result));
    return record_loop<const Dims&>(recording, loop, loop_common, *loop_common.shape,
                                    *loop_common.shape, operands);
  }
  const Dims shape = common_shape(operands);
  Layout layout = result_layout(shape, result, operands);
  return record_loop<Layout&&>(recording, loop, loop_common, shape, std::move(layout), operands);
}

PendingArray record_into(Recording& recording, op_id op, std::span<const Operand> operands) {
  const NdArray& target = *operands[0].array;
  const Common operands_common = common_of(operands, &target);
  const std::span<const Operand> all_operands = operands;
  const auto [loop, loop_common, result] = decide(op, operands_common, operands, &target);
  check_result_shape(common_shape(all_operands), target);
  const bool is_converted = result != target.dtype();
  Layout layout = target.layout();
  if (is_converted) layout = dense_layout_like(layout, itemsize(result));
  PendingArray array = record_loop<Layout&&>(recording, loop, loop_common, target.shape(),
                                             std::move(layout), operands);
  if (is_converted) {
    const Operand computed{.array = &array.header, .pending = array.value.get()};
    array = record_cast(recording, computed, target.dtype(), target.layout());
  }
  recording.set_target(array, all_operands[0]);
  return array;
}

void apply_into(op_id op, const NdArray& target, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  const Common common = common_of(operands, &target);
  if (needs_call_in_range(op, common.type, operands)) [[unlikely]] {
    const CallInRange same(op, common.type, operands);
    return apply_into(same.op(), target, same.operands());
  }
  const std::optional<Dtype> result_dtype = entry.result[static_cast<int>(common.type)];
  if (!result_dtype) [[unlikely]]
    return apply_other_loop_into(op, common, target, operands);
  const Dtype result = *result_dtype;
  if (result != target.dtype()) return apply_and_assign(op, result, target, operands);
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(common.type, operands);
  if (!is_one_part(common) || !safe_in_place(target, operands)) {
    return apply_parts_into(op, common, target, operands);
  }
  const Kernel<Plan>& loop = elementwise_kernel(op, common);
  launch_run(loop, common, target.memory(), target.layout().offset, itemsize(common.type),
             operands);
}

bool apply_to_output(op_id op, const NdArray& output, std::span<const Operand> operands) {
  const Common operands_common = common_of(operands);
  if (output.device() != operands_common.device || output.read_only()) return false;
  if (needs_call_in_range(op, operands_common.type, operands)) return false;
  const Dims shape = common_shape(operands);
  const auto [loop_op, common, result] = decide(op, operands_common, operands);
  if (result != output.dtype() || shape != output.shape()) return false;
  if (entry_of(loop_op).result_for_integers && is_integer(common.type)) return false;
  const bool is_run = is_one_part(common) && contiguous_size(output) == common.run_size;
  if (!is_run || result != common.type || !safe_in_place(output, operands)) {
    apply_parts_into(loop_op, common, output, operands);
    return true;
  }
  launch_run(elementwise_kernel(loop_op, common), common, output.memory(), output.layout().offset,
             itemsize(result), operands);
  return true;
}

}  // namespace skerry
