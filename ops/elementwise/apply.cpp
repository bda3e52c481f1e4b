// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/apply.hpp"

#include <optional>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/int_beyond.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

const op_entry& entry_of(op_id op) { return op_table()[static_cast<std::size_t>(op)]; }

const kernel& elementwise_kernel(const char* name, op_id op, const common& of) {
  const kernel& loop = kernels<elementwise_kernels>(of.where).loop[op][static_cast<int>(of.type)];
  return require_kernel(name, loop, of.type, of.where);
}

/// Whether operands are a run that one part of a plan holds, whatever their widths.
bool is_one_part(const common& of) noexcept {
  const auto limit = static_cast<std::uint64_t>(index_limit(of.where));
  return of.run > 0 && static_cast<std::uint64_t>(of.run) < limit / sizeof(element);
}

/// The inputs of a run, after its output.
inline void add_inputs(plan& run, const char* op, dtype type, std::span<const operand> operands) {
  const std::int64_t width = itemsize(type);
  for (const operand& x : operands) {
    if (x.array != nullptr) {
      run.add(x.array->data(), width);
    } else {
      run.add(to_element(op, *x.value, type), width);
    }
  }
}

/// A CUDA device has to know what its work touches. Not inlined: calls on a CPU have no room for
/// it.
[[gnu::noinline]] void launch_with_uses(device where, const kernel& loop, const plan& run,
                                        const storage_ref& out, std::span<const operand> operands) {
  memory_use used[plan::max_operands];
  used[0] = writes(out);
  std::size_t count = 1;
  for (const operand& x : operands) {
    if (x.array != nullptr) used[count++] = reads(*x.array);
  }
  launch(where, loop, run, {used, count});
}

/// On a CPU the work is done when launch returns.
inline void launch_run(device where, const kernel& loop, const plan& run, const storage_ref& out,
                       std::span<const operand> operands) {
  if (is_host(where)) [[likely]]
    return launch(where, loop, run, {});
  launch_with_uses(where, loop, run, out, operands);
}

/// The operands as a kernel takes them: all of one dtype, scalars as elements. Owns the casts,
/// points to the rest.
class ready_operands {
 public:
  ready_operands(const char* op, std::span<const operand> operands, dtype type)
      : count_(static_cast<int>(operands.size())), itemsize_(itemsize(type)) {
    for (int i = 0; i < count_; ++i) {
      const operand& x = operands[static_cast<std::size_t>(i)];
      arrays_[i] = x.array;
      if (x.array == nullptr) {
        const bool is_truth = type == dtype::bool_;  // of any number
        values_[i] = to_element(op, is_truth ? cast_scalar(op, *x.value, type) : *x.value, type);
      } else if (x.array->dtype() != type) {
        convert(i, type);
      }
    }
  }
  ready_operands(const ready_operands&) = delete;
  ready_operands& operator=(const ready_operands&) = delete;
  /// Copies what writing `target` would change before it is read.
  void keep_from(const ndarray& target) {
    for (int i = 0; i < count_; ++i) {
      if (arrays_[i] == nullptr || same_elements(*arrays_[i], target)) continue;
      if (may_overlap(*arrays_[i], target)) convert(i, arrays_[i]->dtype());
    }
  }
  void add_to(kernel_call& call) const {
    for (int i = 0; i < count_; ++i) {
      if (arrays_[i] != nullptr) {
        call.add(*arrays_[i]);
      } else {
        call.add(values_[i], itemsize_);
      }
    }
  }

 private:
  void convert(int i, dtype type) {
    arrays_[i] = &owned_[i].emplace(convert_operand(*arrays_[i], type));
  }

  int count_;
  std::int64_t itemsize_;
  const ndarray* arrays_[plan::max_operands - 1];
  std::optional<ndarray> owned_[plan::max_operands - 1];
  element values_[plan::max_operands - 1];
};

