// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/evaluation.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "core/axis_list.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry {
namespace {

/// Maximum number of operations of a compiled kernel: a longer one takes seconds to compile.
constexpr std::ptrdiff_t max_compiled_operations = 128;

/// True if an array has this shape and is C-contiguous.
bool is_run_of(const Layout& layout, const Dims& shape, std::int64_t width) noexcept {
  return layout.shape == shape && is_c_contiguous(layout, width);
}

std::int64_t stride_along(const Layout& layout, int axis, int rank) noexcept {
  const int own_axis = axis - (rank - layout.rank());
  return own_axis < 0 || layout.shape[own_axis] == 1 ? 0 : layout.strides[own_axis];
}

std::int64_t size_of(const Dims& shape) noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

bool Evaluation::runs_together(const node& a, const node& b) const noexcept {
  return a.level == b.level && a.rows == b.rows && a.device == b.device &&
         (a.rows >= 0 || layout_entry(a).shape == layout_entry(b).shape);
}

/// True if each element (or row) of `reader` depends only on the same element (or row) of
/// `producer`.
bool Evaluation::is_aligned(const node& producer, const node& reader) const noexcept {
  if (producer.rows != reader.rows) return false;
  if (reader.rows < 0) return layout_entry(producer).shape == layout_entry(reader).shape;
  return !is_pass(reader) || shape_of(producer).rank() == shape_of(reader).rank();
}

void Evaluation::find_needed() noexcept {
  for (node& operation : recording_.nodes_) {
    operation.is_stored = operation.is_needed = operation.result != nullptr;
  }
  for (auto i = std::ssize(recording_.nodes_) - 1; i >= 0; --i) {
    const node& operation = node_at(static_cast<std::int32_t>(i));
    if (!operation.is_needed) continue;
    for_each_producer(operation, [](node& producer) { producer.is_needed = true; });
  }
}

void Evaluation::find_levels() noexcept {
  for (node& operation : recording_.nodes_) {
    operation.level = 0;
    operation.part_number = -1;
    if (!operation.is_needed) continue;
    for_each_producer(operation, [&](const node& producer) {
      operation.level =
          std::max(operation.level, producer.level + (is_aligned(producer, operation) ? 0 : 1));
    });
    for_each_producer(operation, [&](node& producer) {
      if (!runs_together(producer, operation)) producer.is_stored = true;
    });
  }
}

void Evaluation::run() {
  find_needed();
  find_rows();
  find_levels();
  std::vector<std::int32_t>& order = recording_.order_;
  order.clear();
  bool is_one_pass = true;
  for (std::size_t i = 0; i < recording_.nodes_.size(); ++i) {
    if (!recording_.nodes_[i].is_needed) continue;
    order.push_back(static_cast<std::int32_t>(i));
    is_one_pass = is_one_pass && runs_together(node_at(order.front()), recording_.nodes_[i]);
  }
  is_whole_ = is_one_pass;
  if (is_one_pass) return run_group(order);
  const auto key = [&](std::int32_t i) {
    const Device device = node_at(i).device;
    const std::int32_t rows = node_at(i).rows;
    const std::int32_t shape = rows < 0 ? layout_entry(node_at(i)).shape : 0;
    return std::tuple(node_at(i).level, rows, shape, device.kind, device.index);
  };
  std::ranges::stable_sort(order, {}, key);
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(), [&](std::int32_t i) {
      return !runs_together(node_at(*begin), node_at(i));
    });
    run_group({begin, end});
    begin = end;
  }
}

void Evaluation::run_group(std::span<std::int32_t> group) {
  if (!group.empty() && node_at(group[0]).rows >= 0) return run_rows(group);
  run_pass(group);
}

