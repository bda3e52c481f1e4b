// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/sort.hpp"

#include <string>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/sort/kernels.hpp"

namespace skerry {
namespace {

void require_real(const NdArray& x) {
  if (kind(x.dtype()) != DtypeKind::complex_floating) return;
  throw DtypeError(std::string(name(x.dtype())) + " has no order; use a bool or real dtype");
}

/// Sorts the rows of x, which is C-contiguous and not empty.
NdArray sort_rows(const Kernel<SortParams>& kernel, const NdArray& x, Dtype type, bool descending) {
  constexpr std::int64_t max_indices = std::int64_t{1} << 32;
  const Device device = x.device();
  const std::int64_t length = x.shape()[x.rank() - 1];
  if (type != x.dtype() && length >= max_indices) {
    throw NotImplementedError("rows of 2^32 or more elements: " + std::to_string(length) +
                              "; sort shorter rows");
  }
  NdArray out = empty(x.shape(), type, device);
  const std::int64_t rows = x.size() / length;
  const std::int64_t slots = host_slots(rows);
  launch(device, kernel, [&](OperandList& operands) {
    return SortParams{.input = operands(x),
                      .output = operands(out),
                      .scratch = operands.workspace(slots * sort_scratch(length, itemsize(type))),
                      .slots = slots,
                      .rows = rows,
                      .length = length,
                      .descending = descending};
  });
  return out;
}

NdArray sort_along(const Kernel<SortParams>& kernel, const NdArray& x, std::int64_t axis,
                   Dtype type, bool descending) {
  const int along = normalize_axis(axis, x.rank());
  if (x.size() == 0) {
    check_shape(x.shape().span(), itemsize(type));
    return empty(x.shape(), type, x.device());
  }
  if (along == x.rank() - 1) return sort_rows(kernel, contiguous(x), type, descending);
  const AxesAtEnd order(x.rank(), Dims{along}.span());
  const NdArray rows = contiguous(permute_dims(x, order.forward));
  const NdArray sorted = sort_rows(kernel, rows, type, descending);
  return contiguous(permute_dims(sorted, order.back));
}

}  // namespace

NdArray sort(const NdArray& x, std::int64_t axis, bool descending) {
  require_real(x);
  const Kernel<SortParams>& kernel = require_kernel(
      kernels<SortKernels>(x.device()).values[static_cast<int>(x.dtype())], x.dtype(), x.device());
  return sort_along(kernel, x, axis, x.dtype(), descending);
}

NdArray argsort(const NdArray& x, std::int64_t axis, bool descending) {
  require_real(x);
  const Kernel<SortParams>& kernel = require_kernel(
      kernels<SortKernels>(x.device()).indices[static_cast<int>(x.dtype())], x.dtype(), x.device());
  return sort_along(kernel, x, axis, default_integer, descending);
}

}  // namespace skerry
