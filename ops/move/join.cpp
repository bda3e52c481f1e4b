// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/join.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "device/backend.hpp"
#include "device/stream.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"

namespace skerry {
namespace {

std::string name_of(std::size_t position) { return "arrays[" + std::to_string(position) + "]"; }

dtype joined_dtype(const char* op, std::span<const ndarray> arrays) {
  const dtype first = arrays[0].dtype();
  const auto differs = [&](const ndarray& x) { return x.dtype() != first; };
  if (std::none_of(arrays.begin(), arrays.end(), differs)) return first;
  std::vector<std::string> names;
  std::vector<operand> operands;
  names.reserve(arrays.size());
  for (const ndarray& x : arrays) {
    names.push_back(name_of(names.size()));
    operands.push_back({.array = &x, .name = names.back().c_str()});
  }
  return common_dtype(op, operands);
}

void require_arrays(const char* op, std::span<const ndarray> arrays) {
  if (arrays.empty()) throw value_error(std::string(op) + ": no arrays; give at least one");
  common_device(op, arrays);
}

[[noreturn]] void reject_shapes(const char* op, std::span<const ndarray> arrays,
                                std::size_t position, const char* rule) {
  throw shape_error(std::string(op) + ": " + rule + ": arrays[0] is " +
                    to_string(arrays[0].shape()) + ", " + name_of(position) + " is " +
                    to_string(arrays[position].shape()));
}

/// Equal shapes, but for `axis` where that is not negative.
void check_shapes(const char* op, std::span<const ndarray> arrays, int axis) {
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    dims shape = arrays[i].shape();
    if (axis >= 0 && shape.rank() == arrays[0].rank()) shape[axis] = arrays[0].shape()[axis];
    if (shape == arrays[0].shape()) continue;
    reject_shapes(op, arrays, i,
                  axis >= 0 ? "shapes differ in more than the axis" : "shapes differ");
  }
}

std::int64_t total_length(const char* op, std::int64_t a, std::int64_t b) {
  if (const std::optional<std::int64_t> sum = checked_add(a, b)) return *sum;
  throw shape_error(std::string(op) + ": the result would have too many elements");
}

/// Elements [start, start + length) of an axis.
ndarray slice_of(const ndarray& x, int axis, std::int64_t start, std::int64_t length) {
  layout place = x.layout();
  place.shape[axis] = length;
  if (place.size() > 0) place.offset += start * place.strides[axis];
  return x.view(std::move(place));
}

ndarray concat_flat(const char* op, std::span<const ndarray> arrays, dtype type) {
  std::int64_t size = 0;
  for (const ndarray& x : arrays) size = total_length(op, size, x.size());
  ndarray out = empty(op, {size}, type, arrays[0].device());
  std::int64_t offset = 0;
  for (const ndarray& x : arrays) {
    layout place = c_layout(x.shape(), out.itemsize());
    place.offset = offset;
    if (x.size() > 0) assign(op, out.view(std::move(place)), x);
    offset += x.size() * out.itemsize();
  }
  return out;
}

/// Few contiguous arrays of items that go side by side, as in stack(…, axis=-1): by a kernel of
/// their own on a CPU device. False if it is something else.
bool interleave(const ndarray& out, std::span<const ndarray> arrays, int axis) {
  const kernel& what = kernels<moves_kernels>().interleave[size_class(out.itemsize())];
  const bool runs_at_once = !capabilities_of(out.device()).runs_later && what.host != nullptr;
  const auto suits = [&](const ndarray& x) {
    return x.dtype() == out.dtype() && x.shape()[axis] == 1 && x.is_c_contiguous();
  };
  if (!runs_at_once || arrays.size() > interleave_params::most_parts || axis != out.rank() - 1 ||
      !std::all_of(arrays.begin(), arrays.end(), suits)) {
    return false;
  }
  interleave_params params{};
  params.output = out.data();
  params.count = static_cast<std::int64_t>(arrays.size());
  params.size = arrays[0].size();
  std::vector<memory_use> uses{writes(out)};
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    params.parts[k] = arrays[k].data();
    uses.push_back(reads(arrays[k]));
  }
  launch(out.device(), what, params, uses);
  return true;
}