/// What is no run: casts, then as many parts as it takes. Not inlined, like apply_parts_into(): the
/// ordinary call would have no registers left.
[[gnu::noinline]] ndarray apply_parts(const char* name, op_id op, const common& of, dtype result,
                                      std::span<const operand> operands) {
  const dims shape = common_shape(name, operands);
  layout place = result_layout(name, shape, result, operands);
  const kernel& loop = elementwise_kernel(name, op, of);
  const ready_operands ready(name, operands, of.type);
  ndarray out = empty_of(std::move(place), result, of.where);
  if (const auto known = entry_of(op).of_integers; known && is_integer(of.type)) {
    fill(name, out, scalar::of(*known));
    return out;
  }
  kernel_call call(out);
  ready.add_to(call);
  call.enqueue(loop);
  return out;
}

[[noreturn]] void reject_result_dtype(const char* op, dtype result, const ndarray& target) {
  const bool is_higher = kind_rank(result) > kind_rank(target.dtype());
  throw dtype_error(std::string(op) + ": the result is " + name(result) + ", the target " +
                    describe(target) + " keeps its dtype" +
                    (is_higher ? ", and a higher kind can't go into it in place" : "") +
                    "; write x1 = " + op + "(x1, x2), or convert x2 with astype");
}

void check_result_shape(const char* op, const dims& shape, const ndarray& target) {
  if (shape == target.shape()) return;
  throw shape_error(std::string(op) + ": the result has shape " + to_string(shape) +
                    ", the target " + describe(target) + " keeps its shape");
}

[[gnu::noinline]] void apply_parts_into(const char* name, op_id op, const common& of,
                                        const ndarray& target, std::span<const operand> operands) {
  check_result_shape(name, common_shape(name, operands), target);
  const kernel& loop = elementwise_kernel(name, op, of);
  ready_operands ready(name, operands, of.type);
  ready.keep_from(target);
  kernel_call call(target);
  ready.add_to(call);
  call.enqueue(loop);
}

/// Whether writing `target` element by element changes nothing that is still to be read, for
/// operands like it.
bool safe_in_place(const ndarray& target, std::span<const operand> operands) noexcept {
  for (const operand& x : operands) {
    if (x.array == nullptr || x.array->data() == target.data()) continue;
    if (may_overlap(*x.array, target)) return false;
  }
  return true;
}

/// What an operation that has no loop for bool does with bools, as in NumPy, PyTorch and JAX: sums
/// and products of truth are truth. Else `op` itself.
op_id with_bools(op_id op) noexcept {
  if (op == op_id_of<ops::add> || op == op_id_of<ops::maximum>) return op_id_of<ops::logical_or>;
  if (op == op_id_of<ops::multiply> || op == op_id_of<ops::minimum>) {
    return op_id_of<ops::logical_and>;
  }
  return op;
}

/// A power by some scalars is an operation of the base alone, which `operands` are then; the bits
/// are those of pow (math::power).
op_id simplify_power(dtype type, std::span<const operand>& operands) {
  const operand& by = operands[1];
  if (by.array != nullptr || kind(type) == dtype_kind::complex_floating) return op_id_of<ops::pow>;
  const double exponent = to_element("pow", *by.value, dtype::float64).as<double>();
  if (exponent < 0 && kind(type) == dtype_kind::signed_integer) {
    throw value_error("pow: x2 is negative, and x1 of " + std::string(name(type)) +
                      ": such powers are no integers; take a float exponent, as x1 ** -1.0");
  }
  op_id simpler = op_id_of<ops::pow>;
  if (exponent == 2) simpler = op_id_of<ops::square>;
  if (exponent == -1 && is_floating(type)) simpler = op_id_of<ops::reciprocal>;
  if (simpler != op_id_of<ops::pow>) operands = operands.first(1);
  return simpler;
}

/// How a call goes on whose dtype the operation has no loop for.
struct other_loop {
  op_id op;
  dtype type;
};
other_loop find_other_loop(const char* name, op_id op, dtype type) {
  const op_entry& entry = entry_of(op);
  if (type == dtype::bool_ && !promotion_is_strict()) {
    const op_id of_bools = with_bools(op);
    if (of_bools != op) return {of_bools, type};
    // NumPy refuses these as well: ^ and ~ are what may be meant.
    const bool is_refused = op == op_id_of<ops::subtract> || op == op_id_of<ops::negative>;
    if (is_refused) reject_dtype(name, entry.result, type);
  }
  return {op, loop_dtype(name, entry.result, type)};
}

