// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/rearrange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

/// Axes of a result in which an axis of `x` may become two: (repetition, position).
class InterleavedAxes {
 public:
  explicit InterleavedAxes(const NdArray& out) : out_(out) { target_.offset = out.layout().offset; }
  /// Skips axes of one element: x may have 64 of them, and twice as many axes are not supported.
  void add(std::int64_t extent, std::int64_t stride, std::int64_t source_stride) {
    if (extent == 1) return;
    target_.shape.push_back(extent);
    target_.strides.push_back(stride);
    source_.shape.push_back(extent);
    source_.strides.push_back(source_stride);
  }
  void copy_from(const NdArray& x) {
    source_.offset = x.layout().offset;
    assign(out_.view(std::move(target_)), x.view(std::move(source_)));
  }

 private:
  const NdArray& out_;
  Layout target_;
  Layout source_;
};

std::int64_t multiply_length(std::int64_t n, std::int64_t repetitions) {
  if (repetitions < 0) {
    throw ValueError("the number of repetitions must not be negative: " +
                     std::to_string(repetitions));
  }
  if (const std::optional<std::int64_t> product = checked_multiply(n, repetitions)) return *product;
  throw ShapeError("the result would have too many elements");
}

/// Returns `x` flattened, copied only if needed.
NdArray flattened(const NdArray& x) {
  const NdArray dense = contiguous(x);
  return dense.view({Dims{x.size()}, Dims{x.itemsize()}, dense.layout().offset});
}

/// Rolls up to three axes at once by copying blocks, in 2, 4 or 8 copies.
NdArray roll_few(const NdArray& x, std::span<const int> axes, const Dims& shifts) {
  NdArray out = empty(x.shape(), x.dtype(), x.device());
  for (unsigned wrapped = 0; wrapped < 1u << axes.size(); ++wrapped) {
    NdArray destination = out;
    NdArray source = x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const int axis = axes[i];
      const std::int64_t n = x.shape()[axis];
      const std::int64_t shift = shifts[axis];
      const bool at_start = ((wrapped >> i) & 1u) != 0;
      destination = slice_of(destination, axis, at_start ? 0 : shift, at_start ? shift : n - shift);
      source = slice_of(source, axis, at_start ? n - shift : 0, at_start ? shift : n - shift);
    }
    assign(destination, source);
  }
  return out;
}

/// Rolls long contiguous rows in one pass by a host-only kernel. Returns nullopt if that does not
/// apply.
std::optional<NdArray> rotated(const NdArray& x, int axis, std::int64_t shift) {
  const Kernel<RotateParams>& kernel = kernels<MovesKernels>(x.device()).rotate;
  std::int64_t item = x.itemsize();
  for (int i = axis + 1; i < x.rank(); ++i) item *= x.shape()[i];
  const std::int64_t row = item * x.shape()[axis];
  if (keeps_native_limits(x.device()) || !has_form(kernel, x.device()) ||
      row < tuning::min_rotated_row_bytes || !x.is_c_contiguous()) {
    return std::nullopt;
  }
  NdArray out = empty(x.shape(), x.dtype(), x.device());
  launch(out.device(), kernel, [&](OperandList& operands) {
    return RotateParams{.output = operands(out),
                        .input = operands(x),
                        .rows = out.nbytes() / row,
                        .row_bytes = row,
                        .shift_bytes = shift * item};
  });
  return out;
}

/// Returns the shift of each axis, in [0, n).
Dims shifts_by_axis(const NdArray& x, std::span<const std::int64_t> shifts,
                    std::span<const std::int64_t> axes) {
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1) {
    throw ValueError(std::to_string(shifts.size()) + " shifts for " + std::to_string(axes.size()) +
                     " axes; pass one shift, one axis, or equally many of both");
  }
  Dims result(x.rank());
  const std::size_t count =
      shifts.empty() || axes.empty() ? 0 : std::max(shifts.size(), axes.size());
  for (const std::int64_t axis : axes) static_cast<void>(normalize_axis(axis, x.rank()));
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = normalize_axis(axes[axes.size() == 1 ? 0 : i], x.rank());
    const std::int64_t n = x.shape()[axis];
    if (n == 0) continue;
    const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : i] % n;
    result[axis] = (result[axis] + shift + n) % n;
  }
  return result;
}

