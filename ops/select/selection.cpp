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

[[noreturn]] void raise_out_of_bounds(const deferred_error& error, std::int64_t found) {
  throw index_error(std::string(error.op) + ": index " + std::to_string(found) +
                    " is out of bounds: axis " + std::to_string(error.values[0]) + " has size " +
                    std::to_string(error.values[1]));
}

/// Where a kernel stores an index that is out of bounds. On a CPU device it has run when finish()
/// is called; where work runs later a wait raises.
class bounds_record {
 public:
  bounds_record(const char* op, device where, int axis, std::int64_t size)
      : error_{.raise = raise_out_of_bounds, .op = op, .values = {axis, size}} {
    if (capabilities_of(where).runs_later) word_.emplace(where, error_);
  }
  [[nodiscard]] std::int64_t* get() noexcept { return word_ ? word_->get() : &found_; }
  void finish() const {
    if (found_ != 0) raise_out_of_bounds(error_, found_);
  }

 private:
  deferred_error error_;
  std::optional<deferred_word> word_;
  std::int64_t found_ = 0;
};

std::int64_t product(const dims& shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  return size;
}

/// The layout of an index array, or of offsets, in the rank of the result.
layout spread(const char* op, const layout& index, const selection& chosen) {
  const layout stretched = broadcast_to(op, index, chosen.index_shape);
  layout result{chosen.place.shape, dims(chosen.place.rank()), stretched.offset};
  for (int axis = 0; axis < stretched.rank(); ++axis) {
    result.strides[chosen.first + axis] = stretched.strides[axis];
  }
  return result;
}

/// Whether offsets along the indexed axes are multiples of the item size (imported arrays may have
/// any strides).
bool is_aligned(const selection& chosen, std::int64_t itemsize) {
  return std::all_of(chosen.axes.begin(), chosen.axes.end(),
                     [&](const indexed_axis& axis) { return axis.stride % itemsize == 0; });
}

template <class Params>
void launch_parts(device where, const kernel& entry, Params params, const dims& shape,
                  std::span<const plan_operand> operands, std::span<const memory_use> uses) {
  plan_parts parts(shape, operands, index_limit(where));
  parts.for_each([&](const plan& part) {
    params.over = part;
    launch(where, entry, params, uses);
  });
}

/// Offsets in bytes of all index arrays together. Checks the indices.
ndarray offsets_of(const char* op, device where, const selection& chosen) {
  const kernel& entry =
      require_kernel(op, kernels<index_kernels>(where).offsets, default_integer, where);
  ndarray offsets = empty(chosen.index_shape, dtype::int64, where);
  bool adds = false;
  for (const indexed_axis& axis : chosen.axes) {
    bounds_record record(op, where, axis.number, axis.size);
    offsets_params params;
    params.size = axis.size;
    params.stride = axis.stride;
    params.found = record.get();
    params.adds = adds;
    const plan_operand operands[] = {plan_operand::of(offsets), plan_operand::of(axis.index)};
    const memory_use uses[] = {writes(offsets), reads(axis.index)};
    launch_parts(where, entry, params, chosen.index_shape, operands, uses);
    record.finish();
    adds = true;
  }
  return offsets;
}

/// An axis without elements has no index that is in bounds, and no element to read instead.
void check_sizes(const char* op, const selection& chosen) {
  if (product(chosen.index_shape) == 0) return;
  for (const indexed_axis& axis : chosen.axes) {
    if (axis.size > 0) continue;
    throw index_error(std::string(op) + ": axis " + std::to_string(axis.number) +
                      " has size 0, so every index is out of bounds");
  }
}

const kernel& sized(const char* op, const kernel (&by_size)[5], const ndarray& x) {
  return require_kernel(op, by_size[size_class(x.itemsize())], x.dtype(), x.device());
}

/// Puts the one axis of an array into the plan of a run.
void add_run(plan& over, const ndarray& x, std::int64_t stride) {
  over.add(x.data(), x.itemsize());
  over.strides[over.operand_count - 1][0] = stride;
  over.contiguous = false;
}

}  // namespace

ndarray as_indices(const ndarray& index) {
  if (index.dtype() == dtype::int64) return index;
  if (index.dtype() != dtype::uint64) return convert_operand(index, dtype::int64);
  const scalar most = scalar::of(INT64_MAX);
  const operand both[] = {{.array = &index, .name = "index"}, {.value = &most, .name = "limit"}};
  return astype(apply(op_id_of<ops::minimum>, both), dtype::int64, false);
}

