// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Reductions of rows, and the passes before and after them over the same rows.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "core/row_range.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/kernels.hpp"
#include "ops/fuse/evaluation.hpp"

namespace skerry {
namespace {

/// Of the rows that are taken together, what is read, made and written.
constexpr std::int64_t block_bytes = 196608;

constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t to) noexcept {
  return (n + to - 1) / to * to;
}

}  // namespace

/// Of which rows nodes are: the axes that all reductions of them keep, in C order.
void Evaluation::find_rows() {
  if (of_.reductions_.empty()) return;
  std::vector<Dims>& known = of_.row_shapes_;
  known.clear();
  for (const node& each : of_.nodes_) {
    if (!each.is_needed || is_pass(each)) continue;
    const auto index = static_cast<std::size_t>(each.inputs[0].index);
    const bool is_leaf = each.inputs[0].from == source::leaf;
    const Dims& whole = is_leaf ? of_.leaves_[index].array.shape() : shape_of(of_.nodes_[index]);
    const Dims own(whole.span().first(static_cast<std::size_t>(each.row_axes)));
    if (std::ranges::find(known, own) == known.end()) known.push_back(own);
  }
  std::ranges::stable_sort(known, {}, &Dims::rank);
  for (node& each : of_.nodes_) {
    each.scratch = RowStep::in_memory;
    const bool is_along = each.is_needed && runs_on_host(each.result->where()) &&
                          is_c_contiguous(place_of(each).where, itemsize(each.type));
    const auto found = std::ranges::find_if(known, [&](const Dims& rows) {
      return rows.rank() <= std::min(each.row_axes, shape_of(each).rank()) &&
             std::equal(rows.begin(), rows.end(), shape_of(each).begin());
    });
    const bool has_rows = is_along && found != known.end();
    each.rows = has_rows ? static_cast<std::int32_t>(found - known.begin()) : -1;
  }
}

bool Evaluation::is_one_step(const node& a, const node& b) const noexcept {
  return a.step == b.step && is_pass(a) && is_pass(b) && place_of(a).shape == place_of(b).shape;
}

/// Puts what runs together side by side, behind what it reads. What another step reads is stored.
void Evaluation::order_steps(std::span<std::int32_t> group) {
  for (const std::int32_t i : group) {
    node& each = at(i);
    each.is_kept = each.is_stored;
    each.step = 0;
    for_each_maker(each, [&](const node& maker) {
      if (!runs_beside(maker, each)) return;
      const bool is_same =
          is_pass(each) && is_pass(maker) && place_of(maker).shape == place_of(each).shape;
      each.step = std::max(each.step, maker.step + (is_same ? 0 : 1));
    });
    for_each_maker(each, [&](node& maker) {
      if (!is_one_step(maker, each)) maker.is_stored = true;
    });
  }
  std::ranges::stable_sort(group, {}, [&](std::int32_t i) {
    return std::tuple(at(i).step, at(i).reduction, place_of(at(i)).shape);
  });
}

void Evaluation::run_rows(std::span<std::int32_t> group) {
  order_steps(group);
  group_ = group;
  const Dims& rows = of_.row_shapes_[static_cast<std::size_t>(at(group[0]).rows)];
  rows_ = std::accumulate(rows.begin(), rows.end(), std::int64_t{1}, std::multiplies<>());
  row_scratch_ = row_cost_ = row_steps_ = 0;
  temporaries_.clear();
  of_.schedule_.assign(sizeof(RowParams), std::byte{});
  for (auto begin = group.begin(); begin != group.end();) {
    const auto end = std::find_if(begin + 1, group.end(),
                                  [&](std::int32_t i) { return !is_one_step(at(*begin), at(i)); });
    if (begin == group.begin() && end == group.end() && is_pass(at(*begin))) {
      group_ = {};
      return run_pass(group);
    }
    is_pass(at(*begin)) ? run_pass({begin, end}) : add_reduction(*begin);
    begin = end;
  }
  launch_rows();
  group_ = {};
}