void Evaluation::run_pass(nodes pass) {
  if (pass.empty()) return;
  const Dims& shape = layout_entry(node_at(pass[0])).layout.shape;
  const Device device = node_at(pass[0]).device;
  const bool is_native = has_form(kernels<FuseKernels>(device).compiled, device);
  const bool is_long = is_native && std::ssize(pass) > max_compiled_operations;
  if (!fits(pass) || is_long) return run_in_halves(pass);
  if (!group_.empty()) return add_pass(pass);
  allocate_outputs(pass);
  report(pass, false);
  if (size_of(shape) == 0) return;
  if (is_native) return launch_native(pass, shape);
  launch_part(shape, device);
}

void Evaluation::run_in_halves(nodes pass) {
  is_whole_ = false;
  const nodes first = pass.first(pass.size() / 2);
  const nodes second = pass.subspan(first.size());
  const std::int32_t mark = ++part_number_;
  for (const std::int32_t i : first) node_at(i).part_number = mark;
  for (const std::int32_t i : second) {
    for_each_producer(node_at(i), [&](node& producer) {
      if (producer.part_number == mark) producer.is_stored = true;
    });
  }
  run_pass(first);
  run_pass(second);
}

bool Evaluation::fits(nodes part_nodes) {
  ++part_number_;
  cost_ = 0;
  max_itemsize_ = 1;
  steps_.clear();
  constants_.clear();
  for (std::size_t position = 0; position < part_nodes.size(); ++position) {
    node& operation = node_at(part_nodes[position]);
    operation.part_number = part_number_;
    operation.last = -1;
    for_each_producer(operation,
                      [&](node& producer) { producer.last = static_cast<std::int32_t>(position); });
  }
  return add_operands(part_nodes) && add_steps(part_nodes);
}

/// Adds an operand unless the part already has it. Returns false if the part is full.
bool Evaluation::add_operand(const reference& new_operand) {
  const auto index = static_cast<std::size_t>(new_operand.index);
  auto& [operand, last_part] = new_operand.source == source::leaf ? recording_.leaves_[index].use
                                                                  : recording_.nodes_[index].use;
  if (last_part == part_number_) return true;
  if (operand_count_ == WidePlan::max_operands) return false;
  last_part = part_number_;
  operand = operand_count_;
  operands_[static_cast<std::size_t>(operand_count_++)] = new_operand;
  return true;
}

bool Evaluation::add_operands(nodes part_nodes) {
  operand_count_ = 0;
  for (const std::int32_t i : part_nodes) {
    const auto width = static_cast<std::uint8_t>(itemsize(node_at(i).type));
    if (node_at(i).is_stored && !add_operand({source::node, width, node_at(i).type, i}))
      return false;
  }
  outputs_ = operand_count_;
  for (const std::int32_t i : part_nodes) {
    for (int k = 0; k < node_at(i).input_count; ++k) {
      const reference& input = node_at(i).inputs[k];
      const bool is_inside =
          input.source == source::node && node_at(input.index).part_number == part_number_;
      if (input.source == source::constant || is_inside) continue;
      if (!add_operand(input)) return false;
    }
  }
  return true;
}

std::int16_t Evaluation::find_input(const reference& input) {
  const auto index = static_cast<std::size_t>(input.index);
  if (input.source == source::constant) {
    constants_.push_back(recording_.constants_[index]);
    return static_cast<std::int16_t>(FusedParams::first_constant + std::ssize(constants_) - 1);
  }
  const auto& use =
      input.source == source::leaf ? recording_.leaves_[index].use : recording_.nodes_[index].use;
  return static_cast<std::int16_t>(use.operand);
}

