// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fuse/evaluation.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <tuple>

#include "core/axis_list.hpp"
#include "core/memory_use.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/kernels.hpp"

namespace skerry {
namespace {

/// So many operations are compiled as one kernel at most: a longer one takes seconds.
constexpr std::ptrdiff_t most_compiled = 128;

/// Whether an array is one run of this shape.
bool is_run_of(const Layout& where, const Dims& shape, std::int64_t width) noexcept {
  return where.shape == shape && is_c_contiguous(where, width);
}

std::int64_t stride_along(const Layout& where, int axis, int rank) noexcept {
  const int own = axis - (rank - where.rank());
  return own < 0 || where.shape[own] == 1 ? 0 : where.strides[own];
}

std::int64_t size_of(const Dims& shape) noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

bool Evaluation::runs_beside(const node& a, const node& b) const noexcept {
  return a.level == b.level && a.rows == b.rows && a.result->where() == b.result->where() &&
         (a.rows >= 0 || place_of(a).shape == place_of(b).shape);
}

/// Whether a place in what is read is read for that place, or for that row, only.
bool Evaluation::is_aligned(const node& maker, const node& reader) const noexcept {
  if (maker.rows != reader.rows) return false;
  if (reader.rows < 0) return place_of(maker).shape == place_of(reader).shape;
  return !is_pass(reader) || shape_of(maker).rank() == shape_of(reader).rank();
}

void Evaluation::find_needed() noexcept {
  for (node& each : of_.nodes_) {
    each.is_stored = each.is_needed = each.result->references() > 1;
  }
  for (auto i = std::ssize(of_.nodes_) - 1; i >= 0; --i) {
    const node& each = at(static_cast<std::int32_t>(i));
    if (!each.is_needed) continue;
    for_each_maker(each, [](node& maker) { maker.is_needed = true; });
  }
}

void Evaluation::find_levels() noexcept {
  for (node& each : of_.nodes_) {
    each.level = 0;
    each.part = -1;
    if (!each.is_needed) continue;
    for_each_maker(each, [&](const node& maker) {
      each.level = std::max(each.level, maker.level + (is_aligned(maker, each) ? 0 : 1));
    });
    for_each_maker(each, [&](node& maker) {
      if (!runs_beside(maker, each)) maker.is_stored = true;
    });
  }
}

void Evaluation::run() {
  find_needed();
  find_rows();
  find_levels();
  std::vector<std::int32_t>& order = of_.order_;
  order.clear();
  bool is_one_pass = true;
  for (std::size_t i = 0; i < of_.nodes_.size(); ++i) {
    if (!of_.nodes_[i].is_needed) continue;
    order.push_back(static_cast<std::int32_t>(i));
    is_one_pass = is_one_pass && runs_beside(at(order.front()), of_.nodes_[i]);
  }
  is_whole_ = is_one_pass;
  if (is_one_pass) return run_group(order);
  const auto key = [&](std::int32_t i) {
    const Device where = at(i).result->where();
    const std::int32_t rows = at(i).rows;
    const std::int32_t shape = rows < 0 ? place_of(at(i)).shape : 0;
    return std::tuple(at(i).level, rows, shape, where.kind, where.index);
  };
  std::ranges::stable_sort(order, {}, key);
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(),
                                  [&](std::int32_t i) { return !runs_beside(at(*begin), at(i)); });
    run_group({begin, end});
    begin = end;
  }
}

void Evaluation::run_group(std::span<std::int32_t> group) {
  if (!group.empty() && at(group[0]).rows >= 0) return run_rows(group);
  run_pass(group);
}

void Evaluation::run_pass(nodes pass) {
  if (pass.empty()) return;
  const Dims& shape = place_of(at(pass[0])).where.shape;
  const Device where = at(pass[0]).result->where();
  const bool is_native = !runs_on_host(where);
  const bool is_long = is_native && std::ssize(pass) > most_compiled;
  if (!fits(pass) || is_long) return run_in_halves(pass);
  if (!group_.empty()) return add_pass(pass);
  allocate_outputs(pass);
  report(pass, false);
  if (size_of(shape) == 0) return;
  if (is_native) return launch_native(pass, shape);
  launch_part(shape, where);
}

