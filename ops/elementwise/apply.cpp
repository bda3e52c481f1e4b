// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/apply.hpp"

#include <optional>
#include <string>

#include "core/errors.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/call/writable.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

const op_entry& entry_of(op_id op) { return op_table()[static_cast<std::size_t>(op)]; }

const kernel& elementwise_kernel(op_id op, dtype type, device where) {
  return kernels(where).elementwise.loop[op][static_cast<int>(type)];
}

/// Room for a plan of which only the fields are written that its kernel reads: to clear all 500
/// bytes would be a tenth of an ordinary call.
class raw_plan {
 public:
  plan& operator*() noexcept { return *reinterpret_cast<plan*>(bytes_); }

 private:
  alignas(plan) unsigned char bytes_[sizeof(plan)];
};

/// Number of elements of a C-contiguous array, else 0.
std::int64_t contiguous_size(const ndarray& x) noexcept {
  const std::int64_t* const shape = x.shape().data();
  const std::int64_t* const strides = x.strides().data();
  const std::int64_t width = x.itemsize();
  std::int64_t size = 1;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != size * width) return 0;
    size *= shape[axis];
  }
  return size;
}

bool is_alike(const ndarray& x, const ndarray& model) noexcept {
  if (x.dtype() != model.dtype() || x.device() != model.device() || x.rank() != model.rank()) {
    return false;
  }
  const std::int64_t* const shape = x.shape().data();
  const std::int64_t* const strides = x.strides().data();
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (shape[axis] != model.shape()[axis]) return false;
    if (strides[axis] != model.strides()[axis] && shape[axis] != 1) return false;
  }
  return true;
}

/// What the operands of an ordinary call have in common.
struct common_form {
  const ndarray* model = nullptr;  ///< null if the call has to take the long way
  std::int64_t size = 0;
};

/// The ordinary call: all arrays are on one device, of one dtype and shape, C-contiguous and not
/// empty.
common_form find_common(std::span<const operand> operands) noexcept {
  common_form found;
  for (const operand& x : operands) {
    if (x.array == nullptr) continue;
    if (found.model != nullptr) {
      if (!is_alike(*x.array, *found.model)) return {};
    } else {
      found = {x.array, contiguous_size(*x.array)};
      if (found.size == 0) return {};
    }
  }
  return found;
}

/// The plan of operands like a model, and of scalars that leave its dtype as it is; `out` is
/// C-contiguous too.
void plan_alike(plan& to, const char* op, char* out, dtype result, dtype type, std::int64_t size,
                std::span<const operand> operands) {
  const bool single = size == 1;
  to.operand_count = static_cast<std::int32_t>(operands.size()) + 1;
  to.rank = single ? 0 : 1;
  to.size = size;
  to.shape[0] = size;
  to.contiguous = true;
  to.data[0] = out;
  to.itemsize[0] = itemsize(result);
  to.strides[0][0] = itemsize(result);
  for (int i = 1; i < to.operand_count; ++i) {
    const operand& x = operands[static_cast<std::size_t>(i) - 1];
    to.itemsize[i] = itemsize(type);
    if (x.array != nullptr) {
      to.data[i] = x.array->data();
      to.strides[i][0] = itemsize(type);
    } else {
      to.data[i] = nullptr;
      to.strides[i][0] = 0;
      to.values[i] = to_element(op, *x.value, type);
      to.contiguous = false;
    }
  }
}

/// The kernel for operands like a model; null if they have to take the long way, which also says
/// what is missing.
const kernel* find_kernel(op_id op, dtype type, device where, std::int64_t size) noexcept {
  if (where.kind == device_kind::cpu) {
    const kernel& what = kernels().elementwise.loop[op][static_cast<int>(type)];
    return what.host != nullptr ? &what : nullptr;
  }
  // Larger ones may have to be split.
  constexpr std::int64_t widest = 16;
  if (size >= index_limit(where) / widest) return nullptr;
  const kernel& what = elementwise_kernel(op, type, where);
  const bool there = is_rehearsing() ? what.host != nullptr : what.native != nullptr;
  return there ? &what : nullptr;
}

/// A CUDA device has to know what its work touches; on a CPU it is done when launch returns.
void launch_alike(const device where, const kernel& what, const plan& part, const storage_ref& out,
                  std::span<const operand> operands) {
  if (where.kind == device_kind::cpu) [[likely]]
    return launch(where, what, part, {});
  memory_use used[plan::max_operands];
  used[0] = writes(out);
  std::size_t count = 1;
  for (const operand& x : operands) {
    if (x.array != nullptr) used[count++] = reads(*x.array);
  }
  launch(where, what, part, {used, count});
}