/// Adds the steps, and assigns slots to values that are not stored. The last step that reads a slot
/// frees it, and may write its own result there if the items have the same size. Returns false if
/// there are too few slots.
bool Evaluation::add_steps(nodes part_nodes) {
  unsigned free = (1u << FusedParams::slots) - 1;
  for (std::size_t position = 0; position < part_nodes.size(); ++position) {
    node& operation = node_at(part_nodes[position]);
    // On devices with native kernels, only the locations are used (native.cpp).
    const AnyKernel& loop = operation.loop->untyped();
    FusedStep step{.kernel = operation.loop,
                   .body = loop.body,
                   .accepts = static_cast<std::uint16_t>(loop.accepts),
                   .locations = {},
                   .widths = {static_cast<std::uint8_t>(itemsize(operation.type))},
                   .inputs = operation.input_count};
    max_itemsize_ = std::max<int>(max_itemsize_, step.widths[0]);
    unsigned free_later = 0;
    for (int k = 0; k < operation.input_count; ++k) {
      step.locations[k + 1] = find_input(operation.inputs[k]);
      step.widths[k + 1] = operation.inputs[k].width;
      max_itemsize_ = std::max<int>(max_itemsize_, step.widths[k + 1]);
      if (operation.inputs[k].source != source::node) continue;
      const node& producer = node_at(operation.inputs[k].index);
      const bool is_over = producer.last == static_cast<std::int32_t>(position);
      if (producer.part_number == part_number_ && !producer.is_stored && is_over) {
        unsigned& free_slots = step.widths[k + 1] == step.widths[0] ? free : free_later;
        free_slots |= 1u << (producer.use.operand - FusedParams::first_slot);
      }
    }
    if (!operation.is_stored) {
      if (free == 0) return false;
      operation.use = {FusedParams::first_slot + std::countr_zero(free), part_number_};
      free &= free - 1;
    }
    free |= free_later;
    step.locations[0] = static_cast<std::int16_t>(operation.use.operand);
    cost_ += operation.function.cost;
    add_to_chain(part_nodes, position, step);
    steps_.push_back(step);
  }
  return true;
}

void Evaluation::allocate_outputs(nodes part_nodes) {
  for (const std::int32_t i : part_nodes) {
    node& operation = node_at(i);
    if (!operation.is_stored) continue;
    const std::int64_t nbytes =
        size_of(layout_entry(operation).layout.shape) * itemsize(operation.type);
    const StorageRef& target = operation.target;
    operation.storage =
        is_whole_ && target ? target : allocate(operation.device, static_cast<std::size_t>(nbytes));
  }
}

/// Writes the operands of a pass to the plan and records their uses.
void Evaluation::fill_plan(OperandList& operands, WidePlan& plan, const Dims& shape) {
  const Layout* layouts[WidePlan::max_operands];
  bool is_run = true;
  for (int i = 0; i < operand_count_; ++i) {
    const reference& operand_reference = operands_[static_cast<std::size_t>(i)];
    const auto index = static_cast<std::size_t>(operand_reference.index);
    const Role role = i < outputs_ ? Role::output : Role::input;
    if (operand_reference.source == source::leaf) {
      const NdArray& array = recording_.leaves_[index].array;
      layouts[i] = &array.layout();
      plan.data[i] = operands.add_operand(role, array.memory(), array.layout().offset);
    } else {
      const StorageRef& storage = recording_.nodes_[index].storage;
      // Values that feed a reduction, and temporaries of rows, have no storage.
      plan.data[i] = storage ? operands.add_operand(role, storage) : nullptr;
      layouts[i] = &layout_entry(recording_.nodes_[index]).layout;
    }
    plan.itemsize[i] = operand_reference.width;
    is_run = is_run && is_run_of(*layouts[i], shape, operand_reference.width);
  }
  plan.operand_count = operand_count_;
  plan.output_count = outputs_;
  plan.size = size_of(shape);
  plan.rank = is_run && plan.size > 1 ? 1 : 0;
  plan.shape[0] = plan.size;
  for (int i = 0; i < operand_count_; ++i) plan.strides[i][0] = plan.itemsize[i];
  if (is_run) return;
  AxisList<WidePlan::max_operands> axes;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    std::int64_t strides[WidePlan::max_operands] = {};
    for (int i = 0; i < operand_count_; ++i) {
      strides[i] = stride_along(*layouts[i], axis, shape.rank());
    }
    axes.add(shape[axis], strides);
  }
  axes.order();
  std::fill(plan.data + operand_count_, std::end(plan.data), nullptr);
  axes.flip_negative(plan.data);
  axes.coalesce();
  plan.rank = axes.size();
  for (int axis = 0; axis < axes.size(); ++axis) {
    plan.shape[axis] = axes[axis].extent;
    for (int i = 0; i < operand_count_; ++i) plan.strides[i][axis] = axes[axis].strides[i];
  }
}

