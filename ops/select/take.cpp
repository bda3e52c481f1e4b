// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/take.hpp"

#include <string>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/deferred.hpp"
#include "device/transfer.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/rearrange.hpp"
#include "ops/select/kernels.hpp"
#include "ops/select/masks.hpp"
#include "ops/select/selection.hpp"

namespace skerry {
namespace {

void require_one_device(const NdArray& x, const NdArray& other, const char* name) {
  const Operand both[] = {{.array = &x, .name = "x"}, {.array = &other, .name = name}};
  common_device(both);
}

/// Takes along an axis; `indices` are int64.
NdArray take_axis(const NdArray& x, const NdArray& indices, int axis) {
  const Layout& layout = x.layout();
  Selection selection{.layout = layout, .first = axis, .index_shape = indices.shape(), .axes = {}};
  selection.axes.push_back({indices, layout.shape[axis], layout.strides[axis], axis});
  selection.layout.shape.erase(axis);
  selection.layout.strides.erase(axis);
  if (selection.layout.rank() + indices.rank() > max_rank) {
    throw ShapeError("the result would have more than 64 axes");
  }
  for (int i = 0; i < indices.rank(); ++i) {
    selection.layout.shape.insert(axis + i, indices.shape()[i]);
    selection.layout.strides.insert(axis + i, 0);
  }
  return gather(x, selection);
}

[[noreturn]] void raise_negative(const DeferredError& /*error*/, std::int64_t negative_count) {
  throw ValueError("the number of repetitions must not be negative: " +
                   std::to_string(negative_count));
}

/// Returns the exclusive prefix sums of the counts, followed by the total.
NdArray starts_of(const NdArray& counts) {
  const Device device = counts.device();
  const Kernel<RepeatStartsParams>& kernel =
      require_kernel(kernels<IndexKernels>(device).repeat_starts, Dtype::int64, device);
  const NdArray starts = empty({counts.size() + 1}, Dtype::int64, device);
  ErrorRecord record(device, {.raise = raise_negative, .values = {}});
  launch(device, kernel, [&](OperandList& operands) {
    return RepeatStartsParams{.counts = operands(counts),
                              .size = counts.size(),
                              .starts = operands(starts),
                              .negative_count = record.word()};
  });
  record.finish();
  return starts;
}

std::int64_t read_integer(const NdArray& array, std::int64_t position) {
  std::int64_t value = 0;
  read_bytes(&value, array.memory(), static_cast<std::size_t>(array.layout().offset + position * 8),
             sizeof value);
  return value;
}

/// Returns, for each element of the result, the index of the element that it repeats.
NdArray find_repeated_indices(const NdArray& counts) {
  const NdArray starts = starts_of(counts);
  const Device device = counts.device();
  const std::int64_t total = read_integer(starts, counts.size());
  const std::int64_t shape[] = {total};
  check_shape(shape, sizeof(std::int64_t));
  const Kernel<RepeatedIndicesParams>& kernel =
      require_kernel(kernels<IndexKernels>(device).repeated_indices, Dtype::int64, device);
  NdArray repeated_indices = empty(Dims(shape), Dtype::int64, device);
  if (total == 0) return repeated_indices;
  launch(device, kernel, [&](OperandList& operands) {
    return RepeatedIndicesParams{.starts = operands(starts),
                                 .size = counts.size(),
                                 .output = operands(repeated_indices),
                                 .total = total};
  });
  return repeated_indices;
}

}  // namespace

void require_integers(const char* argument, const NdArray& x) {
  if (is_integer(x.dtype())) return;
  throw DtypeError(std::string(argument) + " must be of an integer dtype, not " + name(x.dtype()) +
                   "; convert it with astype");
}

NdArray take(const NdArray& x, const NdArray& indices, std::optional<std::int64_t> axis) {
  require_one_device(x, indices, "indices");
  require_integers("indices", indices);
  if (!axis && x.rank() != 1) {
    throw ValueError("axis is required for an array of " + std::to_string(x.rank()) +
                     " axes; it is optional only for 1-D arrays");
  }
  if (is_1d_on_host(x, indices) && axis.value_or(0) == 0) return gather_run(x, indices);
  const int along = normalize_axis(axis.value_or(0), x.rank());
  return take_axis(x, as_indices(indices), along);
}

NdArray take_first(const NdArray& x, const NdArray& indices) {
  if (is_1d_on_host(x, indices)) return gather_run(x, indices);
  return take_axis(x, as_indices(indices), 0);
}

NdArray take_along_axis(const NdArray& x, const NdArray& indices, std::int64_t axis) {
  require_one_device(x, indices, "indices");
  require_integers("indices", indices);
  const int along = normalize_axis(axis, x.rank());
  if (indices.rank() != x.rank()) {
    throw ShapeError("x and indices have different numbers of axes: " + to_string(x.shape()) +
                     " and " + to_string(indices.shape()));
  }
  Selection selection;
  Layout outer_layout = x.layout();
  outer_layout.shape[along] = 1;
  Dims outer_shape = indices.shape();
  outer_shape[along] = 1;
  const Dims* const both[] = {&outer_layout.shape, &outer_shape};
  selection.index_shape = broadcast_shapes(both);
  selection.index_shape[along] = indices.shape()[along];
  selection.layout = broadcast_to(outer_layout, selection.index_shape);
  selection.axes.push_back({as_indices(indices), x.shape()[along], x.strides()[along], along});
  return gather(x, selection);
}

std::vector<NdArray> nonzero(const NdArray& x) {
  if (x.rank() == 0) {
    throw ShapeError("a 0-d array has no axes; give it one with reshape(x, (1,))");
  }
  if (kind(x.dtype()) != DtypeKind::complex_floating) {
    return true_indices(astype(x, Dtype::bool_, false));
  }
  const Scalar zero = Scalar::from_value(0.0);
  const Operand both[] = {{.array = &x, .name = "x"}, {.value = &zero, .name = "zero"}};
  return true_indices(apply(op_id_of<ops::not_equal>, both));
}

NdArray repeat(const NdArray& x, const NdArray& repeats, std::optional<std::int64_t> axis) {
  require_one_device(x, repeats, "repeats");
  require_integers("repeats", repeats);
  const int along = axis ? normalize_axis(*axis, x.rank()) : 0;
  const std::int64_t length = axis ? x.shape()[along] : x.size();
  const bool is_one = repeats.rank() == 0 || (repeats.rank() == 1 && repeats.size() == 1);
  if (!is_one && (repeats.rank() != 1 || repeats.size() != length)) {
    throw ShapeError("repeats has shape " + to_string(repeats.shape()) + " for " +
                     std::to_string(length) + " elements; pass one integer, or one per element");
  }
  const NdArray counts = contiguous(as_indices(repeats));
  if (is_one) return repeat(x, read_integer(counts, 0), axis);
  const NdArray repeated_indices = find_repeated_indices(counts);
  if (axis) return take_axis(x, repeated_indices, along);
  const NdArray flat = contiguous(x);
  return take_axis(flat.view({Dims{flat.size()}, Dims{flat.itemsize()}, flat.layout().offset}),
                   repeated_indices, 0);
}

}  // namespace skerry