/// Operands that are converted to the dtype of another loop. Not inlined, as apply_parts().
[[gnu::noinline, gnu::cold]] ndarray apply_other_loop(const char* name, op_id op, device where,
                                                      dtype own,
                                                      std::span<const operand> operands) {
  const auto [other, type] = find_other_loop(name, op, own);
  return apply_parts(name, other, {where, type, nullptr, 0},
                     *entry_of(other).result[static_cast<int>(type)], operands);
}

[[gnu::noinline]] void apply_other_loop_into(op_id op, const common& of, const ndarray& target,
                                             std::span<const operand> operands) {
  const char* const name = entry_of(op).name;
  const auto [other, type] = find_other_loop(name, op, of.type);
  const dtype result = *entry_of(other).result[static_cast<int>(type)];
  if (result != target.dtype()) reject_result_dtype(name, result, target);
  apply_parts_into(name, other, {of.where, type, nullptr, 0}, target, operands);
}

/// Whether call_in_range says what a call gives.
inline bool is_beyond_range(op_id op, dtype type, std::span<const operand> operands) {
  return takes_any_int(op) && has_int_beyond(type, operands);
}

ndarray apply_entry(const char* name, const op_entry& entry, op_id op,
                    std::span<const operand> operands);

[[gnu::noinline, gnu::cold]] ndarray apply_in_range(const char* name, op_id op, dtype type,
                                                    std::span<const operand> operands) {
  const call_in_range same(name, op, type, operands);
  return apply_entry(name, entry_of(same.op()), same.op(), same.operands());
}

/// The ordinary call, in its steps. `name` is whom errors name.
ndarray apply_entry(const char* name, const op_entry& entry, op_id op,
                    std::span<const operand> operands) {
  const common of = common_of(name, operands);
  if (is_beyond_range(op, of.type, operands)) [[unlikely]]
    return apply_in_range(name, op, of.type, operands);
  const std::optional<dtype>& own = entry.result[static_cast<int>(of.type)];
  if (!own) [[unlikely]]
    return apply_other_loop(name, op, of.where, of.type, operands);
  const dtype result = *own;
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(of.type, operands);
  if (!is_one_part(of)) return apply_parts(name, op, of, result, operands);
  const std::int64_t width = itemsize(result);
  if (width > itemsize(of.type)) check_shape(name, of.shape->span(), width);
  const kernel& loop = elementwise_kernel(name, op, of);
  storage_ref memory = allocate(of.where, static_cast<std::size_t>(of.run * width));
  plan run(memory->data(), width, of.run);
  add_inputs(run, name, of.type, operands);
  launch_run(of.where, loop, run, memory, operands);
  return {std::move(memory), *of.shape, result};
}

/// The element that a scalar is in a loop of `type`.
element element_of(const char* name, const scalar& value, dtype type) {
  const bool is_truth = type == dtype::bool_;  // of any number
  return to_element(name, is_truth ? cast_scalar(name, value, type) : value, type);
}

/// The step of apply_parts(), recorded. Arrays are converted where they are read.
template <class Place>
ndarray record_loop(recording& to, const char* name, op_id op, const common& of, const dims& shape,
                    Place place, std::span<const operand> operands) {
  const op_entry& entry = entry_of(op);
  const kernel& loop = elementwise_kernel(name, op, of);
  recorded_input inputs[plan::max_operands - 1];
  std::optional<ndarray> casts[plan::max_operands - 1];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const operand& x = operands[i];
    inputs[i].type = of.type;
    if (x.array == nullptr) {
      inputs[i].value = element_of(name, *x.value, of.type);
    } else if (x.array->dtype() == of.type) {
      inputs[i].array = x.array;
    } else {
      inputs[i].array = &casts[i].emplace(record_operand(to, *x.array, of.type, shape));
    }
  }
  const std::uint8_t cost = entry.expensive ? 8 : 1;
  return to.append<Place>(loop, {entry.name, cost, entry.chain}, std::forward<Place>(place),
                          *entry.result[static_cast<int>(of.type)], of.where,
                          {inputs, operands.size()});
}

