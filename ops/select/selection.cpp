// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/select/selection.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/item_size.hpp"
#include "device/backend.hpp"
#include "device/deferred.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/copy.hpp"
#include "ops/select/kernels.hpp"

namespace skerry {
namespace {

[[noreturn]] void raise_out_of_bounds(const DeferredError& error, std::int64_t invalid_index) {
  throw IndexError(std::string(error.op) + ": index " + std::to_string(invalid_index) +
                   " is out of bounds: axis " + std::to_string(error.values[0]) + " has size " +
                   std::to_string(error.values[1]));
}

/// Where a kernel stores an index that is out of bounds. On a CPU device it has run when finish()
/// is called; where work runs later a wait raises.
class BoundsRecord {
 public:
  BoundsRecord(const char* op, Device device, int axis, std::int64_t size)
      : error_{.raise = raise_out_of_bounds, .op = op, .values = {axis, size}} {
    if (capabilities_of(device).runs_later) word_.emplace(device, error_);
  }
  [[nodiscard]] std::int64_t* get() noexcept { return word_ ? word_->get() : &invalid_index_; }
  void finish() const {
    if (invalid_index_ != 0) raise_out_of_bounds(error_, invalid_index_);
  }

 private:
  DeferredError error_;
  std::optional<DeferredWord> word_;
  std::int64_t invalid_index_ = 0;
};

std::int64_t product(const Dims& shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  return size;
}

/// The layout of an index array, or of offsets, in the rank of the result.
Layout spread(const char* op, const Layout& index, const Selection& selection) {
  const Layout stretched = broadcast_to(op, index, selection.index_shape);
  Layout result{selection.layout.shape, Dims(selection.layout.rank()), stretched.offset};
  for (int axis = 0; axis < stretched.rank(); ++axis) {
    result.strides[selection.first + axis] = stretched.strides[axis];
  }
  return result;
}

/// Whether offsets along the indexed axes are multiples of the item size (imported arrays may have
/// any strides).
bool is_aligned(const Selection& selection, std::int64_t itemsize) {
  return std::all_of(selection.axes.begin(), selection.axes.end(),
                     [&](const IndexedAxis& axis) { return axis.stride % itemsize == 0; });
}

template <class Params>
void launch_parts(Device device, const AnyKernel& kernel, Params params, const Dims& shape,
                  std::span<const PlanOperand> operands, std::span<const MemoryUse> uses) {
  PlanParts parts(shape, operands, index_limit(device));
  parts.for_each([&](const Plan& plan) {
    params.over = plan;
    launch(device, kernel, params, uses);
  });
}

/// Offsets in bytes of all index arrays together. Checks the indices.
NdArray offsets_of(const char* op, Device device, const Selection& selection) {
  const AnyKernel& kernel =
      require_kernel(op, kernels<IndexKernels>(device).offsets, default_integer, device);
  NdArray offsets = empty(selection.index_shape, Dtype::int64, device);
  bool adds = false;
  for (const IndexedAxis& axis : selection.axes) {
    BoundsRecord record(op, device, axis.number, axis.size);
    OffsetsParams params;
    params.size = axis.size;
    params.stride = axis.stride;
    params.invalid_index = record.get();
    params.adds = adds;
    const PlanOperand operands[] = {PlanOperand::from_array(offsets),
                                    PlanOperand::from_array(axis.index)};
    const MemoryUse uses[] = {writes(offsets), reads(axis.index)};
    launch_parts(device, kernel, params, selection.index_shape, operands, uses);
    record.finish();
    adds = true;
  }
  return offsets;
}

/// An axis without elements has no index that is in bounds, and no element to read instead.
void check_sizes(const char* op, const Selection& selection) {
  if (product(selection.index_shape) == 0) return;
  for (const IndexedAxis& axis : selection.axes) {
    if (axis.size > 0) continue;
    throw IndexError(std::string(op) + ": axis " + std::to_string(axis.number) +
                     " has size 0, so every index is out of bounds");
  }
}

const AnyKernel& sized(const char* op, const AnyKernel (&by_size)[5], const NdArray& x) {
  return require_kernel(op, by_size[size_class(x.itemsize())], x.dtype(), x.device());
}

/// Puts the one axis of an array into the plan of a run.
void add_run(Plan& over, const NdArray& x, std::int64_t stride) {
  over.add(x.data(), x.itemsize());
  over.strides[over.operand_count - 1][0] = stride;
  over.contiguous = false;
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

NdArray gather(const char* op, const NdArray& x, const Selection& selection) {
  const Device device = x.device();
  check_shape(op, selection.layout.shape.span(), x.itemsize());
  check_sizes(op, selection);
  const AnyKernel& kernel = sized(op, kernels<IndexKernels>(device).gather, x);
  NdArray out = empty_of(c_layout(selection.layout.shape, x.itemsize()), x.dtype(), device);
  if (out.size() == 0) {
    static_cast<void>(offsets_of(op, device, selection));
    return out;
  }
  const bool is_offset = selection.axes.size() > 1;
  const IndexedAxis& only = selection.axes[0];
  const NdArray index = is_offset ? offsets_of(op, device, selection) : only.index;
  BoundsRecord record(op, device, only.number, only.size);
  GatherParams params;
  params.size = only.size;
  params.stride = only.stride;
  params.invalid_index = record.get();
  params.is_offset = is_offset;
  params.is_aligned = is_aligned(selection, x.itemsize());
  const Layout index_layout = spread(op, index.layout(), selection);
  const PlanOperand operands[] = {
      PlanOperand::from_array(out),
      {.data = index.data(), .layout = &index_layout, .itemsize = index.itemsize()},
      {.data = x.memory()->data() + selection.layout.offset,
       .layout = &selection.layout,
       .itemsize = x.itemsize()}};
  const MemoryUse uses[] = {writes(out), reads(index), reads(x.memory())};
  launch_parts(device, kernel, params, out.shape(), operands, uses);
  record.finish();
  return out;
}

void scatter(const char* op, const NdArray& x, const Selection& selection, const NdArray& values,
             bool is_unique) {
  const Device device = x.device();
  check_shape(op, selection.layout.shape.span(), 1);
  const Layout source_layout = broadcast_to(op, values.layout(), selection.layout.shape);
  check_sizes(op, selection);
  const AnyKernel& kernel = sized(op, kernels<IndexKernels>(device).scatter, x);
  const NdArray offsets = offsets_of(op, device, selection);
  ScatterParams params;
  params.is_unique = is_unique;
  params.is_aligned = is_aligned(selection, x.itemsize());
  const Layout order = c_layout(selection.layout.shape, 1);
  const Layout offsets_layout = spread(op, offsets.layout(), selection);
  const PlanOperand operands[] = {
      {.data = values.data(), .layout = &order, .itemsize = 1},
      {.data = offsets.data(), .layout = &offsets_layout, .itemsize = offsets.itemsize()},
      {.data = x.memory()->data() + selection.layout.offset,
       .layout = &selection.layout,
       .itemsize = x.itemsize()},
      {.data = values.data(), .layout = &source_layout, .itemsize = x.itemsize()}};
  const MemoryUse uses[] = {writes(x.memory()), reads(offsets), reads(values)};
  launch_parts(device, kernel, params, selection.layout.shape, operands, uses);
}

NdArray gather_run(const char* op, const NdArray& x, const NdArray& index) {
  const Device device = x.device();
  const AnyKernel& kernel = sized(op, kernels<IndexKernels>(device).gather, x);
  const NdArray out = empty(op, index.shape(), x.dtype(), device);
  BoundsRecord record(op, device, 0, x.shape()[0]);
  GatherParams params;
  params.over = Plan(out.data(), x.itemsize(), index.shape()[0]);
  add_run(params.over, index, index.strides()[0]);
  add_run(params.over, x, 0);
  params.size = x.shape()[0];
  params.stride = x.strides()[0];
  params.invalid_index = record.get();
  params.is_offset = false;
  params.is_aligned = params.stride % x.itemsize() == 0;
  launch(device, kernel, params, {});
  record.finish();
  return out;
}

void scatter_run(const char* op, const NdArray& x, const NdArray& index, const NdArray* values,
                 const Element& value) {
  const Device device = x.device();
  const AnyKernel& kernel = sized(op, kernels<IndexKernels>(device).scatter, x);
  const std::int64_t n = index.shape()[0];
  const NdArray offsets = empty(op, index.shape(), Dtype::int64, device);
  BoundsRecord record(op, device, 0, x.shape()[0]);
  OffsetsParams to_check;
  to_check.over = Plan(offsets.data(), 8, n);
  add_run(to_check.over, index, index.strides()[0]);
  to_check.size = x.shape()[0];
  to_check.stride = x.strides()[0];
  to_check.invalid_index = record.get();
  to_check.adds = false;
  launch(device, kernels<IndexKernels>(device).offsets, to_check, {});
  record.finish();
  ScatterParams params;
  params.over = Plan(offsets.data(), 1, n);
  add_run(params.over, offsets, 8);
  add_run(params.over, x, 0);
  if (values == nullptr) {
    params.over.add(value, x.itemsize());
  } else {
    add_run(params.over, *values, values->size() == 1 ? 0 : values->strides()[0]);
  }
  params.is_unique = false;
  params.is_aligned = to_check.stride % x.itemsize() == 0;
  launch(device, kernel, params, {});
}

}  // namespace skerry