void Evaluation::run_in_halves(nodes pass) {
  is_whole_ = false;
  const nodes first = pass.first(pass.size() / 2);
  const nodes second = pass.subspan(first.size());
  const std::int32_t mark = ++part_;
  for (const std::int32_t i : first) at(i).part = mark;
  for (const std::int32_t i : second) {
    for_each_maker(at(i), [&](node& maker) {
      if (maker.part == mark) maker.is_stored = true;
    });
  }
  run_pass(first);
  run_pass(second);
}

bool Evaluation::fits(nodes part) {
  ++part_;
  cost_ = 0;
  widest_ = 1;
  steps_.clear();
  constants_.clear();
  for (std::size_t position = 0; position < part.size(); ++position) {
    node& each = at(part[position]);
    each.part = part_;
    each.last = -1;
    for_each_maker(each, [&](node& maker) { maker.last = static_cast<std::int32_t>(position); });
  }
  return add_operands(part) && add_steps(part);
}

/// An operand that is not among those of the part yet. False where there is no room.
bool Evaluation::add_operand(const reference& to) {
  const auto index = static_cast<std::size_t>(to.index);
  auto& [operand, asked] = to.from == source::leaf ? of_.leaves_[index].use : of_.nodes_[index].use;
  if (asked == part_) return true;
  if (operand_count_ == WidePlan::max_operands) return false;
  asked = part_;
  operand = operand_count_;
  operands_[static_cast<std::size_t>(operand_count_++)] = to;
  return true;
}

bool Evaluation::add_operands(nodes part) {
  operand_count_ = 0;
  for (const std::int32_t i : part) {
    const auto width = static_cast<std::uint8_t>(itemsize(at(i).type));
    if (at(i).is_stored && !add_operand({source::node, width, at(i).type, i})) return false;
  }
  outputs_ = operand_count_;
  for (const std::int32_t i : part) {
    for (int k = 0; k < at(i).input_count; ++k) {
      const reference& input = at(i).inputs[k];
      const bool is_inside = input.from == source::node && at(input.index).part == part_;
      if (input.from == source::constant || is_inside) continue;
      if (!add_operand(input)) return false;
    }
  }
  return true;
}

std::int16_t Evaluation::find_input(const reference& input) {
  const auto index = static_cast<std::size_t>(input.index);
  if (input.from == source::constant) {
    constants_.push_back(of_.constants_[index]);
    return static_cast<std::int16_t>(FusedParams::first_constant + std::ssize(constants_) - 1);
  }
  const auto& use = input.from == source::leaf ? of_.leaves_[index].use : of_.nodes_[index].use;
  return static_cast<std::int16_t>(use.operand);
}

/// What is not stored goes to slots, each free again with the last step that reads it: that step's
/// own result goes there, if its items are as wide. False where there are too few.
bool Evaluation::add_steps(nodes part) {
  unsigned free = (1u << FusedParams::slots) - 1;
  for (std::size_t position = 0; position < part.size(); ++position) {
    node& each = at(part[position]);
    // Of native kernels the places alone are used (native.cpp).
    FusedStep step{.host = each.loop->host,
                   .body = each.loop->body,
                   .accepts = static_cast<std::uint16_t>(each.loop->accepts),
                   .places = {},
                   .widths = {static_cast<std::uint8_t>(itemsize(each.type))},
                   .inputs = each.input_count};
    widest_ = std::max<int>(widest_, step.widths[0]);
    unsigned free_later = 0;
    for (int k = 0; k < each.input_count; ++k) {
      step.places[k + 1] = find_input(each.inputs[k]);
      step.widths[k + 1] = each.inputs[k].width;
      widest_ = std::max<int>(widest_, step.widths[k + 1]);
      if (each.inputs[k].from != source::node) continue;
      const node& maker = at(each.inputs[k].index);
      const bool is_over = maker.last == static_cast<std::int32_t>(position);
      if (maker.part == part_ && !maker.is_stored && is_over) {
        unsigned& to = step.widths[k + 1] == step.widths[0] ? free : free_later;
        to |= 1u << (maker.use.operand - FusedParams::first_slot);
      }
    }
    if (!each.is_stored) {
      if (free == 0) return false;
      each.use = {FusedParams::first_slot + std::countr_zero(free), part_};
      free &= free - 1;
    }
    free |= free_later;
    step.places[0] = static_cast<std::int16_t>(each.use.operand);
    cost_ += each.function.cost;
    add_to_chain(part, position, step);
    steps_.push_back(step);
  }
  return true;
}

