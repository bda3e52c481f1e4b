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

const OpEntry& entry_of(op_id op) { return op_table()[static_cast<std::size_t>(op)]; }

const Kernel& elementwise_kernel(const char* name, op_id op, const Common& of) {
  const Kernel& loop = kernels<elementwise_kernels>(of.where).loop[op][static_cast<int>(of.type)];
  return require_kernel(name, loop, of.type, of.where);
}

/// Whether operands are a run that one part of a plan holds, whatever their widths.
bool is_one_part(const Common& of) noexcept {
  const auto limit = static_cast<std::uint64_t>(index_limit(of.where));
  return of.run > 0 && static_cast<std::uint64_t>(of.run) < limit / sizeof(Element);
}

/// The inputs of a run, after its output.
inline void add_inputs(Plan& run, const char* op, Dtype type, std::span<const Operand> operands) {
  const std::int64_t width = itemsize(type);
  for (const Operand& x : operands) {
    if (x.array != nullptr) {
      run.add(x.array->data(), width);
    } else {
      run.add(to_element(op, *x.value, type), width);
    }
  }
}

/// A CUDA device has to know what its work touches. Not inlined: calls on a CPU have no room for
/// it.
[[gnu::noinline]] void launch_with_uses(Device where, const Kernel& loop, const Plan& run,
                                        const StorageRef& out, std::span<const Operand> operands) {
  MemoryUse used[Plan::max_operands];
  used[0] = writes(out);
  std::size_t count = 1;
  for (const Operand& x : operands) {
    if (x.array != nullptr) used[count++] = reads(*x.array);
  }
  launch(where, loop, run, {used, count});
}

/// On a CPU the work is done when launch returns.
inline void launch_run(Device where, const Kernel& loop, const Plan& run, const StorageRef& out,
                       std::span<const Operand> operands) {
  if (is_host(where)) [[likely]]
    return launch(where, loop, run, {});
  launch_with_uses(where, loop, run, out, operands);
}

/// The operands as a kernel takes them: all of one dtype, scalars as elements. Owns the casts,
/// points to the rest.
class ReadyOperands {
 public:
  ReadyOperands(const char* op, std::span<const Operand> operands, Dtype type)
      : count_(static_cast<int>(operands.size())), itemsize_(itemsize(type)) {
    for (int i = 0; i < count_; ++i) {
      const Operand& x = operands[static_cast<std::size_t>(i)];
      arrays_[i] = x.array;
      if (x.array == nullptr) {
        const bool is_truth = type == Dtype::bool_;  // of any number
        values_[i] = to_element(op, is_truth ? cast_scalar(op, *x.value, type) : *x.value, type);
      } else if (x.array->dtype() != type) {
        convert(i, type);
      }
    }
  }
  ReadyOperands(const ReadyOperands&) = delete;
  ReadyOperands& operator=(const ReadyOperands&) = delete;
  /// Copies what writing `target` would change before it is read.
  void keep_from(const NdArray& target) {
    for (int i = 0; i < count_; ++i) {
      if (arrays_[i] == nullptr || same_elements(*arrays_[i], target)) continue;
      if (may_overlap(*arrays_[i], target)) convert(i, arrays_[i]->dtype());
    }
  }
  void add_to(KernelCall& call) const {
    for (int i = 0; i < count_; ++i) {
      if (arrays_[i] != nullptr) {
        call.add(*arrays_[i]);
      } else {
        call.add(values_[i], itemsize_);
      }
    }
  }

 private:
  void convert(int i, Dtype type) {
    arrays_[i] = &owned_[i].emplace(convert_operand(*arrays_[i], type));
  }

  int count_;
  std::int64_t itemsize_;
  const NdArray* arrays_[Plan::max_operands - 1];
  std::optional<NdArray> owned_[Plan::max_operands - 1];
  Element values_[Plan::max_operands - 1];
};

/// What is no run: casts, then as many parts as it takes. Not inlined, like apply_parts_into(): the
/// ordinary call would have no registers left.
[[gnu::noinline]] NdArray apply_parts(const char* name, op_id op, const Common& of, Dtype result,
                                      std::span<const Operand> operands) {
  const Dims shape = common_shape(name, operands);
  Layout place = result_layout(name, shape, result, operands);
  const Kernel& loop = elementwise_kernel(name, op, of);
  const ReadyOperands ready(name, operands, of.type);
  NdArray out = empty_of(std::move(place), result, of.where);
  if (const auto known = entry_of(op).of_integers; known && is_integer(of.type)) {
    fill(name, out, Scalar::of(*known));
    return out;
  }
  KernelCall call(out);
  ready.add_to(call);
  call.enqueue(loop);
  return out;
}

[[noreturn]] void reject_result_dtype(const char* op, Dtype result, const NdArray& target) {
  const bool is_higher = kind_rank(result) > kind_rank(target.dtype());
  throw DtypeError(std::string(op) + ": the result is " + name(result) + ", the target " +
                   describe(target) + " keeps its dtype" +
                   (is_higher ? ", and a higher kind can't go into it in place" : "") +
                   "; write x1 = " + op + "(x1, x2), or convert x2 with astype");
}