/// Whether all that reads the old values of what a node changes in place has done so by then.
bool Evaluation::may_go_to_target(const node& x) const {
  const auto is_early = [&](std::int32_t i) {
    const node& each = of_.nodes_[static_cast<std::size_t>(i)];
    return std::all_of(each.inputs, each.inputs + each.input_count, [&](const reference& input) {
      if (input.from != source::leaf) return true;
      const NdArray& leaf = of_.leaves_[static_cast<std::size_t>(input.index)].array;
      return !(leaf.memory() == x.result->target) || is_one_step(each, x) ||
             (each.step < x.step && (!is_pass(each) || leaf.shape() == shape_of(each)));
    });
  };
  return is_whole_ && x.result->target && std::ranges::all_of(group_, is_early);
}

void Evaluation::place_output(node& x) {
  const std::int64_t nbytes = elements_of(x) * itemsize(x.type);
  const std::int64_t row = nbytes / rows_;
  const std::int64_t slack = RowParams::page * (std::ssize(temporaries_) + 1);
  if (!x.is_kept && row_scratch_ + row + slack <= RowParams::scratch_bytes) {
    x.scratch = std::ssize(temporaries_);
    temporaries_.push_back(row);
    row_scratch_ += row;
  } else if (may_go_to_target(x)) {
    x.made = x.result->target;
  } else {
    x.made = allocate(x.result->where(), static_cast<std::size_t>(nbytes));
  }
}

void Evaluation::locate(RowStep& step, int operand, const node& maker) const {
  step.temporaries[operand] = maker.scratch;
  step.row_bytes[operand] = elements_of(maker) / rows_ * itemsize(maker.type);
}

/// How a pass is made of runs, if it is.
void Evaluation::find_runs(const WidePlan& work, RowStep& step) const {
  const bool is_by_row = work.rank == 2 && work.shape[0] == step.width;
  if (work.rank != 1 && !is_by_row) return;
  for (int i = 0; i < work.operand_count; ++i) {
    const std::int64_t stride = work.strides[i][0];
    if (stride != work.itemsize[i] && stride != 0) return;
  }
  step.has_runs = true;
  step.is_run = !is_by_row;
  for (int i = 0; i < work.operand_count; ++i) {
    if (work.strides[i][0] == 0) step.single |= 1u << i;
    step.row_bytes[i] = is_by_row ? work.strides[i][1] : work.strides[i][0] * step.width;
  }
}

void Evaluation::add_step(RowStep& step, std::span<const std::byte> params) {
  step.nbytes = rounded_up(static_cast<std::int64_t>(sizeof step + params.size()), 16);
  const auto head = std::as_bytes(std::span(&step, 1));
  std::vector<std::byte>& schedule = of_.schedule_;
  const std::size_t end = schedule.size() + static_cast<std::size_t>(step.nbytes);
  schedule.insert(schedule.end(), head.begin(), head.end());
  schedule.insert(schedule.end(), params.begin(), params.end());
  schedule.resize(end);
  ++row_steps_;
}

/// A pass that fits.
void Evaluation::add_pass(nodes pass) {
  for (const std::int32_t i : pass) {
    if (at(i).is_stored) place_output(at(i));
  }
  const node& first = at(pass[0]);
  RowStep step{};
  step.width = elements_of(first) / rows_;
  if (step.width == 0) return;
  for (int i = 0; i < operand_count_; ++i) {
    const reference& from = operands_[static_cast<std::size_t>(i)];
    step.temporaries[i] = RowStep::in_memory;
    if (from.from == source::node) locate(step, i, at(from.index));
  }
  row_cost_ += step.width * cost_;
  const std::span<const std::byte> params = fill_params(shape_of(first));
  find_runs(reinterpret_cast<const FusedParams*>(params.data())->work, step);
  add_step(step, params);
}

void Evaluation::add_reduction(std::int32_t i) {
  node& each = at(i);
  place_output(each);
  RowStep step{};
  step.reduce = each.loop->host;
  step.width = elements_of(each) / rows_;
  std::vector<std::byte>& params = of_.reductions_[static_cast<std::size_t>(each.reduction)];
  auto* const range = reinterpret_cast<RowRange*>(params.data());
  locate(step, 0, each);
  if (each.made) range->output = each.made->data();
  step.temporaries[1] = RowStep::in_memory;
  if (each.inputs[0].from == source::node) {
    const node& maker = at(each.inputs[0].index);
    locate(step, 1, maker);
    if (maker.made) range->input = maker.made->data();
  }
  row_cost_ += bytes_of(each.inputs[0]) / each.inputs[0].width / rows_;
  add_step(step, params);
}

