// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/scalar_conversion.hpp"
#include "ops/call/operand.hpp"

namespace skerry {

/// Returns the number of elements of a C-contiguous array, otherwise 0.
[[nodiscard]] inline std::int64_t contiguous_size(const NdArray& x) noexcept {
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

/// True if device, dtype, shape and strides are equal; strides of axes of extent 1 are ignored.
[[nodiscard]] inline bool same_layout(const NdArray& x, const NdArray& model) noexcept {
  if (x.dtype() != model.dtype() || x.device() != model.device() || x.rank() != model.rank()) {
    return false;
  }
  const std::int64_t* const shape = x.shape().data();
  const std::int64_t* const strides = x.strides().data();
  const std::int64_t* const model_shape = model.shape().data();
  const std::int64_t* const model_strides = model.strides().data();
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] != model_shape[axis]) return false;
    if (strides[axis] != model_strides[axis] && shape[axis] != 1) return false;
  }
  return true;
}

/// What the operands of a call have in common.
struct Common {
  Device device;
  Dtype type;         ///< compute dtype
  const Dims* shape;  ///< of all arrays if they form a run; otherwise null: call common_shape()
  /// Number of elements if the operands form a run: all arrays have this dtype and shape, are
  /// C-contiguous and not empty, and the scalars convert to this dtype. Otherwise 0.
  std::int64_t run_size;
};

/// Slow path of common_of(), for operands that do not form a run: a pass over them for each check.
[[nodiscard]] Common common_of_any(std::span<const Operand> operands, const NdArray* target);
/// Promotes `type`, the dtype of the arrays, with the scalars among `operands`. Their range depends
/// on the compute dtype (uint8 / 256 is computed in float64), so to_element() checks it later.
[[nodiscard]] inline Dtype with_scalars(Dtype type, std::span<const Operand> operands) {
  for (const Operand& x : operands) {
    if (x.value != nullptr) type = promote_scalar_kind(type, *x.value);
  }
  return type;
}

/// Returns what the operands, at least one of which is an array, have in common. `target`, if not
/// null, is the first operand and will be written. One pass if the operands form a run. Throws
/// DeviceMismatchError, ReadOnlyError, DtypeError, OverflowError, checked in this order.
[[nodiscard]] inline Common common_of(std::span<const Operand> operands,
                                      const NdArray* target = nullptr) {
  const NdArray* model = nullptr;
  std::int64_t run_size = 0;
  bool has_scalars = false;
  for (const Operand& x : operands) {
    if (x.array == nullptr) {
      has_scalars = true;
    } else if (model == nullptr) {
      model = x.array;
      run_size = contiguous_size(*model);
    } else if (!same_layout(*x.array, *model)) {
      run_size = 0;
    }
  }
  if (run_size == 0 || (target != nullptr && target->read_only())) {
    return common_of_any(operands, target);
  }
  const Dtype array_dtype = model->dtype();
  const Dtype type = has_scalars ? with_scalars(array_dtype, operands) : array_dtype;
  if (type != array_dtype) return {model->device(), type, nullptr, 0};
  return {model->device(), array_dtype, &model->shape(), run_size};
}

}  // namespace skerry