/// Copies the arrays into their parts of `out`. Where those are shorter than a line of the caches,
/// the parts of one line are written one after the other, so on a CPU device a block at a time.
void fill_parts(const char* op, const ndarray& out, std::span<const ndarray> arrays, int axis) {
  constexpr std::int64_t block_bytes = 1 << 20;
  std::int64_t run = out.itemsize();
  for (int i = axis + 1; i < out.rank(); ++i) run *= out.shape()[i];
  const bool has_short_parts =
      run * (out.shape()[axis] / static_cast<std::int64_t>(arrays.size())) < 64;
  int slowest = 0;
  while (slowest < axis && out.shape()[slowest] == 1) ++slowest;
  if (has_short_parts && slowest < axis && out.nbytes() > block_bytes &&
      !capabilities_of(out.device()).runs_later) {
    const std::int64_t rows = out.shape()[slowest];
    const std::int64_t step = std::max<std::int64_t>(block_bytes / (out.nbytes() / rows), 1);
    std::vector<ndarray> blocks(arrays.size());
    for (std::int64_t start = 0; start < rows; start += step) {
      const std::int64_t length = std::min(step, rows - start);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        blocks[i] = slice_of(arrays[i], slowest, start, length);
      }
      fill_parts(op, slice_of(out, slowest, start, length), blocks, axis);
    }
    return;
  }
  std::int64_t start = 0;
  for (const ndarray& x : arrays) {
    const std::int64_t length = x.shape()[axis];
    if (x.size() > 0) assign(op, slice_of(out, axis, start, length), x);
    start += length;
  }
}

ndarray join(const char* op, std::span<const ndarray> arrays, int axis, dtype type) {
  dims shape = arrays[0].shape();
  shape[axis] = 0;
  for (const ndarray& x : arrays) shape[axis] = total_length(op, shape[axis], x.shape()[axis]);
  ndarray out = empty(op, shape, type, arrays[0].device());
  if (out.size() > 0 && !interleave(out, arrays, axis)) fill_parts(op, out, arrays, axis);
  return out;
}

/// The axes of a result in which every axis of `x` may be doubled into (repetition, position).
class interleaved_axes {
 public:
  explicit interleaved_axes(const ndarray& out) : out_(out) {
    target_.offset = out.layout().offset;
  }
  /// An axis of one element is left out: there may be 64 of them, and rank 128 is not possible.
  void add(std::int64_t extent, std::int64_t stride, std::int64_t source_stride) {
    if (extent == 1) return;
    target_.shape.push_back(extent);
    target_.strides.push_back(stride);
    source_.shape.push_back(extent);
    source_.strides.push_back(source_stride);
  }
  void copy_from(const char* op, const ndarray& x) {
    source_.offset = x.layout().offset;
    assign(op, out_.view(std::move(target_)), x.view(std::move(source_)));
  }

 private:
  const ndarray& out_;
  layout target_;
  layout source_;
};

std::int64_t multiply_length(const char* op, std::int64_t n, std::int64_t repetitions) {
  if (repetitions < 0) {
    throw value_error(std::string(op) +
                      ": a negative number of repetitions: " + std::to_string(repetitions));
  }
  if (const std::optional<std::int64_t> product = checked_multiply(n, repetitions)) return *product;
  throw shape_error(std::string(op) + ": the result would have too many elements");
}

/// `x` in one axis, as a copy only where it must be.
ndarray flattened(const ndarray& x) {
  const ndarray dense = contiguous(x);
  return dense.view({dims{x.size()}, dims{x.itemsize()}, dense.layout().offset});
}

/// Moves blocks of up to three axes at a time, which takes 2, 4 or 8 copies.
ndarray roll_few(const char* op, const ndarray& x, std::span<const int> axes, const dims& shifts) {
  ndarray out = empty(op, x.shape(), x.dtype(), x.device());
  for (unsigned wrapped = 0; wrapped < 1u << axes.size(); ++wrapped) {
    ndarray to = out;
    ndarray from = x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const int axis = axes[i];
      const std::int64_t n = x.shape()[axis];
      const std::int64_t shift = shifts[axis];
      const bool at_start = ((wrapped >> i) & 1u) != 0;
      to = slice_of(to, axis, at_start ? 0 : shift, at_start ? shift : n - shift);
      from = slice_of(from, axis, at_start ? n - shift : 0, at_start ? shift : n - shift);
    }
    assign(op, to, from);
  }
  return out;
}