NdArray roll_ordered(const NdArray& x, const Dims& shifts) {
  std::vector<int> moved;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (shifts[axis] != 0) moved.push_back(axis);
  }
  if (moved.empty() || x.size() == 0) return copy_c_order(x);
  if (moved.size() == 1) {
    if (std::optional<NdArray> y = rotated(x, moved[0], shifts[moved[0]])) return *std::move(y);
  }
  NdArray result = x;
  for (std::size_t i = 0; i < moved.size(); i += 3) {
    const std::span<const int> few(moved.data() + i, std::min<std::size_t>(3, moved.size() - i));
    result = roll_few(result, few, shifts);
  }
  return result;
}

NdArray roll_axes(const NdArray& x, const Dims& shifts) {
  return apply_in_order(
      x, [&](const NdArray& ordered, std::span<const std::int64_t> axis_positions) {
        Dims moved(x.rank());
        for (int axis = 0; axis < x.rank(); ++axis) {
          moved[static_cast<int>(axis_positions[static_cast<std::size_t>(axis)])] = shifts[axis];
        }
        return roll_ordered(ordered, moved);
      });
}

NdArray repeat_ordered(const NdArray& x, std::int64_t repeats, int along) {
  Dims shape = x.shape();
  shape[along] = multiply_length(shape[along], repeats);
  NdArray out = empty(shape, x.dtype(), x.device());
  if (out.size() == 0) return out;
  // Make rows contiguous once, not once per repetition.
  const NdArray source = repeats > 1 && along + 1 < x.rank() ? contiguous(x) : x;
  InterleavedAxes axes(out);
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t stride = out.strides()[i];
    axes.add(x.shape()[i], i == along ? stride * repeats : stride, source.strides()[i]);
    if (i == along) axes.add(repeats, stride, 0);
  }
  axes.copy_from(source);
  return out;
}

}  // namespace

NdArray tile(const NdArray& x, std::span<const std::int64_t> repetitions) {
  const int rank =
      std::max(x.rank(), static_cast<int>(std::min<std::size_t>(repetitions.size(), 65)));
  if (rank > max_rank) throw ShapeError("more than 64 repetitions; at most 64 axes are possible");
  const int own_lead = rank - x.rank();
  const int lead = rank - static_cast<int>(repetitions.size());
  Dims counts(rank, 1);
  Dims lengths(rank, 1);
  Dims shape(rank);
  for (int axis = 0; axis < rank; ++axis) {
    if (axis >= lead) counts[axis] = repetitions[static_cast<std::size_t>(axis - lead)];
    if (axis >= own_lead) lengths[axis] = x.shape()[axis - own_lead];
    shape[axis] = multiply_length(lengths[axis], counts[axis]);
  }
  NdArray out = empty(shape, x.dtype(), x.device());
  if (out.size() == 0) return out;
  InterleavedAxes axes(out);
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t stride = out.strides()[axis];
    axes.add(counts[axis], stride * lengths[axis], 0);
    if (axis >= own_lead) axes.add(lengths[axis], stride, x.strides()[axis - own_lead]);
  }
  axes.copy_from(x);
  return out;
}

NdArray repeat(const NdArray& x, std::int64_t repeats, std::optional<std::int64_t> axis) {
  if (!axis) return repeat(flattened(x), repeats, 0);
  const auto along = static_cast<std::size_t>(normalize_axis(*axis, x.rank()));
  return apply_in_order(
      x, [&](const NdArray& ordered, std::span<const std::int64_t> axis_positions) {
        return repeat_ordered(ordered, repeats, static_cast<int>(axis_positions[along]));
      });
}

NdArray roll(const NdArray& x, std::span<const std::int64_t> shifts,
             std::optional<std::span<const std::int64_t>> axes) {
  if (axes) return roll_axes(x, shifts_by_axis(x, shifts, *axes));
  const std::int64_t only[] = {0};
  const NdArray flat = flattened(x);
  const NdArray out = roll_axes(flat, shifts_by_axis(flat, shifts, only));
  return out.view(c_layout(x.shape(), x.itemsize()));
}

}  // namespace skerry
