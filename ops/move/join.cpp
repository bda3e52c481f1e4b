// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/move/join.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/view.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/host_scratch.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/limits.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/kernels.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

std::string name_of(std::size_t position) { return "arrays[" + std::to_string(position) + "]"; }

Dtype joined_dtype(std::span<const NdArray> arrays) {
  const Dtype first = arrays[0].dtype();
  const auto differs = [&](const NdArray& x) { return x.dtype() != first; };
  if (std::none_of(arrays.begin(), arrays.end(), differs)) return first;
  std::vector<std::string> names;
  std::vector<Operand> operands;
  names.reserve(arrays.size());
  for (const NdArray& x : arrays) {
    names.push_back(name_of(names.size()));
    operands.push_back({.array = &x, .name = names.back().c_str()});
  }
  return common_dtype(operands);
}

void require_arrays(std::span<const NdArray> arrays) {
  if (arrays.empty()) throw ValueError("needs at least one array");
  common_device(arrays);
}

[[noreturn]] void reject_shapes(std::span<const NdArray> arrays, std::size_t position,
                                const char* rule) {
  throw ShapeError(std::string(rule) + ": arrays[0] is " + to_string(arrays[0].shape()) + ", " +
                   name_of(position) + " is " + to_string(arrays[position].shape()));
}

std::int64_t total_length(std::int64_t a, std::int64_t b) {
  if (const std::optional<std::int64_t> sum = checked_add(a, b)) return *sum;
  throw ShapeError("the result would have too many elements");
}

NdArray concat_flat(std::span<const NdArray> arrays, Dtype type) {
  std::int64_t size = 0;
  for (const NdArray& x : arrays) size = total_length(size, x.size());
  NdArray out = empty({size}, type, arrays[0].device());
  std::int64_t offset = 0;
  for (const NdArray& x : arrays) {
    Layout layout = c_layout(x.shape(), out.itemsize());
    layout.offset = offset;
    if (x.size() > 0) assign(out.view(std::move(layout)), x);
    offset += x.size() * out.itemsize();
  }
  return out;
}

/// Interleaves a few contiguous arrays of single items, as in stack(..., axis=-1), by a host-only
/// kernel. Returns false if that does not apply.
bool interleave(const NdArray& out, std::span<const NdArray> arrays, int axis) {
  const Kernel<InterleaveParams>& kernel =
      kernels<MovesKernels>(out.device()).interleave[size_class(out.itemsize())];
  const auto is_interleavable = [&](const NdArray& x) {
    return x.dtype() == out.dtype() && x.shape()[axis] == 1 && x.is_c_contiguous();
  };
  if (keeps_native_limits(out.device()) || !has_form(kernel, out.device()) ||
      arrays.size() > InterleaveParams::max_parts || axis != out.rank() - 1 ||
      !std::all_of(arrays.begin(), arrays.end(), is_interleavable)) {
    return false;
  }
  launch(out.device(), kernel, [&](OperandList& operands) {
    const auto part = [&](std::size_t k) {
      return operands(k < arrays.size() ? &arrays[k] : nullptr);
    };
    return InterleaveParams{
        .output = operands(out),
        .parts = {part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)},
        .count = static_cast<std::int64_t>(arrays.size()),
        .size = arrays[0].size()};
  });
  return true;
}

/// Copies the arrays into their parts of `out`. Parts shorter than a cache line share lines, so on
/// a CPU device these are filled block by block.
void fill_parts(const NdArray& out, std::span<const NdArray> arrays, int axis) {
  std::int64_t run_bytes = out.itemsize();
  for (int i = axis + 1; i < out.rank(); ++i) run_bytes *= out.shape()[i];
  const std::int64_t part_bytes =
      run_bytes * (out.shape()[axis] / static_cast<std::int64_t>(arrays.size()));
  const bool has_short_parts = part_bytes < 64;
  const std::int64_t block_bytes =
      cache_block_bytes(out.device(), part_bytes < 16 ? tuning::joined_items_block_bytes
                                                      : tuning::joined_block_bytes);
  int slowest = 0;
  while (slowest < axis && out.shape()[slowest] == 1) ++slowest;
  if (has_short_parts && slowest < axis && out.nbytes() > block_bytes) {
    const std::int64_t rows = out.shape()[slowest];
    const std::int64_t step = std::max<std::int64_t>(block_bytes / (out.nbytes() / rows), 1);
    std::vector<NdArray> blocks(arrays.size());
    for (std::int64_t start = 0; start < rows; start += step) {
      const std::int64_t length = std::min(step, rows - start);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        blocks[i] = slice_of(arrays[i], slowest, start, length);
      }
      fill_parts(slice_of(out, slowest, start, length), blocks, axis);
    }
    return;
  }
  // Small arrays with the layout of their part of the result need no plan: memcpy.
  char* const host_data = host_address(out);
  const bool are_runs = slowest == axis && host_data != nullptr && out.is_c_contiguous();
  std::int64_t start = 0;
  for (const NdArray& x : arrays) {
    const std::int64_t length = x.shape()[axis];
    const std::int64_t nbytes = length * run_bytes;
    char* const destination = are_runs ? host_data + start * run_bytes : nullptr;
    if (are_runs && x.dtype() == out.dtype() && x.is_c_contiguous() &&
        is_short_run(destination, x.data(), nbytes)) {
      std::memcpy(destination, x.data(), static_cast<std::size_t>(nbytes));
    } else if (x.size() > 0) {
      assign(slice_of(out, axis, start, length), x);
    }
    start += length;
  }
}