void Evaluation::allocate_outputs(nodes part) {
  for (const std::int32_t i : part) {
    node& each = at(i);
    if (!each.is_stored) continue;
    const std::int64_t nbytes = size_of(place_of(each).where.shape) * itemsize(each.type);
    const StorageRef& target = each.result->target;
    each.made = is_whole_ && target
                    ? target
                    : allocate(each.result->where(), static_cast<std::size_t>(nbytes));
  }
}

void Evaluation::fill_plan(WidePlan& work, const Dims& shape) {
  const Layout* where[WidePlan::max_operands];
  bool is_run = true;
  for (int i = 0; i < operand_count_; ++i) {
    const reference& from = operands_[static_cast<std::size_t>(i)];
    const auto index = static_cast<std::size_t>(from.index);
    if (from.from == source::leaf) {
      work.data[i] = of_.leaves_[index].array.data();
      where[i] = &of_.leaves_[index].array.layout();
    } else {
      const StorageRef& made = of_.nodes_[index].made;  // none where it is fed to a reduction
      work.data[i] = made ? made->data() : nullptr;
      where[i] = &place_of(of_.nodes_[index]).where;
    }
    work.itemsize[i] = from.width;
    is_run = is_run && is_run_of(*where[i], shape, from.width);
  }
  work.operand_count = operand_count_;
  work.output_count = outputs_;
  work.size = size_of(shape);
  work.rank = is_run && work.size > 1 ? 1 : 0;
  work.shape[0] = work.size;
  for (int i = 0; i < operand_count_; ++i) work.strides[i][0] = work.itemsize[i];
  if (is_run) return;
  AxisList<WidePlan::max_operands> axes;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    std::int64_t strides[WidePlan::max_operands] = {};
    for (int i = 0; i < operand_count_; ++i) {
      strides[i] = stride_along(*where[i], axis, shape.rank());
    }
    axes.add(shape[axis], strides);
  }
  axes.order();
  std::fill(work.data + operand_count_, std::end(work.data), nullptr);
  axes.flip_negative(work.data);
  axes.coalesce();
  work.rank = axes.size();
  for (int axis = 0; axis < axes.size(); ++axis) {
    work.shape[axis] = axes[axis].extent;
    for (int i = 0; i < operand_count_; ++i) work.strides[i][axis] = axes[axis].strides[i];
  }
}

std::span<const std::byte> Evaluation::fill_params(const Dims& shape) {
  const std::size_t step_bytes = steps_.size() * sizeof(FusedStep);
  const std::size_t value_bytes = constants_.size() * sizeof(Element);
  const std::size_t nbytes = sizeof(FusedParams) + step_bytes + value_bytes;
  const std::size_t units = nbytes / sizeof(std::max_align_t) + 1;
  if (of_.params_.size() < units) of_.params_.resize(units);
  auto* const bytes = reinterpret_cast<std::byte*>(of_.params_.data());
  auto* const params = new (bytes) FusedParams;
  fill_plan(params->work, shape);
  params->steps = static_cast<std::int32_t>(steps_.size());
  const bool is_far = group_.empty() && !FusedParams::is_near(params->work.size, operand_count_);
  const int piece_bytes = FusedParams::piece_bytes / (is_far ? 2 : 1);
  params->piece = std::min(piece_bytes / widest_, FusedParams::piece_elements);
  params->cost = std::min(cost_, 1024);
  std::memcpy(bytes + sizeof(FusedParams), steps_.data(), step_bytes);
  if (value_bytes > 0) {
    std::memcpy(bytes + sizeof(FusedParams) + step_bytes, constants_.data(), value_bytes);
  }
  return {bytes, nbytes};
}

