// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <string>

#include "core/axis_list.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/params_block.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"
#include "ops/move/views.hpp"
#include "ops/reduce/kernels.hpp"

namespace skerry {
namespace {

using axis_set = std::bitset<max_rank>;

axis_set reduced_axes(int rank, std::optional<std::span<const std::int64_t>> axes) {
  axis_set selected_axes;
  if (axes) {
    for (const std::int64_t axis : normalize_axes(*axes, rank)) {
      selected_axes.set(static_cast<std::size_t>(axis));
    }
  } else {
    for (int axis = 0; axis < rank; ++axis) selected_axes.set(static_cast<std::size_t>(axis));
  }
  return selected_axes;
}

bool is_reduced(const axis_set& axes, int axis) { return axes[static_cast<std::size_t>(axis)]; }

Dims result_shape(const Dims& shape, const axis_set& axes, bool keepdims) {
  const int dropped = keepdims ? 0 : static_cast<int>(axes.count());
  Dims result(shape.rank() - dropped);
  int position = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!is_reduced(axes, axis)) {
      result[position++] = shape[axis];
    } else if (keepdims) {
      result[position++] = 1;
    }
  }
  return result;
}

/// Fills in `described`. Returns false if more than `max_axes` axes remain. Moves `input` from the
/// first element to the one that is reduced first; a null `input` stays null. `keep_order`: do not
/// flip negative strides of reduced axes.
bool describe_axes(const Layout& x, const axis_set& axes, std::int64_t result_itemsize,
                   bool keep_order, char*& input, ReductionAxes& described) {
  AxisList<2> retained_axes;  // of the input, and of the output
  AxisList<1> reduced;        // of the input
  described.retained_size = 1;
  described.reduced_size = 1;
  std::int64_t output_stride = result_itemsize;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    const std::int64_t n = x.shape[axis];
    if (is_reduced(axes, axis)) {
      described.reduced_size *= n;
      reduced.add(n, {x.strides[axis]});
    } else {
      described.retained_size *= n;
      retained_axes.add(n, {x.strides[axis], output_stride});
      output_stride *= n;
    }
  }
  if (!keep_order) reduced.flip_negative(&input);
  retained_axes.order();
  retained_axes.coalesce();
  reduced.order();
  reduced.coalesce();
  constexpr int max_axes = ReductionAxes::max_axes;
  return retained_axes.write(max_axes, described.retained_rank, described.retained_shape,
                             described.retained_strides, described.output_strides) &&
         reduced.write(max_axes, described.reduced_rank, described.reduced_shape,
                       described.reduced_strides);
}

/// Returns a C-order copy with the retained axes first, so that each group coalesces to one axis.
NdArray group_axes(const NdArray& x, axis_set& axes) {
  std::int64_t order[max_rank];
  std::size_t ordered_count = 0;
  for (const bool reduced : {false, true}) {
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (is_reduced(axes, axis) == reduced) order[ordered_count++] = axis;
    }
  }
  const std::size_t retained_count = ordered_count - axes.count();
  axes.reset();
  for (std::size_t axis = retained_count; axis < ordered_count; ++axis) axes.set(axis);
  return copy_c_order(permute_dims(x, {order, ordered_count}));
}

void check_elements(const ReductionEntry& entry, const NdArray& x, const Dims& shape,
                    const axis_set& axes) {
  if (!entry.needs_elements) return;
  const auto is_zero = [](std::int64_t n) { return n == 0; };
  if (std::any_of(shape.begin(), shape.end(), is_zero)) return;  // no outputs
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (is_reduced(axes, axis) && x.shape()[axis] == 0) {
      throw ValueError("no elements to reduce: " + describe(x) + " has none along axis " +
                       std::to_string(axis));
    }
  }
}

NdArray run(const ReductionEntry& entry, reduction_id op, const NdArray& x, axis_set axes,
            const Dims& shape, double correction) {
  const Dtype result = entry.has_one_axis ? Dtype::int64  // for bool, too
                                          : require_result_dtype(entry.result, x.dtype());
  const Device device = x.device();
  const Kernel<ReduceParams>& kernel = require_kernel(
      kernels<ReduceKernels>(device).kernel[op][static_cast<int>(x.dtype())], x.dtype(), device);
  NdArray source = x;
  if (entry.has_one_axis && axes.count() != 1) {  // all elements: the index counts in C order
    source = reshape(x, std::array<std::int64_t, 1>{-1}, std::nullopt);
    axes = axis_set(1);
  }
  ReductionAxes described;
  char* input = nullptr;
  const auto describe = [&] {
    input = source.data();
    return describe_axes(source.layout(), axes, itemsize(result), entry.has_one_axis, input,
                         described);
  };
  if (!describe()) {
    source = group_axes(source, axes);
    describe();
  }
  NdArray out = empty(shape, result, device);
  if (described.retained_size > 0) {
    launch(device, kernel, [&](OperandList& operands) {
      return ReduceParams{
          {.input = operands(source, input - source.data()), .output = operands(out)},
          described,
          correction,
          nullptr};
    });
  }
  return out;
}