ndarray gather(const char* op, const ndarray& x, const selection& chosen) {
  const device where = x.device();
  check_shape(op, chosen.place.shape.span(), x.itemsize());
  check_sizes(op, chosen);
  const kernel& entry = sized(op, kernels<index_kernels>(where).gather, x);
  ndarray out = empty_of(c_layout(chosen.place.shape, x.itemsize()), x.dtype(), where);
  if (out.size() == 0) {
    static_cast<void>(offsets_of(op, where, chosen));
    return out;
  }
  const bool is_offset = chosen.axes.size() > 1;
  const indexed_axis& only = chosen.axes[0];
  const ndarray index = is_offset ? offsets_of(op, where, chosen) : only.index;
  bounds_record record(op, where, only.number, only.size);
  gather_params params;
  params.size = only.size;
  params.stride = only.stride;
  params.found = record.get();
  params.is_offset = is_offset;
  params.is_aligned = is_aligned(chosen, x.itemsize());
  const layout index_place = spread(op, index.layout(), chosen);
  const plan_operand operands[] = {
      plan_operand::of(out),
      {.data = index.data(), .where = &index_place, .itemsize = index.itemsize()},
      {.data = x.memory()->data() + chosen.place.offset,
       .where = &chosen.place,
       .itemsize = x.itemsize()}};
  const memory_use uses[] = {writes(out), reads(index), reads(x.memory())};
  launch_parts(where, entry, params, out.shape(), operands, uses);
  record.finish();
  return out;
}

void scatter(const char* op, const ndarray& x, const selection& chosen, const ndarray& values,
             bool is_unique) {
  const device where = x.device();
  check_shape(op, chosen.place.shape.span(), 1);
  const layout from = broadcast_to(op, values.layout(), chosen.place.shape);
  check_sizes(op, chosen);
  const kernel& entry = sized(op, kernels<index_kernels>(where).scatter, x);
  const ndarray offsets = offsets_of(op, where, chosen);
  scatter_params params;
  params.is_unique = is_unique;
  params.is_aligned = is_aligned(chosen, x.itemsize());
  const layout order = c_layout(chosen.place.shape, 1);
  const layout offsets_place = spread(op, offsets.layout(), chosen);
  const plan_operand operands[] = {
      {.data = values.data(), .where = &order, .itemsize = 1},
      {.data = offsets.data(), .where = &offsets_place, .itemsize = offsets.itemsize()},
      {.data = x.memory()->data() + chosen.place.offset,
       .where = &chosen.place,
       .itemsize = x.itemsize()},
      {.data = values.data(), .where = &from, .itemsize = x.itemsize()}};
  const memory_use uses[] = {writes(x.memory()), reads(offsets), reads(values)};
  launch_parts(where, entry, params, chosen.place.shape, operands, uses);
}

ndarray gather_run(const char* op, const ndarray& x, const ndarray& index) {
  const device where = x.device();
  const kernel& entry = sized(op, kernels<index_kernels>(where).gather, x);
  const ndarray out = empty(op, index.shape(), x.dtype(), where);
  bounds_record record(op, where, 0, x.shape()[0]);
  gather_params params;
  params.over = plan(out.data(), x.itemsize(), index.shape()[0]);
  add_run(params.over, index, index.strides()[0]);
  add_run(params.over, x, 0);
  params.size = x.shape()[0];
  params.stride = x.strides()[0];
  params.found = record.get();
  params.is_offset = false;
  params.is_aligned = params.stride % x.itemsize() == 0;
  launch(where, entry, params, {});
  record.finish();
  return out;
}

void scatter_run(const char* op, const ndarray& x, const ndarray& index, const ndarray* values,
                 const element& value) {
  const device where = x.device();
  const kernel& entry = sized(op, kernels<index_kernels>(where).scatter, x);
  const std::int64_t n = index.shape()[0];
  const ndarray offsets = empty(op, index.shape(), dtype::int64, where);
  bounds_record record(op, where, 0, x.shape()[0]);
  offsets_params to_check;
  to_check.over = plan(offsets.data(), 8, n);
  add_run(to_check.over, index, index.strides()[0]);
  to_check.size = x.shape()[0];
  to_check.stride = x.strides()[0];
  to_check.found = record.get();
  to_check.adds = false;
  launch(where, kernels<index_kernels>(where).offsets, to_check, {});
  record.finish();
  scatter_params params;
  params.over = plan(offsets.data(), 1, n);
  add_run(params.over, offsets, 8);
  add_run(params.over, x, 0);
  if (values == nullptr) {
    params.over.add(value, x.itemsize());
  } else {
    add_run(params.over, *values, values->size() == 1 ? 0 : values->strides()[0]);
  }
  params.is_unique = false;
  params.is_aligned = to_check.stride % x.itemsize() == 0;
  launch(where, entry, params, {});
}

}  // namespace skerry