const StorageRef& Evaluation::memory_of(int operand) const {
  const reference& from = operands_[static_cast<std::size_t>(operand)];
  const auto index = static_cast<std::size_t>(from.index);
  return from.from == source::leaf ? of_.leaves_[index].array.memory() : of_.nodes_[index].made;
}

std::int64_t Evaluation::bytes_of(const reference& x) const {
  const auto index = static_cast<std::size_t>(x.index);
  if (x.from == source::constant) return 0;
  if (x.from == source::leaf) return of_.leaves_[index].array.nbytes();
  return size_of(place_of(of_.nodes_[index]).where.shape) * x.width;
}

/// Of the pass whose operands were added last.
void Evaluation::report(nodes pass, bool is_fed) {
  if (hooks_.watch == nullptr) return;
  PassReport of{
      .operations = std::ssize(pass), .shape = place_of(at(pass[0])).where.shape, .is_fed = is_fed};
  for (int i = is_fed ? outputs_ : 0; i < operand_count_; ++i) {
    of.moved += bytes_of(operands_[static_cast<std::size_t>(i)]);
  }
  of.moved_eager = bytes_one_by_one(pass);
  if (is_fed) of.moved_eager += size_of(of.shape) * itemsize(at(pass.back()).type);
  hooks_.watch(of);
}

void Evaluation::launch_part(const Dims& shape, Device where) {
  const std::span<const std::byte> params = fill_params(shape);
  MemoryUse uses[WidePlan::max_operands];
  for (int i = 0; i < operand_count_; ++i) {
    uses[i] = i < outputs_ ? writes(memory_of(i)) : reads(memory_of(i));
  }
  const Kernel& run = kernels<fuse_kernels>(where).run;
  const WithoutOuterLock working(size_of(shape) * std::ssize(steps_) > long_work);
  launch(where, run, params.data(), params.size(),
         {uses, static_cast<std::size_t>(operand_count_)});
}

/// What a node is computed from, in order_. See feed().
bool Evaluation::find_cone(std::int32_t of, bool is_held) {
  for (node& each : of_.nodes_) each.is_needed = each.is_stored = false;
  at(of).is_needed = true;
  for (std::int32_t i = of; i >= 0; --i) {
    const node& each = at(i);
    if (!each.is_needed) continue;
    const bool is_alike = is_pass(each) && place_of(each).shape == place_of(at(of)).shape &&
                          each.result->where() == at(of).result->where();
    if (!is_alike) return false;
    for_each_maker(each, [](node& maker) { maker.is_needed = true; });
  }
  of_.order_.clear();
  for (std::int32_t i = 0; i <= of; ++i) {
    node& each = at(i);
    if (!each.is_needed) continue;
    of_.order_.push_back(i);
    bool takes_long = each.function.cost > 1;
    for_each_maker(each, [&](const node& maker) { takes_long = takes_long || maker.level > 0; });
    each.level = takes_long ? 1 : 0;
    const bool is_kept = i == of ? is_held : each.result->references() > 1;
    if (takes_long && is_kept) return false;
  }
  at(of).is_stored = true;
  return true;
}

bool Evaluation::feed(std::int32_t of, bool is_held, const feed_reader& reduce) {
  if (!find_cone(of, is_held) || !fits(of_.order_)) return false;
  report(of_.order_, true);
  const Dims& shape = place_of(at(of)).where.shape;
  const std::span<const std::byte> params = fill_params(shape);
  MemoryUse uses[WidePlan::max_operands];
  for (int i = outputs_; i < operand_count_; ++i) uses[i - outputs_] = reads(memory_of(i));
  const WithoutOuterLock working(size_of(shape) * std::ssize(steps_) > long_work);
  reduce(params, {uses, static_cast<std::size_t>(operand_count_ - outputs_)});
  return true;
}

}  // namespace skerry