bool has_no_order(const NdArray& x) {
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t n = x.shape()[i];
    if (n == 0 || (n > 1 && x.strides()[i] == 0)) return true;
  }
  return false;
}

/// Chooses the layout of the result. If all arrays have the same order of axes in memory, such as
/// transposes, the result has it too: each copy is then one run. If each array gets a new axis,
/// that axis becomes the slowest. An array with one element along the axis, such as an end joined
/// to a longer array, does not count.
Layout joined_layout(const Dims& shape, std::int64_t width, std::span<const NdArray> arrays,
                     int axis) {
  check_shape(shape.span(), width);
  std::optional<Layout> common_layout;
  for (const NdArray& x : arrays) {
    const std::int64_t length = x.shape()[axis];
    if (has_no_order(x) || (length == 1 && shape[axis] > std::ssize(arrays))) continue;
    Dims strides = x.strides();
    const bool is_new = length == 1 && strides[axis] == 0;
    if (x.is_c_contiguous() && (is_new || length > 1)) return c_layout(shape, width);
    if (is_new) strides[axis] = std::numeric_limits<std::int64_t>::max();
    Layout array_layout = dense_layout_like({shape, strides, 0}, width);
    if (common_layout && common_layout->strides != array_layout.strides)
      return c_layout(shape, width);
    common_layout = std::move(array_layout);
  }
  return common_layout ? std::move(*common_layout) : c_layout(shape, width);
}

}  // namespace

void check_shapes(std::span<const NdArray> arrays, int axis) {
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const std::span<const std::int64_t> shape = arrays[i].shape().span();
    const std::span<const std::int64_t> first = arrays[0].shape().span();
    bool agree = shape.size() == first.size();
    for (std::size_t k = 0; agree && k < shape.size(); ++k) {
      agree = shape[k] == first[k] || static_cast<int>(k) == axis;
    }
    if (agree) continue;
    reject_shapes(arrays, i, axis >= 0 ? "shapes differ along other axes" : "shapes differ");
  }
}

NdArray join(std::span<const NdArray> arrays, int axis, Dtype type) {
  Dims shape = arrays[0].shape();
  shape[axis] = 0;
  for (const NdArray& x : arrays) shape[axis] = total_length(shape[axis], x.shape()[axis]);
  NdArray out =
      empty_of(joined_layout(shape, itemsize(type), arrays, axis), type, arrays[0].device());
  if (out.size() == 0) return out;
  const auto fill = [&](const NdArray& destination, std::span<const NdArray> parts, int along) {
    if (!interleave(destination, parts, along)) fill_parts(destination, parts, along);
  };
  if (out.is_c_contiguous()) {
    fill(out, arrays, axis);
    return out;
  }
  const AxesAtEnd order(out.rank(), axes_in_memory(out));
  std::vector<NdArray> ordered;
  ordered.reserve(arrays.size());
  for (const NdArray& x : arrays) ordered.push_back(permute_dims(x, order.forward));
  fill(permute_dims(out, order.forward), ordered,
       static_cast<int>(order.back[static_cast<std::size_t>(axis)]));
  return out;
}

NdArray concat(std::span<const NdArray> arrays, std::optional<std::int64_t> axis) {
  require_arrays(arrays);
  const Dtype type = joined_dtype(arrays);
  if (!axis) return concat_flat(arrays, type);
  if (arrays[0].rank() == 0) {
    throw ShapeError("0-d arrays have no axis: arrays[0]; use axis=None or stack");
  }
  const int along = normalize_axis(*axis, arrays[0].rank());
  check_shapes(arrays, along);
  return join(arrays, along, type);
}

NdArray stack(std::span<const NdArray> arrays, std::int64_t axis) {
  require_arrays(arrays);
  const Dtype type = joined_dtype(arrays);
  check_shapes(arrays, -1);
  const std::int64_t added[] = {axis};
  std::vector<NdArray> columns;
  columns.reserve(arrays.size());
  for (const NdArray& x : arrays) columns.push_back(x.view(expand_dims(x.layout(), added)));
  return join(columns, normalize_axis(axis, columns[0].rank()), type);
}

Unstacked::Unstacked(const NdArray& x, std::int64_t axis) : x_(x), layout_(x.layout()) {
  const int along = normalize_axis(axis, x.rank());
  stride_ = layout_.strides[along];
  count_ = layout_.shape[along];
  layout_.shape.erase(along);
  layout_.strides.erase(along);
  if (layout_.size() == 0) stride_ = 0;
}

NdArray Unstacked::next() {
  NdArray view = x_.view(layout_);
  layout_.offset += stride_;
  return view;
}

}  // namespace skerry