/// Long rows of contiguous items, in one pass by a kernel of their own on a CPU device. Nothing if
/// it is something else.
std::optional<ndarray> rotated(const char* op, const ndarray& x, int axis, std::int64_t shift) {
  constexpr std::int64_t least_row = 512;
  const kernel& what = kernels<moves_kernels>().rotate;
  std::int64_t item = x.itemsize();
  for (int i = axis + 1; i < x.rank(); ++i) item *= x.shape()[i];
  const std::int64_t row = item * x.shape()[axis];
  if (capabilities_of(x.device()).runs_later || what.host == nullptr || row < least_row ||
      !x.is_c_contiguous()) {
    return std::nullopt;
  }
  ndarray out = empty(op, x.shape(), x.dtype(), x.device());
  const rotate_params params{.output = out.data(),
                             .input = x.data(),
                             .rows = out.nbytes() / row,
                             .row_bytes = row,
                             .shift_bytes = shift * item};
  const memory_use uses[] = {writes(out), reads(x)};
  launch(out.device(), what, params, uses);
  return out;
}

/// Shifts by axis, each in [0, n).
dims shifts_by_axis(const char* op, const ndarray& x, std::span<const std::int64_t> shifts,
                    std::span<const std::int64_t> axes) {
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1) {
    throw value_error(std::string(op) + ": " + std::to_string(shifts.size()) + " shifts for " +
                      std::to_string(axes.size()) + " axes; give one of either, or as many");
  }
  dims result(x.rank());
  const std::size_t count =
      shifts.empty() || axes.empty() ? 0 : std::max(shifts.size(), axes.size());
  for (const std::int64_t axis : axes) static_cast<void>(normalize_axis(op, axis, x.rank()));
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = normalize_axis(op, axes[axes.size() == 1 ? 0 : i], x.rank());
    const std::int64_t n = x.shape()[axis];
    if (n == 0) continue;
    const std::int64_t shift = shifts[shifts.size() == 1 ? 0 : i] % n;
    result[axis] = (result[axis] + shift + n) % n;
  }
  return result;
}

ndarray roll_axes(const char* op, const ndarray& x, const dims& shifts) {
  std::vector<int> moved;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (shifts[axis] != 0) moved.push_back(axis);
  }
  if (moved.empty() || x.size() == 0) return copy_c_order(x);
  if (moved.size() == 1) {
    if (std::optional<ndarray> y = rotated(op, x, moved[0], shifts[moved[0]])) return *std::move(y);
  }
  ndarray result = x;
  for (std::size_t i = 0; i < moved.size(); i += 3) {
    const std::span<const int> few(moved.data() + i, std::min<std::size_t>(3, moved.size() - i));
    result = roll_few(op, result, few, shifts);
  }
  return result;
}

}  // namespace

ndarray concat(std::span<const ndarray> arrays, std::optional<std::int64_t> axis) {
  constexpr const char* op = "concat";
  require_arrays(op, arrays);
  const dtype type = joined_dtype(op, arrays);
  if (!axis) return concat_flat(op, arrays, type);
  if (arrays[0].rank() == 0) {
    throw shape_error("concat: 0-d arrays have no axis: arrays[0]; use axis=None or stack");
  }
  const int along = normalize_axis(op, *axis, arrays[0].rank());
  check_shapes(op, arrays, along);
  return join(op, arrays, along, type);
}

ndarray stack(std::span<const ndarray> arrays, std::int64_t axis) {
  constexpr const char* op = "stack";
  require_arrays(op, arrays);
  const dtype type = joined_dtype(op, arrays);
  check_shapes(op, arrays, -1);
  const std::int64_t added[] = {axis};
  std::vector<ndarray> columns;
  columns.reserve(arrays.size());
  for (const ndarray& x : arrays) columns.push_back(x.view(expand_dims(op, x.layout(), added)));
  return join(op, columns, normalize_axis(op, axis, columns[0].rank()), type);
}

std::vector<ndarray> unstack(const ndarray& x, std::int64_t axis) {
  constexpr const char* op = "unstack";
  const int along = normalize_axis(op, axis, x.rank());
  layout place = x.layout();
  const std::int64_t stride = place.strides[along];
  const std::int64_t count = place.shape[along];
  place.shape.erase(along);
  place.strides.erase(along);
  const bool has_elements = place.size() > 0;
  std::vector<ndarray> parts;
  parts.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    parts.push_back(x.view(place));
    if (has_elements) place.offset += stride;
  }
  return parts;
}