/// What apply_entry() and apply_into() decide before they look at shapes.
struct decided {
  op_id op;
  common of;
  dtype result;
};
decided decide(const char* name, op_id op, const common& of, std::span<const operand>& operands,
               const ndarray* target = nullptr) {
  const auto check = [&](dtype result) {
    if (target != nullptr && result != target->dtype()) reject_result_dtype(name, result, *target);
    return result;
  };
  if (!entry_of(op).result[static_cast<int>(of.type)]) {
    const auto [other, type] = find_other_loop(name, op, of.type);
    const dtype result = check(*entry_of(other).result[static_cast<int>(type)]);
    return {other, {of.where, type, nullptr, 0}, result};
  }
  const dtype result = check(*entry_of(op).result[static_cast<int>(of.type)]);
  if (op == op_id_of<ops::pow>) op = simplify_power(of.type, operands);
  return {op, of, result};
}

}  // namespace

ndarray record_as(recording& to, const char* name, op_id op, std::span<const operand> operands) {
  const common found = common_of(name, operands);
  if (is_beyond_range(op, found.type, operands)) {
    const call_in_range same(name, op, found.type, operands);
    return record_as(to, name, same.op(), same.operands());
  }
  const auto [loop, of, result] = decide(name, op, found, operands);
  if (of.run > 0) {
    check_shape(name, of.shape->span(), itemsize(result));
    return record_loop<const dims&>(to, name, loop, of, *of.shape, *of.shape, operands);
  }
  const dims shape = common_shape(name, operands);
  layout place = result_layout(name, shape, result, operands);
  return record_loop<layout&&>(to, name, loop, of, shape, std::move(place), operands);
}

ndarray record(recording& to, op_id op, std::span<const operand> operands) {
  return record_as(to, entry_of(op).name, op, operands);
}

ndarray record_into(recording& to, op_id op, const ndarray& target,
                    std::span<const operand> operands) {
  const char* const name = entry_of(op).name;
  const common found = common_of(name, operands, &target);
  const std::span<const operand> given = operands;
  const auto [loop, of, result] = decide(name, op, found, operands, &target);
  check_result_shape(name, common_shape(name, given), target);
  ndarray made =
      record_loop<layout&&>(to, name, loop, of, target.shape(), layout(target.layout()), operands);
  pending_memory* const before = pending_of(target);
  storage_ref& lies = pending_of(made)->target;
  if (before == nullptr) {
    lies = target.memory();
  } else {
    lies = std::move(before->target);
  }
  return made;
}

ndarray apply_as(const char* name, op_id op, std::span<const operand> operands) {
  return apply_entry(name, entry_of(op), op, operands);
}

ndarray apply(op_id op, std::span<const operand> operands) {
  const op_entry& entry = entry_of(op);
  return apply_entry(entry.name, entry, op, operands);
}

void apply_into(op_id op, const ndarray& target, std::span<const operand> operands) {
  const op_entry& entry = entry_of(op);
  const common of = common_of(entry.name, operands, &target);
  if (is_beyond_range(op, of.type, operands)) [[unlikely]] {
    const call_in_range same(entry.name, op, of.type, operands);
    return apply_into(same.op(), target, same.operands());
  }
  const std::optional<dtype> own = entry.result[static_cast<int>(of.type)];
  if (!own) [[unlikely]]
    return apply_other_loop_into(op, of, target, operands);
  const dtype result = *own;
  if (result != target.dtype()) reject_result_dtype(entry.name, result, target);
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(of.type, operands);
  if (!is_one_part(of) || !safe_in_place(target, operands)) {
    return apply_parts_into(entry.name, op, of, target, operands);
  }
  const kernel& loop = elementwise_kernel(entry.name, op, of);
  plan run(target.data(), itemsize(of.type), of.run);
  add_inputs(run, entry.name, of.type, operands);
  launch_run(of.where, loop, run, target.memory(), operands);
}

}  // namespace skerry