bool scalars_keep(const char* op, dtype type, std::span<const operand> operands) {
  for (const operand& x : operands) {
    if (x.value != nullptr && promote_scalar(op, type, *x.value) != type) return false;
  }
  return true;
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
        values_[i] = to_element(op, *x.value, type);
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

/// The long way: any dtypes, shapes, layouts and devices, in the order of the checks.
ndarray apply_any(const char* name, op_id op, std::span<const operand> operands) {
  const op_entry& entry = entry_of(op);
  const device where = common_device(name, operands);
  const dtype type = common_dtype(name, operands);
  const dtype result = require_loop(name, entry.result, type);
  const dims shape = common_shape(name, operands);
  layout place = result_layout(name, shape, result, operands);
  const kernel& what = require_kernel(name, elementwise_kernel(op, type, where), type, where);
  const ready_operands ready(name, operands, type);
  ndarray out = empty_of(std::move(place), result, where);
  kernel_call call(out);
  ready.add_to(call);
  call.enqueue(what);
  return out;
}

[[noreturn]] void reject_result_dtype(const char* op, dtype result, const ndarray& target) {
  throw dtype_error(std::string(op) + ": the result is " + name(result) + ", the target " +
                    describe(target) + " keeps its dtype; write x1 = " + op +
                    "(x1, x2), or convert x2 with astype");
}

void check_result_shape(const char* op, const dims& shape, const ndarray& target) {
  if (shape == target.shape()) return;
  throw shape_error(std::string(op) + ": the result has shape " + to_string(shape) +
                    ", the target " + describe(target) + " keeps its shape");
}

void apply_any_into(op_id op, const ndarray& target, std::span<const operand> operands) {
  const op_entry& entry = entry_of(op);
  const device where = common_device(entry.name, operands);
  require_writable(entry.name, target);
  const dtype type = common_dtype(entry.name, operands);
  const dtype result = require_loop(entry.name, entry.result, type);
  if (result != target.dtype()) reject_result_dtype(entry.name, result, target);
  check_result_shape(entry.name, common_shape(entry.name, operands), target);
  const kernel& what = require_kernel(entry.name, elementwise_kernel(op, type, where), type, where);
  ready_operands ready(entry.name, operands, type);
  ready.keep_from(target);
  kernel_call call(target);
  ready.add_to(call);
  call.enqueue(what);
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

}  // namespace

ndarray apply_as(const char* name, op_id op, std::span<const operand> operands) {
  const auto [model, size] = find_common(operands);
  if (model == nullptr) return apply_any(name, op, operands);
  const dtype type = model->dtype();
  const std::optional<dtype> result = entry_of(op).result[static_cast<int>(type)];
  const device where = model->device();
  const kernel* const what = result ? find_kernel(op, type, where, size) : nullptr;
  if (what == nullptr || !scalars_keep(name, type, operands)) return apply_any(name, op, operands);
  const std::int64_t width = itemsize(*result);
  if (width > itemsize(type)) check_shape(name, model->shape().span(), width);
  const auto nbytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(width);
  raw_plan part;
  storage_ref memory = allocate(where, nbytes);
  plan_alike(*part, name, memory->data(), *result, type, size, operands);
  launch_alike(where, *what, *part, memory, operands);
  return {std::move(memory), model->shape(), *result};
}

ndarray apply(op_id op, std::span<const operand> operands) {
  return apply_as(entry_of(op).name, op, operands);
}

void apply_into(op_id op, const ndarray& target, std::span<const operand> operands) {
  const auto [model, size] = find_common(operands);
  if (model == nullptr || target.read_only() || !is_alike(target, *model)) {
    return apply_any_into(op, target, operands);
  }
  const op_entry& entry = entry_of(op);
  const dtype type = model->dtype();
  const device where = target.device();
  const kernel* const what = find_kernel(op, type, where, size);
  if (entry.result[static_cast<int>(type)] != type || what == nullptr ||
      !scalars_keep(entry.name, type, operands) || !safe_in_place(target, operands)) {
    return apply_any_into(op, target, operands);
  }
  raw_plan part;
  plan_alike(*part, entry.name, target.data(), type, type, size, operands);
  launch_alike(where, *what, *part, target.memory(), operands);
}

}  // namespace skerry
