// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/selection.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "core/view.hpp"
#include "device/deferred.hpp"
#include "ops/call/error_record.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/kernels.hpp"

namespace skerry {
namespace {

[[noreturn]] void raise_out_of_bounds(const DeferredError& error, std::int64_t invalid_index) {
  const std::int64_t size = error.values[1];
  throw IndexError("index " + std::to_string(invalid_index) + " is out of bounds: axis " +
                   std::to_string(error.values[0]) + " has size " + std::to_string(size) +
                   "; use " + std::to_string(-size) + " to " + std::to_string(size - 1));
}

DeferredError bounds_error(int axis, std::int64_t size) {
  return {.raise = raise_out_of_bounds, .values = {axis, size}};
}

std::int64_t product(const Dims& shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  return size;
}

/// Broadcasts the layout of an index array, or of offsets, to the rank of the result.
Layout spread(const Layout& index, const Selection& selection) {
  const Layout stretched = broadcast_to(index, selection.index_shape);
  Layout result{selection.layout.shape, Dims(selection.layout.rank()), stretched.offset};
  for (int axis = 0; axis < stretched.rank(); ++axis) {
    result.strides[selection.first + axis] = stretched.strides[axis];
  }
  return result;
}

/// True if offsets along the indexed axes are multiples of the itemsize (imported arrays may have
/// any strides).
bool is_aligned(const Selection& selection, std::int64_t itemsize) {
  return std::all_of(selection.axes.begin(), selection.axes.end(),
                     [&](const IndexedAxis& axis) { return axis.stride % itemsize == 0; });
}

/// Returns the byte offsets of all index arrays combined. Checks the indices.
NdArray offsets_of(Device device, const Selection& selection) {
  const Kernel<OffsetsParams>& kernel =
      require_kernel(kernels<IndexKernels>(device).offsets, default_integer, device);
  NdArray offsets = empty(selection.index_shape, Dtype::int64, device);
  bool adds = false;
  for (const IndexedAxis& axis : selection.axes) {
    ErrorRecord record(device, bounds_error(axis.number, axis.size));
    const auto fill = [&](OperandList&, auto plan) {
      return OffsetsParams{.plan = plan,
                           .size = axis.size,
                           .stride = axis.stride,
                           .invalid_index = record.word(),
                           .adds = adds};
    };
    launch_parts(device, kernel, selection.index_shape, fill, offsets, axis.index);
    record.finish();
    adds = true;
  }
  return offsets;
}

/// Rejects indices into an empty axis, which has no element 0 to read for an invalid index.
void check_sizes(const Selection& selection) {
  if (product(selection.index_shape) == 0) return;
  for (const IndexedAxis& axis : selection.axes) {
    if (axis.size > 0) continue;
    throw IndexError("axis " + std::to_string(axis.number) +
                     " has size 0, so every index is out of bounds");
  }
}

template <class Params>
const Kernel<Params>& sized(const Kernel<Params> (&by_size)[5], const NdArray& x) {
  return require_kernel(by_size[size_class(x.itemsize())], x.dtype(), x.device());
}

}  // namespace

NdArray as_indices(const NdArray& index) {
  if (index.dtype() == Dtype::int64) return index;
  if (index.dtype() != Dtype::uint64) return convert_operand(index, Dtype::int64);
  const Scalar max_index = Scalar::from_value(INT64_MAX);
  const Operand both[] = {{.array = &index, .name = "index"},
                          {.value = &max_index, .name = "limit"}};
  return astype(apply(op_id_of<ops::minimum>, both), Dtype::int64, false);
}

NdArray gather(const NdArray& x, const Selection& selection) {
  const Device device = x.device();
  check_shape(selection.layout.shape.span(), x.itemsize());
  check_sizes(selection);
  const Kernel<GatherParams>& kernel = sized(kernels<IndexKernels>(device).gather, x);
  NdArray out = empty_of(c_layout(selection.layout.shape, x.itemsize()), x.dtype(), device);
  if (out.size() == 0) {
    static_cast<void>(offsets_of(device, selection));
    return out;
  }
  const bool is_offset = selection.axes.size() > 1;
  const IndexedAxis& only = selection.axes[0];
  const NdArray index = is_offset ? offsets_of(device, selection) : only.index;
  ErrorRecord record(device, bounds_error(only.number, only.size));
  const auto fill = [&](OperandList&, auto plan) {
    return GatherParams{.plan = plan,
                        .size = only.size,
                        .stride = only.stride,
                        .invalid_index = record.word(),
                        .is_offset = is_offset,
                        .is_aligned = is_aligned(selection, x.itemsize())};
  };
  const Layout index_layout = spread(index.layout(), selection);
  launch_parts(device, kernel, out.shape(), fill, out, PlannedArray{index, index_layout},
               PlannedStorage{x.memory(), selection.layout, x.itemsize()});
  record.finish();
  return out;
}

void scatter(const NdArray& x, const Selection& selection, const NdArray& values, bool is_unique) {
  const Device device = x.device();
  check_shape(selection.layout.shape.span(), 1);
  const Layout source_layout = broadcast_to(values.layout(), selection.layout.shape);
  check_sizes(selection);
  const Kernel<ScatterParams>& kernel = sized(kernels<IndexKernels>(device).scatter, x);
  const NdArray offsets = offsets_of(device, selection);
  const auto fill = [&](OperandList&, auto plan) {
    return ScatterParams{
        .plan = plan, .is_unique = is_unique, .is_aligned = is_aligned(selection, x.itemsize())};
  };
  const Layout order = c_layout(selection.layout.shape, 1);
  const Layout offsets_layout = spread(offsets.layout(), selection);
  launch_parts(device, kernel, selection.layout.shape, fill,
               PlannedStorage{values.memory(), order, 1}, PlannedArray{offsets, offsets_layout},
               PlannedStorage{x.memory(), selection.layout, x.itemsize()},
               PlannedArray{values, source_layout});
}

NdArray gather_run(const NdArray& x, const NdArray& index) {
  const Device device = x.device();
  const Kernel<GatherParams>& kernel = sized(kernels<IndexKernels>(device).gather, x);
  const NdArray out = empty(index.shape(), x.dtype(), device);
  const std::int64_t size = x.shape()[0];
  const std::int64_t stride = x.strides()[0];
  ErrorRecord record(device, bounds_error(0, size));
  launch(device, kernel, [&](OperandList& operands) {
    return GatherParams{
        .plan = operands.run(index.shape()[0], PlannedRun{out, x.itemsize()},
                             PlannedRun{index, index.strides()[0]}, PlannedRun{x, 0}),
        .size = size,
        .stride = stride,
        .invalid_index = record.word(),
        .is_offset = false,
        .is_aligned = stride % x.itemsize() == 0};
  });
  record.finish();
  return out;
}

void scatter_run(const NdArray& x, const NdArray& index, const NdArray* values,
                 const Element& value) {
  const Device device = x.device();
  const Kernel<ScatterParams>& kernel = sized(kernels<IndexKernels>(device).scatter, x);
  const std::int64_t n = index.shape()[0];
  const NdArray offsets = empty(index.shape(), Dtype::int64, device);
  const std::int64_t size = x.shape()[0];
  const std::int64_t stride = x.strides()[0];
  ErrorRecord record(device, bounds_error(0, size));
  const PlannedRun offsets_run{offsets, 8};
  launch(device, kernels<IndexKernels>(device).offsets, [&](OperandList& operands) {
    return OffsetsParams{
        .plan = operands.run(n, offsets_run, PlannedRun{index, index.strides()[0]}),
        .size = size,
        .stride = stride,
        .invalid_index = record.word(),
        .adds = false};
  });
  record.finish();
  const auto store = [&](const auto& source) {
    launch(device, kernel, [&](OperandList& operands) {
      return ScatterParams{
          .plan = operands.run(n, offsets_run, offsets_run, PlannedRun{x, 0}, source),
          .is_unique = false,
          .is_aligned = stride % x.itemsize() == 0};
    });
  };
  if (values == nullptr) return store(PlannedElement{value, x.itemsize()});
  store(PlannedRun{*values, values->size() == 1 ? 0 : values->strides()[0]});
}

}  // namespace skerry
