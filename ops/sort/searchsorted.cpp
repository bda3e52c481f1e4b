// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/searchsorted.hpp"

#include <string>

#include "core/errors.hpp"
#include "core/scalar_range.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "device/transfer.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/sort/kernels.hpp"

namespace skerry {
namespace {

void check_sorter(const NdArray& x1, const NdArray& sorter) {
  if (!is_integer(sorter.dtype())) {
    throw DtypeError(std::string("sorter must be of an integer dtype, not ") +
                     name(sorter.dtype()));
  }
  if (sorter.shape() != x1.shape()) {
    throw ShapeError("sorter must have the shape of x1: " + to_string(sorter.shape()) + " and " +
                     to_string(x1.shape()));
  }
}

void check_arguments(const Operand& x1, const Operand& x2, const NdArray* sorter) {
  const Operand all[] = {x1, x2, {.array = sorter, .name = "sorter"}};
  static_cast<void>(common_device(all));
  const Dtype type = common_dtype({all, 2});
  if (kind(type) == DtypeKind::complex_floating) {
    throw DtypeError(std::string(name(type)) + " has no order; use a bool or real dtype");
  }
  if (x1.array->rank() != 1) {
    throw ShapeError("x1 must be 1-D: " + describe(*x1.array) + "; reshape it");
  }
  if (sorter != nullptr) check_sorter(*x1.array, *sorter);
}

void check_outside(const StorageRef& out_of_range_index, std::int64_t size) {
  std::int64_t index = 0;
  read_bytes(&index, out_of_range_index, 0, sizeof index);
  if (index == 0) return;
  throw IndexError("sorter holds " + std::to_string(index) +
                   ", which is out of bounds for x1 of size " + std::to_string(size) +
                   "; make it with argsort");
}

}  // namespace

NdArray searchsorted(const NdArray& x1, const Operand& x2, bool right, const NdArray* sorter) {
  const Operand sorted_operand{.array = &x1, .name = "x1"};
  check_arguments(sorted_operand, x2, sorter);
  const Operand both[] = {sorted_operand, x2};
  const Dtype type = common_dtype(both);
  const Device device = x1.device();
  const Kernel<SearchParams>& kernel =
      require_kernel(kernels<SortKernels>(device).search[static_cast<int>(type)], type, device);
  const NdArray sorted = contiguous(astype(x1, type, false));
  // An integer beyond the range of the dtype is replaced by the last value on its side: above the
  // range it goes after equal elements, below it before them.
  const int side = x2.value != nullptr ? out_of_range_side(*x2.value, type) : 0;
  const bool after_equals = side != 0 ? side > 0 : right;
  const NdArray values =
      x2.array != nullptr
          ? contiguous(astype(*x2.array, type, false))
          : full(Dims(), side != 0 ? last_value(type, side) : *x2.value, type, device);
  check_shape(values.shape().span(), itemsize(default_integer));
  NdArray out = empty(values.shape(), default_integer, device);
  if (out.size() == 0) return out;
  const bool by_sorter = sorter != nullptr && sorter->size() > 0;
  NdArray order;
  if (by_sorter) order = contiguous(astype(*sorter, Dtype::int64, false));
  const StorageRef out_of_range_index = allocate(device, by_sorter ? sizeof(std::int64_t) : 0);
  launch(device, kernel, [&](OperandList& operands) {
    return SearchParams{.sorted = operands(sorted.memory(), sorted.layout().offset),
                        .sorted_size = sorted.size(),
                        .sorter = operands(order.memory(), order.layout().offset),
                        .out_of_range_index = operands(out_of_range_index),
                        .values = operands(values),
                        .size = values.size(),
                        .output = operands(out),
                        .right = after_equals};
  });
  if (by_sorter) check_outside(out_of_range_index, sorted.size());
  return out;
}

}  // namespace skerry
