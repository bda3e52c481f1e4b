// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Schedules of row reductions with the passes over the same rows, and passes that feed a reduction.

#include <algorithm>
#include <numeric>
#include <tuple>

#include "device/backend.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/row_range.hpp"
#include "ops/fuse/evaluation.hpp"
#include "ops/kernel/cpu/tuning.hpp"

namespace skerry {
namespace {

constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t multiple) noexcept {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

/// Sets `rows` of each node in C order whose leading axes have the shape that a reduction keeps.
void Evaluation::find_rows() {
  if (recording_.reductions_.empty()) return;
  std::vector<Dims>& row_shapes = recording_.row_shapes_;
  row_shapes.clear();
  for (const node& operation : recording_.nodes_) {
    if (!operation.is_needed || is_pass(operation)) continue;
    const auto index = static_cast<std::size_t>(operation.inputs[0].index);
    const bool is_leaf = operation.inputs[0].source == source::leaf;
    const Dims& whole =
        is_leaf ? recording_.leaves_[index].array.shape() : shape_of(recording_.nodes_[index]);
    const Dims row_shape(whole.span().first(static_cast<std::size_t>(operation.row_axes)));
    if (std::ranges::find(row_shapes, row_shape) == row_shapes.end())
      row_shapes.push_back(row_shape);
  }
  std::ranges::stable_sort(row_shapes, {}, &Dims::rank);
  for (node& operation : recording_.nodes_) {
    operation.scratch = RowStep::in_memory;
    const Device device = operation.device;
    const bool is_along = operation.is_needed &&
                          has_form(kernels<FuseKernels>(device).rows, device) &&
                          is_c_contiguous(layout_entry(operation).layout, itemsize(operation.type));
    const auto matching_rows = std::ranges::find_if(row_shapes, [&](const Dims& rows) {
      return rows.rank() <= std::min(operation.row_axes, shape_of(operation).rank()) &&
             std::equal(rows.begin(), rows.end(), shape_of(operation).begin());
    });
    const bool has_rows = is_along && matching_rows != row_shapes.end();
    operation.rows = has_rows ? static_cast<std::int32_t>(matching_rows - row_shapes.begin()) : -1;
  }
}

bool Evaluation::is_one_step(const node& a, const node& b) const noexcept {
  return a.step == b.step && is_pass(a) && is_pass(b) &&
         layout_entry(a).shape == layout_entry(b).shape;
}

/// Sorts nodes by step, so that a step follows those that it reads. Values that another step reads
/// are stored.
void Evaluation::order_steps(std::span<std::int32_t> group) {
  for (const std::int32_t i : group) {
    node& operation = node_at(i);
    operation.is_retained = operation.is_stored;
    operation.step = 0;
    for_each_producer(operation, [&](const node& producer) {
      if (!runs_together(producer, operation)) return;
      const bool is_same = is_pass(operation) && is_pass(producer) &&
                           layout_entry(producer).shape == layout_entry(operation).shape;
      operation.step = std::max(operation.step, producer.step + (is_same ? 0 : 1));
    });
    for_each_producer(operation, [&](node& producer) {
      if (!is_one_step(producer, operation)) producer.is_stored = true;
    });
  }
  std::ranges::stable_sort(group, {}, [&](std::int32_t i) {
    return std::tuple(node_at(i).step, node_at(i).reduction, layout_entry(node_at(i)).shape);
  });
}

void Evaluation::run_rows(std::span<std::int32_t> group) {
  order_steps(group);
  group_ = group;
  const Dims& rows = recording_.row_shapes_[static_cast<std::size_t>(node_at(group[0]).rows)];
  rows_ = std::accumulate(rows.begin(), rows.end(), std::int64_t{1}, std::multiplies<>());
  row_scratch_ = row_cost_ = row_steps_ = 0;
  temporaries_.clear();
  recording_.schedule_.start([] { return RowParams{}; });
  // A node adds at most itself and its inputs to the operands, since it belongs to one step.
  recording_.row_uses_.resize(group.size() * (1 + FusedStep::max_inputs));
  row_operands_.emplace(node_at(group[0]).device, recording_.row_uses_.data(),
                        static_cast<int>(recording_.row_uses_.size()));
  for (auto begin = group.begin(); begin != group.end();) {
    const auto end = std::find_if(begin + 1, group.end(), [&](std::int32_t i) {
      return !is_one_step(node_at(*begin), node_at(i));
    });
    if (begin == group.begin() && end == group.end() && is_pass(node_at(*begin))) {
      group_ = {};
      return run_pass(group);
    }
    is_pass(node_at(*begin)) ? run_pass({begin, end}) : add_reduction(*begin);
    begin = end;
  }
  launch_rows();
  group_ = {};
}

/// True if the node can be computed in place: all readers of the old values run before it.
bool Evaluation::may_go_to_target(const node& x) const {
  const auto is_early = [&](std::int32_t i) {
    const node& operation = recording_.nodes_[static_cast<std::size_t>(i)];
    return std::all_of(
        operation.inputs, operation.inputs + operation.input_count, [&](const reference& input) {
          if (input.source != source::leaf) return true;
          const NdArray& leaf = recording_.leaves_[static_cast<std::size_t>(input.index)].array;
          return !(leaf.memory() == x.target) || is_one_step(operation, x) ||
                 (operation.step < x.step &&
                  (!is_pass(operation) || leaf.shape() == shape_of(operation)));
        });
  };
  return is_whole_ && x.target && std::ranges::all_of(group_, is_early);
}

void Evaluation::place_output(node& x) {
  const std::int64_t nbytes = elements_of(x) * itemsize(x.type);
  const std::int64_t row = nbytes / rows_;
  const std::int64_t slack = RowParams::page * (std::ssize(temporaries_) + 1);
  if (!x.is_retained && row_scratch_ + row + slack <= RowParams::scratch_bytes) {
    x.scratch = std::ssize(temporaries_);
    temporaries_.push_back(row);
    row_scratch_ += row;
  } else if (may_go_to_target(x)) {
    x.storage = x.target;
  } else {
    x.storage = allocate(x.device, static_cast<std::size_t>(nbytes));
  }
}

void Evaluation::locate(RowStep& step, int operand, const node& producer) const {
  step.temporaries[operand] = producer.scratch;
  step.row_bytes[operand] = elements_of(producer) / rows_ * itemsize(producer.type);
}

/// Sets has_runs, is_run, single and row_bytes if the pass can run as PassRows.
void Evaluation::find_runs(const WidePlan& plan, RowStep& step) const {
  const bool is_by_row = plan.rank == 2 && plan.shape[0] == step.width;
  if (plan.rank != 1 && !is_by_row) return;
  for (int i = 0; i < plan.operand_count; ++i) {
    const std::int64_t stride = plan.strides[i][0];
    if (stride != plan.itemsize[i] && stride != 0) return;
  }
  step.has_runs = true;
  step.is_run = !is_by_row;
  for (int i = 0; i < plan.operand_count; ++i) {
    if (plan.strides[i][0] == 0) step.single |= 1u << i;
    step.row_bytes[i] = is_by_row ? plan.strides[i][1] : plan.strides[i][0] * step.width;
  }
}

void Evaluation::add_step(RowStep& step, std::span<const std::byte> params) {
  step.nbytes = rounded_up(static_cast<std::int64_t>(sizeof step + params.size()), 16);
  recording_.schedule_.append(std::as_bytes(std::span(&step, 1)));
  recording_.schedule_.append(params);
  recording_.schedule_.align(16);
  ++row_steps_;
}

/// Adds a pass for which fits() is true to the schedule.
void Evaluation::add_pass(nodes pass) {
  for (const std::int32_t i : pass) {
    if (node_at(i).is_stored) place_output(node_at(i));
  }
  const node& first = node_at(pass[0]);
  RowStep step{};
  step.width = elements_of(first) / rows_;
  if (step.width == 0) return;
  for (int i = 0; i < operand_count_; ++i) {
    const reference& operand_reference = operands_[static_cast<std::size_t>(i)];
    step.temporaries[i] = RowStep::in_memory;
    if (operand_reference.source == source::node) locate(step, i, node_at(operand_reference.index));
  }
  row_cost_ += step.width * cost_;
  const ParamsBlock<FusedParams>& params = fill_params(*row_operands_, shape_of(first));
  find_runs(params.params().plan, step);
  add_step(step, params.bytes());
}

void Evaluation::add_reduction(std::int32_t i) {
  node& operation = node_at(i);
  place_output(operation);
  RowStep step{};
  step.width = elements_of(operation) / rows_;
  Recording::Reduction& reduction =
      recording_.reductions_[static_cast<std::size_t>(operation.reduction)];
  step.reduction = reduction.kernel;
  auto* const params = reinterpret_cast<RowReduction*>(reduction.params.data());
  OperandList& operands = *row_operands_;
  locate(step, 0, operation);
  if (operation.storage) params->output = operands(operation.storage);
  const reference& input = operation.inputs[0];
  if (input.source == source::node) {
    const node& producer = node_at(input.index);
    locate(step, 1, producer);
    if (producer.storage) params->input = operands(producer.storage);
  } else {
    const NdArray& array = recording_.leaves_[static_cast<std::size_t>(input.index)].array;
    step.temporaries[1] = RowStep::in_memory;
    params->input = operands(array.memory(), reduction.input_offset);
  }
  row_cost_ += bytes_of(input) / input.width / rows_;
  add_step(step, reduction.params);
}

/// Returns the arrays that a group reads or writes in memory, without duplicates.
std::vector<Evaluation::reference> Evaluation::find_accesses() {
  std::vector<reference> accesses;
  ++part_number_;
  const auto touch = [&](const reference& x) {
    if (x.source == source::constant) return;
    const auto index = static_cast<std::size_t>(x.index);
    if (x.source == source::node && !recording_.nodes_[index].storage) return;
    auto& use =
        x.source == source::leaf ? recording_.leaves_[index].use : recording_.nodes_[index].use;
    if (use.last_part != part_number_) accesses.push_back(x);
    use.last_part = part_number_;
  };
  for (const std::int32_t i : group_) {
    const node& operation = node_at(i);
    touch({source::node, static_cast<std::uint8_t>(itemsize(operation.type)), operation.type, i});
    std::for_each_n(operation.inputs, operation.input_count, touch);
  }
  return accesses;
}

std::int64_t Evaluation::bytes_one_by_one(nodes pass) const {
  std::int64_t moved = 0;
  for (const std::int32_t i : pass) {
    const node& operation = recording_.nodes_[static_cast<std::size_t>(i)];
    moved += elements_of(operation) * itemsize(operation.type);
    for (int k = 0; k < operation.input_count; ++k) moved += bytes_of(operation.inputs[k]);
  }
  return moved;
}

void Evaluation::launch_rows() {
  const node& first = node_at(group_[0]);
  const Device device = first.device;
  const auto elements = [&](std::int32_t i) { return elements_of(node_at(i)); };
  PassReport pass_report{
      .operations = std::ssize(group_),
      .shape = shape_of(node_at(*std::ranges::max_element(group_, {}, elements))),
      .feeds_reduction = false};
  for (const reference& x : find_accesses()) pass_report.moved += bytes_of(x);
  const auto& table = kernels<FuseKernels>(device);
  const std::int64_t row = std::max<std::int64_t>(pass_report.moved / rows_ + row_scratch_, 1);
  const std::int64_t slack = RowParams::page * std::ssize(temporaries_);
  const std::int64_t capacity =
      (RowParams::scratch_bytes - slack) / std::max<std::int64_t>(row_scratch_, 1);
  const RowParams params{.rows = rows_,
                         .block = std::clamp<std::int64_t>(tuning::fused_rows_bytes / row, 1,
                                                           std::min(rows_, capacity)),
                         .cost = std::max<std::int64_t>(row_cost_, 1),
                         .feed = table.feed,
                         .make_rows = table.make_rows,
                         .steps = row_steps_};
  std::int64_t offset = 0;
  for (std::int64_t& temporary : temporaries_) {
    offset += rounded_up(std::exchange(temporary, offset) * params.block, RowParams::page);
  }
  ParamsBlock<RowParams>& schedule = recording_.schedule_;
  schedule.append(std::as_bytes(std::span(temporaries_)));
  schedule.params() = params;
  const bool is_alone = group_.size() == 1;  // a reduction, which chooses its own blocks
  if (const auto observe = hooks_.observe_pass.load()) {
    pass_report.rows = is_alone ? 0 : params.block;
    pass_report.moved_eager = bytes_one_by_one(group_);
    observe(pass_report);
  }
  const WithoutOuterLock working(rows_ * row_cost_ > min_steps_without_lock);
  if (is_alone) {
    const auto bytes = schedule.bytes().subspan(sizeof(RowParams) + sizeof(RowStep));
    const auto& reduction = recording_.reductions_[static_cast<std::size_t>(first.reduction)];
    return launch(device, reduction.kernel.untyped(), bytes.data(), bytes.size(),
                  row_operands_->uses());
  }
  launch(device, table.rows, schedule, *row_operands_);
}

/// Collects in order_ the nodes on which `root` depends. Returns false if feed() should.
bool Evaluation::find_cone(std::int32_t root, bool is_held) {
  for (node& operation : recording_.nodes_) operation.is_needed = operation.is_stored = false;
  node_at(root).is_needed = true;
  for (std::int32_t i = root; i >= 0; --i) {
    const node& operation = node_at(i);
    if (!operation.is_needed) continue;
    const bool is_alike = is_pass(operation) &&
                          layout_entry(operation).shape == layout_entry(node_at(root)).shape &&
                          operation.device == node_at(root).device;
    if (!is_alike) return false;
    for_each_producer(operation, [](node& producer) { producer.is_needed = true; });
  }
  recording_.order_.clear();
  for (std::int32_t i = 0; i <= root; ++i) {
    node& operation = node_at(i);
    if (!operation.is_needed) continue;
    recording_.order_.push_back(i);
    bool takes_long = operation.function.cost > 1;
    for_each_producer(operation,
                      [&](const node& producer) { takes_long = takes_long || producer.level > 0; });
    operation.level = takes_long ? 1 : 0;
    const bool is_referenced = i == root ? is_held : operation.result != nullptr;
    if (takes_long && is_referenced) return false;
  }
  node_at(root).is_stored = true;
  return true;
}

}  // namespace skerry
