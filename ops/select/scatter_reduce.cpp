// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/scatter_reduce.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/deferred.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/select/selection.hpp"
#include "ops/select/take.hpp"

namespace skerry {
namespace {

[[noreturn]] void raise_out_of_bounds(const DeferredError& error, std::int64_t invalid_index) {
  throw IndexError("index " + std::to_string(invalid_index) + " is out of bounds: x has " +
                   std::to_string(error.values[0]) + " elements");
}

/// Returns the operation for bool, whose sum is "or" and whose product is "and".
ScatterOp for_booleans(ScatterOp op) {
  switch (op) {
    case ScatterOp::add:
    case ScatterOp::maximum:
      return ScatterOp::bitwise_or;
    case ScatterOp::multiply:
    case ScatterOp::minimum:
      return ScatterOp::bitwise_and;
    default:
      return op;
  }
}

const Kernel<ScatterReduceParams>& kernel_for(ScatterOp op, const NdArray& x) {
  const Device device = x.device();
  if (x.dtype() == Dtype::bool_) op = for_booleans(op);
  const Kernel<ScatterReduceParams>& kernel =
      kernels<ScatterReduceKernels>(device)
          .kernel[static_cast<int>(op)][static_cast<int>(x.dtype())];
  if (!kernel.has_host() && is_built(x.dtype())) {
    throw DtypeError(std::string("dtype not supported: ") + name(x.dtype()));
  }
  return require_kernel(kernel, x.dtype(), device);
}

/// Returns values of the dtype of x, one per index or one for all.
NdArray ready_values(const NdArray& x, const NdArray& index, const Operand& values) {
  if (values.value != nullptr) return full(Dims(), *values.value, x.dtype(), x.device());
  const NdArray& value_array = *values.array;
  NdArray converted =
      value_array.dtype() == x.dtype() ? value_array : convert_operand(value_array, x.dtype());
  if (converted.rank() == 0) return converted;
  return contiguous(broadcast_to(converted, index.shape()));
}

}  // namespace

void scatter_reduce(ScatterOp op, const NdArray& x, const NdArray& index, const Operand& values) {
  const Operand all[] = {{.array = &x, .name = "x"}, {.array = &index, .name = "indices"}, values};
  const Device device = common_device(all);
  require_integers("indices", index);
  require_writable(x);
  require_count<ScatterReduceParams>(device, x.size(), "elements of x");
  require_count<ScatterReduceParams>(device, index.size(), "indices");
  const Kernel<ScatterReduceParams>& kernel = kernel_for(op, x);
  NdArray source_values = ready_values(x, index, values);
  if (index.size() == 0) return;
  NdArray indices = contiguous(as_indices(index));
  const bool in_place = x.is_c_contiguous();
  const NdArray target = in_place ? x : copy_c_order(x);
  if (may_overlap(source_values, target)) source_values = copy_c_order(source_values);
  if (may_overlap(indices, target)) indices = copy_c_order(indices);
  ErrorRecord record(device, {.raise = raise_out_of_bounds, .values = {x.size(), 0}});
  launch(device, kernel, [&](OperandList& operands) {
    return ScatterReduceParams{
        .target = operands(target.memory(), target.layout().offset),
        .target_size = x.size(),
        .index = operands(indices),
        .values = operands(source_values),
        .size = indices.size(),
        .value_step = source_values.rank() == 0 && indices.rank() != 0 ? 0 : x.itemsize(),
        .invalid_index = record.word()};
  });
  record.finish();
  if (!in_place) assign(x, target);
}

}  // namespace skerry