ndarray tile(const ndarray& x, std::span<const std::int64_t> repetitions) {
  constexpr const char* op = "tile";
  const int rank =
      std::max(x.rank(), static_cast<int>(std::min<std::size_t>(repetitions.size(), 65)));
  if (rank > max_rank)
    throw shape_error("tile: more than 64 repetitions; at most 64 axes are possible");
  const int own_lead = rank - x.rank();
  const int lead = rank - static_cast<int>(repetitions.size());
  dims counts(rank, 1);
  dims lengths(rank, 1);
  dims shape(rank);
  for (int axis = 0; axis < rank; ++axis) {
    if (axis >= lead) counts[axis] = repetitions[static_cast<std::size_t>(axis - lead)];
    if (axis >= own_lead) lengths[axis] = x.shape()[axis - own_lead];
    shape[axis] = multiply_length(op, lengths[axis], counts[axis]);
  }
  ndarray out = empty(op, shape, x.dtype(), x.device());
  if (out.size() == 0) return out;
  interleaved_axes axes(out);
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t stride = out.strides()[axis];
    axes.add(counts[axis], stride * lengths[axis], 0);
    if (axis >= own_lead) axes.add(lengths[axis], stride, x.strides()[axis - own_lead]);
  }
  axes.copy_from(op, x);
  return out;
}

ndarray repeat(const ndarray& x, std::int64_t repeats, std::optional<std::int64_t> axis) {
  constexpr const char* op = "repeat";
  if (!axis) return repeat(flattened(x), repeats, 0);
  const int along = normalize_axis(op, *axis, x.rank());
  dims shape = x.shape();
  shape[along] = multiply_length(op, shape[along], repeats);
  ndarray out = empty(op, shape, x.dtype(), x.device());
  if (out.size() == 0) return out;
  interleaved_axes axes(out);
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t stride = out.strides()[i];
    axes.add(x.shape()[i], i == along ? stride * repeats : stride, x.strides()[i]);
    if (i == along) axes.add(repeats, stride, 0);
  }
  axes.copy_from(op, x);
  return out;
}

ndarray roll(const ndarray& x, std::span<const std::int64_t> shifts,
             std::optional<std::span<const std::int64_t>> axes) {
  constexpr const char* op = "roll";
  if (axes) return roll_axes(op, x, shifts_by_axis(op, x, shifts, *axes));
  const std::int64_t only[] = {0};
  const ndarray flat = flattened(x);
  const ndarray out = roll_axes(op, flat, shifts_by_axis(op, flat, shifts, only));
  return out.view(c_layout(x.shape(), x.itemsize()));
}

ndarray diff(const ndarray& x, std::int64_t axis, std::int64_t n, const ndarray* prepend,
             const ndarray* append) {
  constexpr const char* op = "diff";
  std::vector<ndarray> parts;
  std::vector<operand> operands;
  for (const auto& [array, name] : {std::pair{prepend, "prepend"}, {&x, "x"}, {append, "append"}}) {
    if (array == nullptr) continue;
    parts.push_back(*array);
    operands.push_back({.array = array, .name = name});
  }
  static_cast<void>(common_device(op, operands));
  const dtype type = common_dtype(op, operands);
  constexpr op_id subtraction = op_id_of<ops::subtract>;
  require_loop(op, op_table()[subtraction].result, type);
  if (n < 0) throw value_error("diff: n is negative: " + std::to_string(n));
  const int along = normalize_axis(op, axis, x.rank());
  check_shapes(op, parts, along);
  if (n == 0) return astype(x, type, true);
  ndarray result = parts.size() > 1 ? join(op, parts, along, type) : x;
  for (; n > 0 && result.size() > 0; --n) {
    const std::int64_t left = std::max<std::int64_t>(result.shape()[along] - 1, 0);
    const ndarray high = slice_of(result, along, 1, left);
    const ndarray low = slice_of(result, along, 0, left);
    const operand both[] = {{.array = &high, .name = "x"}, {.array = &low, .name = "x"}};
    result = apply_as(op, subtraction, both);
  }
  if (n > 0) {  // no elements any more, or never: only the length still changes
    dims shape = result.shape();
    shape[along] = std::max<std::int64_t>(shape[along] - n, 0);
    return empty(op, shape, type, x.device());
  }
  return result;
}

}  // namespace skerry
