// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/scan/scan.hpp"

#include "core/axis_list.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/scan/kernels.hpp"

namespace skerry {
namespace {

/// A scan and its reduction, which defines its dtypes.
struct ScanEntry {
  reduction_id reduction;
};
constexpr ScanEntry entries[] = {{ops::index_of<ops::prod, ops::reductions>},
                                 {ops::index_of<ops::sum, ops::reductions>}};
static_assert(ops::index_of<ops::cumulative_sum, ops::scans> ==
              static_cast<int>(ScanId::cumulative_sum));

int scanned_axis(const NdArray& x, std::optional<std::int64_t> axis) {
  if (x.rank() == 0) {
    throw ValueError("x has no axis: " + describe(x) + "; give it one with reshape(x, (1,))");
  }
  if (axis) return normalize_axis(*axis, x.rank());
  if (x.rank() == 1) return 0;
  throw ValueError("axis is required for arrays that are not 1-D: " + describe(x) +
                   "; pass axis=, or flatten x with reshape(x, (-1,))");
}

/// Returns false if the kernels do not support the layout.
bool describe_axes(const NdArray& x, const NdArray& out, int scanned, ScanLayout& layout) {
  layout.length = x.shape()[scanned];
  layout.input_step = x.strides()[scanned];
  layout.output_step = out.strides()[scanned];
  layout.outer_size = 1;
  AxisList<2> other_axes;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {  // the output is in C order: fastest first
    if (axis == scanned) continue;
    layout.outer_size *= x.shape()[axis];
    other_axes.add(x.shape()[axis], {out.strides()[axis], x.strides()[axis]});
  }
  other_axes.coalesce();
  if (!other_axes.write(ScanLayout::max_axes, layout.rank, layout.shape, layout.output_strides,
                        layout.input_strides)) {
    return false;
  }
  layout.is_axis_contiguous = layout.output_step == out.itemsize();
  return x.itemsize() == (layout.is_axis_contiguous ? layout.input_step : layout.input_strides[0]);
}

NdArray run(const ScanEntry& entry, ScanId op, const NdArray& x, int axis, bool include_initial) {
  const Dtype result = require_result_dtype(
      reduction_table()[static_cast<std::size_t>(entry.reduction)].result, x.dtype());
  const Device device = x.device();
  const Kernel<ScanParams>& kernel = require_kernel(
      kernels<ScanKernels>(device).kernel[static_cast<int>(op)][static_cast<int>(x.dtype())],
      x.dtype(), device);
  Dims shape = x.shape();
  shape[axis] += include_initial ? 1 : 0;
  NdArray out = empty(shape, result, device);
  if (out.size() == 0) return out;
  std::optional<NdArray> dense;
  ScanLayout layout;
  if (!describe_axes(x, out, axis, layout) && x.size() > 0) {
    dense = copy_c_order(x);
    describe_axes(*dense, out, axis, layout);
  }
  launch(device, kernel, [&](OperandList& operands) {
    const std::int64_t first = include_initial ? layout.output_step : 0;
    return ScanParams{layout, operands(dense ? *dense : x), operands(out, first), include_initial};
  });
  return out;
}

}  // namespace

NdArray scan(ScanId op, const NdArray& x, std::optional<std::int64_t> axis,
             std::optional<Dtype> type, bool include_initial) {
  const ScanEntry& entry = entries[static_cast<int>(op)];
  if (type == Dtype::bool_) {
    throw DtypeError("dtype=bool is not numeric; use int64");
  }
  const int scanned = scanned_axis(x, axis);
  const NdArray source =
      type ? astype(x, loaded_dtype(entry.reduction, x.dtype(), *type), false) : x;
  const NdArray result = apply_in_order(
      source, [&](const NdArray& ordered, std::span<const std::int64_t> axis_positions) {
        const auto axis_there = static_cast<int>(axis_positions[static_cast<std::size_t>(scanned)]);
        return run(entry, op, ordered, axis_there, include_initial);
      });
  return type ? astype(result, *type, false) : result;
}

}  // namespace skerry