void check_result_shape(const char* op, const Dims& shape, const NdArray& target) {
  if (shape == target.shape()) return;
  throw ShapeError(std::string(op) + ": the result has shape " + to_string(shape) +
                   ", the target " + describe(target) + " keeps its shape");
}

[[gnu::noinline]] void apply_parts_into(const char* name, op_id op, const Common& of,
                                        const NdArray& target, std::span<const Operand> operands) {
  check_result_shape(name, common_shape(name, operands), target);
  const Kernel& loop = elementwise_kernel(name, op, of);
  ReadyOperands ready(name, operands, of.type);
  ready.keep_from(target);
  KernelCall call(target);
  ready.add_to(call);
  call.enqueue(loop);
}

/// Whether writing `target` element by element changes nothing that is still to be read, for
/// operands like it.
bool safe_in_place(const NdArray& target, std::span<const Operand> operands) noexcept {
  for (const Operand& x : operands) {
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
op_id simplify_power(Dtype type, std::span<const Operand>& operands) {
  const Operand& by = operands[1];
  if (by.array != nullptr || kind(type) == DtypeKind::complex_floating) return op_id_of<ops::pow>;
  const double exponent = to_element("pow", *by.value, Dtype::float64).as<double>();
  if (exponent < 0 && kind(type) == DtypeKind::signed_integer) {
    throw ValueError("pow: x2 is negative, and x1 of " + std::string(name(type)) +
                     ": such powers are no integers; take a float exponent, as x1 ** -1.0");
  }
  op_id simpler = op_id_of<ops::pow>;
  if (exponent == 2) simpler = op_id_of<ops::square>;
  if (exponent == -1 && is_floating(type)) simpler = op_id_of<ops::reciprocal>;
  if (simpler != op_id_of<ops::pow>) operands = operands.first(1);
  return simpler;
}

/// How a call goes on whose dtype the operation has no loop for.
struct OtherLoop {
  op_id op;
  Dtype type;
};
OtherLoop find_other_loop(const char* name, op_id op, Dtype type) {
  const OpEntry& entry = entry_of(op);
  if (type == Dtype::bool_ && !promotion_is_strict()) {
    const op_id of_bools = with_bools(op);
    if (of_bools != op) return {of_bools, type};
    // NumPy refuses these as well: ^ and ~ are what may be meant.
    const bool is_refused = op == op_id_of<ops::subtract> || op == op_id_of<ops::negative>;
    if (is_refused) reject_dtype(name, entry.result, type);
  }
  return {op, loop_dtype(name, entry.result, type)};
}

/// Operands that are converted to the dtype of another loop. Not inlined, as apply_parts().
[[gnu::noinline, gnu::cold]] NdArray apply_other_loop(const char* name, op_id op, Device where,
                                                      Dtype own,
                                                      std::span<const Operand> operands) {
  const auto [other, type] = find_other_loop(name, op, own);
  return apply_parts(name, other, {where, type, nullptr, 0},
                     *entry_of(other).result[static_cast<int>(type)], operands);
}

[[gnu::noinline]] void apply_other_loop_into(op_id op, const Common& of, const NdArray& target,
                                             std::span<const Operand> operands) {
  const char* const name = entry_of(op).name;
  const auto [other, type] = find_other_loop(name, op, of.type);
  const Dtype result = *entry_of(other).result[static_cast<int>(type)];
  if (result != target.dtype()) reject_result_dtype(name, result, target);
  apply_parts_into(name, other, {of.where, type, nullptr, 0}, target, operands);
}

/// Whether CallInRange says what a call gives.
inline bool is_beyond_range(op_id op, Dtype type, std::span<const Operand> operands) {
  return takes_any_int(op) && has_int_beyond(type, operands);
}

NdArray apply_entry(const char* name, const OpEntry& entry, op_id op,
                    std::span<const Operand> operands);

[[gnu::noinline, gnu::cold]] NdArray apply_in_range(const char* name, op_id op, Dtype type,
                                                    std::span<const Operand> operands) {
  const CallInRange same(name, op, type, operands);
  return apply_entry(name, entry_of(same.op()), same.op(), same.operands());
}

/// The ordinary call, in its steps. `name` is whom errors name.
NdArray apply_entry(const char* name, const OpEntry& entry, op_id op,
                    std::span<const Operand> operands) {
  const Common of = common_of(name, operands);
  if (is_beyond_range(op, of.type, operands)) [[unlikely]]
    return apply_in_range(name, op, of.type, operands);
  const std::optional<Dtype>& own = entry.result[static_cast<int>(of.type)];
  if (!own) [[unlikely]]
    return apply_other_loop(name, op, of.where, of.type, operands);
  const Dtype result = *own;
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(of.type, operands);
  if (!is_one_part(of)) return apply_parts(name, op, of, result, operands);
  const std::int64_t width = itemsize(result);
  if (width > itemsize(of.type)) check_shape(name, of.shape->span(), width);
  const Kernel& loop = elementwise_kernel(name, op, of);
  StorageRef memory = allocate(of.where, static_cast<std::size_t>(of.run * width));
  Plan run(memory->data(), width, of.run);
  add_inputs(run, name, of.type, operands);
  launch_run(of.where, loop, run, memory, operands);
  return {std::move(memory), *of.shape, result};
}

/// The element that a scalar is in a loop of `type`.
Element element_of(const char* name, const Scalar& value, Dtype type) {
  const bool is_truth = type == Dtype::bool_;  // of any number
  return to_element(name, is_truth ? cast_scalar(name, value, type) : value, type);
}

/// The step of apply_parts(), recorded. Arrays are converted where they are read.
template <class Place>
NdArray record_loop(Recording& to, const char* name, op_id op, const Common& of, const Dims& shape,
                    Place place, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  const Kernel& loop = elementwise_kernel(name, op, of);
  RecordedInput inputs[Plan::max_operands - 1];
  std::optional<NdArray> casts[Plan::max_operands - 1];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& x = operands[i];
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
struct Decided {
  op_id op;
  Common of;
  Dtype result;
};
Decided decide(const char* name, op_id op, const Common& of, std::span<const Operand>& operands,
               const NdArray* target = nullptr) {
  const auto check = [&](Dtype result) {
    if (target != nullptr && result != target->dtype()) reject_result_dtype(name, result, *target);
    return result;
  };
  if (!entry_of(op).result[static_cast<int>(of.type)]) {
    const auto [other, type] = find_other_loop(name, op, of.type);
    const Dtype result = check(*entry_of(other).result[static_cast<int>(type)]);
    return {other, {of.where, type, nullptr, 0}, result};
  }
  const Dtype result = check(*entry_of(op).result[static_cast<int>(of.type)]);
  if (op == op_id_of<ops::pow>) op = simplify_power(of.type, operands);
  return {op, of, result};
}

}  // namespace

NdArray record_as(Recording& to, const char* name, op_id op, std::span<const Operand> operands) {
  const Common found = common_of(name, operands);
  if (is_beyond_range(op, found.type, operands)) {
    const CallInRange same(name, op, found.type, operands);
    return record_as(to, name, same.op(), same.operands());
  }
  const auto [loop, of, result] = decide(name, op, found, operands);
  if (of.run > 0) {
    check_shape(name, of.shape->span(), itemsize(result));
    return record_loop<const Dims&>(to, name, loop, of, *of.shape, *of.shape, operands);
  }
  const Dims shape = common_shape(name, operands);
  Layout place = result_layout(name, shape, result, operands);
  return record_loop<Layout&&>(to, name, loop, of, shape, std::move(place), operands);
}

NdArray record(Recording& to, op_id op, std::span<const Operand> operands) {
  return record_as(to, entry_of(op).name, op, operands);
}

NdArray record_into(Recording& to, op_id op, const NdArray& target,
                    std::span<const Operand> operands) {
  const char* const name = entry_of(op).name;
  const Common found = common_of(name, operands, &target);
  const std::span<const Operand> given = operands;
  const auto [loop, of, result] = decide(name, op, found, operands, &target);
  check_result_shape(name, common_shape(name, given), target);
  NdArray made =
      record_loop<Layout&&>(to, name, loop, of, target.shape(), Layout(target.layout()), operands);
  PendingMemory* const before = pending_of(target);
  StorageRef& lies = pending_of(made)->target;
  if (before == nullptr) {
    lies = target.memory();
  } else {
    lies = std::move(before->target);
  }
  return made;
}

NdArray apply_as(const char* name, op_id op, std::span<const Operand> operands) {
  return apply_entry(name, entry_of(op), op, operands);
}

NdArray apply(op_id op, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  return apply_entry(entry.name, entry, op, operands);
}

void apply_into(op_id op, const NdArray& target, std::span<const Operand> operands) {
  const OpEntry& entry = entry_of(op);
  const Common of = common_of(entry.name, operands, &target);
  if (is_beyond_range(op, of.type, operands)) [[unlikely]] {
    const CallInRange same(entry.name, op, of.type, operands);
    return apply_into(same.op(), target, same.operands());
  }
  const std::optional<Dtype> own = entry.result[static_cast<int>(of.type)];
  if (!own) [[unlikely]]
    return apply_other_loop_into(op, of, target, operands);
  const Dtype result = *own;
  if (result != target.dtype()) reject_result_dtype(entry.name, result, target);
  if (op == op_id_of<ops::pow>) [[unlikely]]
    op = simplify_power(of.type, operands);
  if (!is_one_part(of) || !safe_in_place(target, operands)) {
    return apply_parts_into(entry.name, op, of, target, operands);
  }
  const Kernel& loop = elementwise_kernel(entry.name, op, of);
  Plan run(target.data(), itemsize(of.type), of.run);
  add_inputs(run, entry.name, of.type, operands);
  launch_run(of.where, loop, run, target.memory(), operands);
}

}  // namespace skerry
