// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/set.hpp"

#include "core/errors.hpp"
#include "core/scalar_range.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "device/transfer.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/sort/set_kernels.hpp"

namespace skerry {
namespace {

/// Item indices are stored in 32 bits.
constexpr std::int64_t max_indices = std::int64_t{1} << 32;

/// Allocates one integer per distinct item, or an empty array if not requested.
NdArray allocate_integers(const NdArray& x, bool is_requested) {
  return empty(is_requested ? Dims{distinct_capacity(x.size(), x.dtype())} : Dims{0},
               default_integer, x.device());
}

/// Returns the first items, copied if the rest of the memory is worth freeing.
NdArray first_items(const NdArray& workspace, std::int64_t count) {
  const std::int64_t size = workspace.size();
  if (count == size || size == 0) return workspace;
  const NdArray items = workspace.view(
      {.shape = {count}, .strides = workspace.strides(), .offset = workspace.layout().offset});
  return count > size - size / 4 ? items : copy_c_order(items);
}

void check_size(const NdArray& x, UniqueParts requested_parts) {
  check_shape(x.shape().span(), itemsize(default_integer));
  if (x.size() >= max_indices &&
      !unique_by_values(x.dtype(), requested_parts.indices, requested_parts.inverse)) {
    throw NotImplementedError("arrays of 2^32 or more elements: " + describe(x) + "; split it");
  }
}

/// Writes the results to outputs of maximum capacity and returns the number of distinct items.
std::int64_t find_unique(const Kernel<UniqueParams>& kernel, const NdArray& x,
                         const UniqueResult& outputs, UniqueParts requested_parts) {
  const Device device = x.device();
  const StorageRef distinct = allocate(device, sizeof(std::int64_t));
  const std::int64_t scratch_bytes =
      unique_scratch(x.size(), x.dtype(), requested_parts.indices, requested_parts.inverse);
  launch(device, kernel, [&](OperandList& operands) {
    return UniqueParams{.input = operands(x),
                        .size = x.size(),
                        .values = operands(outputs.values),
                        .indices = operands(requested_parts.indices ? &outputs.indices : nullptr),
                        .inverse = operands(requested_parts.inverse ? &outputs.inverse : nullptr),
                        .counts = operands(requested_parts.counts ? &outputs.counts : nullptr),
                        .distinct = operands(distinct),
                        .scratch = operands.workspace(scratch_bytes)};
  });
  std::int64_t count = 0;
  read_bytes(&count, distinct, 0, sizeof count);
  return count;
}

}  // namespace

UniqueResult unique(const NdArray& x, UniqueParts requested_parts) {
  const Device device = x.device();
  const Kernel<UniqueParams>& kernel = require_kernel(
      kernels<SetKernels>(device).unique[static_cast<int>(x.dtype())], x.dtype(), device);
  check_size(x, requested_parts);
  UniqueResult result{.values = empty(Dims{x.size()}, x.dtype(), device),
                      .indices = allocate_integers(x, requested_parts.indices),
                      .inverse = requested_parts.inverse ? empty(x.shape(), default_integer, device)
                                                         : allocate_integers(x, false),
                      .counts = allocate_integers(x, requested_parts.counts)};
  if (x.size() == 0) return result;
  const std::int64_t count = find_unique(kernel, contiguous(x), result, requested_parts);
  result.values = first_items(result.values, count);
  result.indices = first_items(result.indices, count);
  result.counts = first_items(result.counts, count);
  return result;
}

NdArray isin(const Operand& x1, const Operand& x2, bool invert) {
  const Operand both[] = {x1, x2};
  const Device device = common_device(both);
  const Dtype type = common_dtype(both);
  const Kernel<IsinParams>& kernel =
      require_kernel(kernels<SetKernels>(device).isin[static_cast<int>(type)], type, device);
  const auto is_out_of_range = [&](const Operand& x) {
    return x.value != nullptr && out_of_range_side(*x.value, type) != 0;
  };
  if (is_out_of_range(x1) || is_out_of_range(x2)) {  // equals no element
    return full(x1.array != nullptr ? x1.array->shape() : Dims(), Scalar::from_value(invert),
                Dtype::bool_, device);
  }
  const auto prepare_operand = [&](const Operand& x) {
    return x.array != nullptr ? contiguous(astype(*x.array, type, false))
                              : full(Dims(), *x.value, type, device);
  };
  const NdArray x = prepare_operand(x1);
  const NdArray test_elements = prepare_operand(x2);
  require_count<IsinParams>(device, test_elements.size(), "elements of x2");
  NdArray out = empty(x.shape(), Dtype::bool_, device);
  if (out.size() == 0) return out;
  launch(device, kernel, [&](OperandList& operands) {
    return IsinParams{
        .x = operands(x),
        .size = x.size(),
        .test_elements = operands(test_elements),
        .test_size = test_elements.size(),
        .output = operands(out),
        .invert = invert,
        .scratch = operands.workspace(isin_scratch(test_elements.size(), itemsize(type)))};
  });
  return out;
}

}  // namespace skerry