/// Returns the parameters of a part, valid until the next call.
const ParamsBlock<FusedParams>& Evaluation::fill_params(OperandList& operands, const Dims& shape) {
  const bool is_out_of_cache =
      group_.empty() && !FusedParams::is_near(size_of(shape), operand_count_);
  const int chunk_bytes = FusedParams::chunk_bytes / (is_out_of_cache ? 2 : 1);
  const auto fill = [&](OperandList& list, WidePlan& plan) { fill_plan(list, plan, shape); };
  ParamsBlock<FusedParams>& params = recording_.params_;
  params.start([&] {
    return FusedParams{
        .plan = operands.plan(fill),
        .steps = static_cast<std::int32_t>(steps_.size()),
        .chunk_size = std::min(chunk_bytes / max_itemsize_, tuning::max_fused_chunk_size),
        .cost = std::min(cost_, 1024)};
  });
  params.append(std::as_bytes(std::span(steps_)));
  params.append(std::as_bytes(std::span(constants_)));
  return params;
}

std::int64_t Evaluation::bytes_of(const reference& x) const {
  const auto index = static_cast<std::size_t>(x.index);
  if (x.source == source::constant) return 0;
  if (x.source == source::leaf) return recording_.leaves_[index].array.nbytes();
  return size_of(layout_entry(recording_.nodes_[index]).layout.shape) * x.width;
}

/// Reports the pass whose operands were added last to the observer.
void Evaluation::report(nodes pass, bool feeds_reduction) {
  const auto observe = hooks_.observe_pass.load();
  if (observe == nullptr) return;
  PassReport pass_report{.operations = std::ssize(pass),
                         .shape = layout_entry(node_at(pass[0])).layout.shape,
                         .feeds_reduction = feeds_reduction};
  for (int i = feeds_reduction ? outputs_ : 0; i < operand_count_; ++i) {
    pass_report.moved += bytes_of(operands_[static_cast<std::size_t>(i)]);
  }
  pass_report.moved_eager = bytes_one_by_one(pass);
  if (feeds_reduction)
    pass_report.moved_eager += size_of(pass_report.shape) * itemsize(node_at(pass.back()).type);
  observe(pass_report);
}

void Evaluation::launch_part(const Dims& shape, Device device) {
  MemoryUse uses[WidePlan::max_operands];
  OperandList operands(device, uses, WidePlan::max_operands);
  const ParamsBlock<FusedParams>& params = fill_params(operands, shape);
  const Kernel<FusedParams>& kernel = kernels<FuseKernels>(device).run_pass;
  const WithoutOuterLock working(size_of(shape) * std::ssize(steps_) > min_steps_without_lock);
  launch(device, kernel, params, operands);
}

bool Evaluation::feed(std::int32_t root, bool is_held, const feed_reader& reduce) {
  if (!find_cone(root, is_held) || !fits(recording_.order_)) return false;
  report(recording_.order_, true);
  const Dims& shape = layout_entry(node_at(root)).layout.shape;
  constexpr int max_uses = WidePlan::max_operands + 1;  // with the reduction's output
  MemoryUse uses[max_uses];
  OperandList operands(node_at(root).device, uses, max_uses);
  const ParamsBlock<FusedParams>& params = fill_params(operands, shape);
  const WithoutOuterLock working(size_of(shape) * std::ssize(steps_) > min_steps_without_lock);
  reduce(params, operands);
  return true;
}

}  // namespace skerry