/// True if the kernel can reduce elements that are produced on the fly (ReduceParams::feed).
bool accepts_feed(const ReductionEntry& entry, const ReductionAxes& axes, std::int64_t width) {
  const std::int64_t rows = axes.retained_size;
  const std::int64_t length = axes.reduced_size;
  if (width > 8 || axes.retained_rank > 1 || axes.reduced_rank != 1) return false;
  const auto is_step = [width](std::int64_t step, std::int64_t items) {
    return step == items * width;
  };
  const bool is_along = is_step(axes.reduced_strides[0], 1) &&
                        (axes.retained_rank == 0 || is_step(axes.retained_strides[0], length));
  const bool is_across = axes.retained_rank == 1 && is_step(axes.retained_strides[0], 1) &&
                         is_step(axes.reduced_strides[0], rows) &&
                         rows <= tuning::max_converted_columns;
  if (entry.needs_elements) return is_along && length * width <= tuning::feed_bytes;
  return is_along || (is_across && !entry.has_correction);
}

/// Converts a large array block by block while it is reduced. Returns nullopt if that does not
/// apply.
std::optional<NdArray> run_converted(const ReductionEntry& entry, reduction_id op, const NdArray& x,
                                     Dtype type, const axis_set& axes, const Dims& shape,
                                     double correction) {
  const std::int64_t width = itemsize(type);
  const std::optional<Dtype> result = entry.result[static_cast<int>(type)];
  if (!result || entry.has_one_axis || x.dtype() == type ||
      x.size() * width < tuning::min_converted_bytes) {
    return std::nullopt;
  }
  const Layout dense = dense_layout_like(x.layout(), width);
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.strides()[axis] * width != dense.strides[axis] * x.itemsize()) return std::nullopt;
  }
  const Device device = x.device();
  const Kernel<ReduceParams>& kernel =
      kernels<ReduceKernels>(device).kernel[op][static_cast<int>(type)];
  const Kernel<Plan>& cast =
      kernels<CastKernels>(device).kernel[static_cast<int>(x.dtype())][static_cast<int>(type)];
  ReductionAxes described;
  char* input = nullptr;
  const bool has_axes = describe_axes(dense, axes, itemsize(*result), false, input, described);
  if (!has_host_form(kernel, device) || !cast.has_host() || !has_axes ||
      !accepts_feed(entry, described, width)) {
    return std::nullopt;
  }
  NdArray out = empty(shape, *result, device);
  MemoryUse uses[OperandList::max_uses];
  OperandList operands(device, uses);
  ParamsBlock<ReduceParams> params;
  params.start([&] {
    return ReduceParams{{.input = OperandList::no_memory(), .output = operands(out)},
                        described,
                        correction,
                        kernels<ReduceKernels>(device).convert};
  });
  const Conversion conversion{
      .source = operands(x), .from_width = x.itemsize(), .to_width = width, .cast = &cast};
  params.append(std::as_bytes(std::span(&conversion, 1)));
  launch(device, kernel, params, operands);
  return out;
}

/// Reduces x converted to `type`.
NdArray run_as(const ReductionEntry& entry, reduction_id op, const NdArray& x, Dtype type,
               const axis_set& axes, const Dims& shape, double correction) {
  if (auto result = run_converted(entry, op, x, type, axes, shape, correction)) {
    return *std::move(result);
  }
  return run(entry, op, astype(x, type, false), axes, shape, correction);
}

/// Replaces max and min of bools by any and all: the result is bool, as in NumPy.
reduction_id with_bools(reduction_id op) noexcept {
  if (op == ops::index_of<ops::max, ops::reductions>) {
    return ops::index_of<ops::any, ops::reductions>;
  }
  if (op == ops::index_of<ops::min, ops::reductions>) {
    return ops::index_of<ops::all, ops::reductions>;
  }
  return op;
}

/// Reduces an x whose dtype has no loop: a bool by another reduction, others in the compute dtype.
NdArray run_other_loop(const ReductionEntry& entry, reduction_id op, const NdArray& x,
                       const axis_set& axes, const Dims& shape, double correction) {
  const reduction_id of_bools = with_bools(op);
  const Kernel<ReduceParams>& kernel_of_bools =
      kernels<ReduceKernels>(x.device()).kernel[of_bools][static_cast<int>(Dtype::bool_)];
  const bool has_loop =
      (of_bools != op || entry.has_one_axis) && has_form(kernel_of_bools, x.device());
  if (x.dtype() == Dtype::bool_ && has_loop && !promotion_is_strict()) {
    const ReductionEntry& other = reduction_table()[static_cast<std::size_t>(of_bools)];
    return run(other, of_bools, x, axes, shape, correction);
  }
  const Dtype type = compute_dtype(entry.result, x.dtype());
  return run_as(entry, op, x, type, axes, shape, correction);
}

}  // namespace