/// What a group reads and writes in memory, each once.
std::vector<Evaluation::reference> Evaluation::find_touched() {
  std::vector<reference> touched;
  ++part_;
  const auto touch = [&](const reference& x) {
    if (x.from == source::constant) return;
    const auto index = static_cast<std::size_t>(x.index);
    if (x.from == source::node && !of_.nodes_[index].made) return;
    auto& use = x.from == source::leaf ? of_.leaves_[index].use : of_.nodes_[index].use;
    if (use.asked != part_) touched.push_back(x);
    use.asked = part_;
  };
  for (const std::int32_t i : group_) {
    const node& each = at(i);
    touch({source::node, static_cast<std::uint8_t>(itemsize(each.type)), each.type, i});
    std::for_each_n(each.inputs, each.input_count, touch);
  }
  return touched;
}

std::int64_t Evaluation::bytes_one_by_one(nodes pass) const {
  std::int64_t moved = 0;
  for (const std::int32_t i : pass) {
    const node& each = of_.nodes_[static_cast<std::size_t>(i)];
    moved += elements_of(each) * itemsize(each.type);
    for (int k = 0; k < each.input_count; ++k) moved += bytes_of(each.inputs[k]);
  }
  return moved;
}

void Evaluation::launch_rows() {
  const node& first = at(group_[0]);
  const Device where = first.result->where();
  const std::vector<reference> touched = find_touched();
  const auto elements = [&](std::int32_t i) { return elements_of(at(i)); };
  PassReport of{.operations = std::ssize(group_),
                .shape = shape_of(at(*std::ranges::max_element(group_, {}, elements))),
                .is_fed = false};
  std::vector<MemoryUse> uses;
  for (const reference& x : touched) {
    const auto index = static_cast<std::size_t>(x.index);
    of.moved += bytes_of(x);
    const bool is_own = x.from == source::node && runs_beside(of_.nodes_[index], first);
    const StorageRef& memory =
        x.from == source::leaf ? of_.leaves_[index].array.memory() : of_.nodes_[index].made;
    uses.push_back(is_own ? writes(memory) : reads(memory));
  }
  const auto& table = kernels<fuse_kernels>(where);
  const std::int64_t row = std::max<std::int64_t>(of.moved / rows_ + row_scratch_, 1);
  const std::int64_t slack = RowParams::page * std::ssize(temporaries_);
  const std::int64_t capacity =
      (RowParams::scratch_bytes - slack) / std::max<std::int64_t>(row_scratch_, 1);
  const RowParams params{
      .rows = rows_,
      .block = std::clamp<std::int64_t>(block_bytes / row, 1, std::min(rows_, capacity)),
      .cost = std::max<std::int64_t>(row_cost_, 1),
      .feed = table.feed.host,
      .make_rows = table.make_rows.host,
      .steps = row_steps_};
  std::int64_t offset = 0;
  for (std::int64_t& each : temporaries_) {
    offset += rounded_up(std::exchange(each, offset) * params.block, RowParams::page);
  }
  const auto offsets = std::as_bytes(std::span(temporaries_));
  of_.schedule_.insert(of_.schedule_.end(), offsets.begin(), offsets.end());
  std::memcpy(of_.schedule_.data(), &params, sizeof params);
  const bool is_alone = group_.size() == 1;  // a reduction, which knows best
  if (hooks_.watch != nullptr) {
    of.rows = is_alone ? 0 : params.block;
    of.moved_eager = bytes_one_by_one(group_);
    hooks_.watch(of);
  }
  const WithoutOuterLock working(rows_ * row_cost_ > long_work);
  if (is_alone) {
    constexpr std::size_t before = sizeof(RowParams) + sizeof(RowStep);
    return launch(where, *first.loop, of_.schedule_.data() + before, of_.schedule_.size() - before,
                  uses);
  }
  launch(where, table.rows, of_.schedule_.data(), of_.schedule_.size(), uses);
}

}  // namespace skerry