Dtype loaded_dtype(reduction_id op, Dtype element_dtype, Dtype type) noexcept {
  const bool wraps = is_integer(type) && !is_floating(element_dtype);
  const ReductionEntry& entry = reduction_table()[static_cast<std::size_t>(op)];
  return wraps || entry.result[static_cast<int>(element_dtype)] == type ? element_dtype : type;
}

NdArray reduce(reduction_id op, const NdArray& x, std::optional<std::span<const std::int64_t>> axes,
               std::optional<Dtype> type, bool keepdims, double correction) {
  const ReductionEntry& entry = reduction_table()[static_cast<std::size_t>(op)];
  if (type && !entry.has_dtype) {
    throw TypeError("takes no dtype; convert with astype");
  }
  if (type == Dtype::bool_) {
    throw DtypeError("dtype=bool is not numeric; use any or all");
  }
  const axis_set selected_axes = reduced_axes(x.rank(), axes);
  const Dims shape = result_shape(x.shape(), selected_axes, keepdims);
  check_elements(entry, x, shape, selected_axes);
  if (!type && !entry.result[static_cast<int>(x.dtype())]) {
    return run_other_loop(entry, op, x, selected_axes, shape, correction);
  }
  if (!type) return run(entry, op, x, selected_axes, shape, correction);
  const Dtype loaded = loaded_dtype(op, x.dtype(), *type);
  return astype(run_as(entry, op, x, loaded, selected_axes, shape, correction), *type, false);
}

namespace {

/// Returns the number of leading axes that index rows, of which a kernel can reduce a range
/// (RowRange). Returns -1 if the reduced axes do not form contiguous rows, or if the rows are too
/// few for all threads.
int find_rows(const Dims& shape, const axis_set& axes, const ReductionAxes& described,
              std::int64_t width) {
  const bool is_along = described.retained_rank == 1 && described.reduced_rank == 1 &&
                        described.reduced_strides[0] == width &&
                        described.reduced_size * width <= tuning::max_reduced_row_bytes &&
                        keeps_threads_busy(described.retained_size);
  if (!is_along) return -1;
  int rows = 0;
  while (!is_reduced(axes, rows)) ++rows;
  for (int axis = rows; axis < shape.rank(); ++axis) {
    if (!is_reduced(axes, axis) && shape[axis] != 1) return -1;
  }
  return rows;
}

}  // namespace

std::optional<PendingArray> reduce_recorded(Recording& recording, reduction_id op,
                                            const Operand& operand, bool is_held,
                                            std::optional<std::span<const std::int64_t>> axes,
                                            bool keepdims, double correction) {
  const NdArray& x = *operand.array;
  const ReductionEntry& entry = reduction_table()[static_cast<std::size_t>(op)];
  const std::optional<Dtype> result = entry.result[static_cast<int>(x.dtype())];
  if (!result || entry.has_one_axis || x.size() == 0) return std::nullopt;
  const Device device = x.device();
  const Kernel<ReduceParams>& kernel =
      kernels<ReduceKernels>(device).kernel[op][static_cast<int>(x.dtype())];
  if (!has_host_form(kernel, device)) return std::nullopt;  // native kernels are not recorded
  const axis_set selected_axes = reduced_axes(x.rank(), axes);
  const Dims shape = result_shape(x.shape(), selected_axes, keepdims);
  ReductionAxes described;
  char* input = x.data();
  if (!describe_axes(x.layout(), selected_axes, itemsize(*result), false, input, described)) {
    return std::nullopt;
  }
  const int rows = find_rows(x.shape(), selected_axes, described, x.itemsize());
  if (rows >= 0) {
    if (operand.pending == nullptr && !Recording::may_read_later(x)) {
      Recording::report_alias(entry.name, "x", x);
      return std::nullopt;
    }
    const ReduceParams params{
        {.input = OperandList::no_memory(), .output = OperandList::no_memory()},
        described,
        correction,
        nullptr};
    return recording.append_reduction(kernel, params, input - x.memory()->data(), shape, *result,
                                      rows, operand);
  }
  if (operand.pending == nullptr || !accepts_feed(entry, described, x.itemsize()))
    return std::nullopt;
  NdArray out = empty(shape, *result, device);
  const auto launch_reduction = [&](const ParamsBlock<FusedParams>& pass, OperandList& operands) {
    ParamsBlock<ReduceParams> params;
    params.start([&] {
      return ReduceParams{{.input = OperandList::no_memory(), .output = operands(out)},
                          described,
                          correction,
                          kernels<FuseKernels>(device).feed};
    });
    params.append(pass.bytes());
    launch(device, kernel, params, operands);
  };
  if (!recording.feed(*operand.pending, is_held, launch_reduction)) return std::nullopt;
  return PendingArray{std::move(out), nullptr};
}

}  // namespace skerry
