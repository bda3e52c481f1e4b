// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "core/axis_list.hpp"

namespace skerry {
namespace {

/// True for an element by value, and for a C-contiguous array of exactly this shape. Checks shape
/// and strides in one loop, since this dominates the time of a small call.
bool is_contiguous(const PlanOperand& operand, const std::int64_t* shape, int rank) noexcept {
  if (operand.layout == nullptr) return true;
  if (operand.layout->rank() != rank) return false;
  const std::int64_t* operand_shape = operand.layout->shape.data();
  const std::int64_t* strides = operand.layout->strides.data();
  std::int64_t expected = operand.itemsize;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const std::int64_t n = shape[axis];
    if (operand_shape[axis] != n) return false;
    if (n == 1) continue;
    if (strides[axis] != expected) return false;
    expected *= n;
  }
  return true;
}

/// Returns an operand's stride along an axis of the plan's shape; 0 if it is broadcast.
std::int64_t stride_along(const PlanOperand& operand, int axis, int rank) noexcept {
  if (operand.layout == nullptr) return 0;
  const Layout& layout = *operand.layout;
  const int operand_axis = axis - (rank - layout.rank());
  return operand_axis < 0 || layout.shape[operand_axis] == 1 ? 0 : layout.strides[operand_axis];
}

std::int64_t element_count(const Plan& plan) noexcept {
  std::int64_t size = 1;
  for (int axis = 0; axis < plan.rank; ++axis) size *= plan.shape[axis];
  return size;
}

bool is_contiguous(const Plan& plan) noexcept {
  if (plan.rank > 1) return false;
  for (int i = 0; i < plan.operand_count; ++i) {
    if (plan.is_value(i)) return false;
    if (plan.rank == 1 && plan.strides[i][0] != plan.itemsize[i]) return false;
  }
  return true;
}

bool is_below(const Plan& plan, std::int64_t limit) noexcept {
  if (element_count(plan) >= limit) return false;
  for (int i = 0; i < plan.operand_count; ++i) {
    if (plan.is_value(i)) continue;
    std::int64_t nbytes = plan.itemsize[i];
    for (int axis = 0; axis < plan.rank; ++axis) {
      nbytes += (plan.shape[axis] - 1) * std::abs(plan.strides[i][axis]);
    }
    if (nbytes >= limit) return false;
  }
  return true;
}

/// Returns the axis along which some operand spans the most bytes, and among equals the longest
/// one; -1 if the part is one element. Halving this axis reduces the span most and leaves the fast
/// axes whole.
int find_split_axis(const Plan& plan) noexcept {
  int split_axis = -1;
  std::int64_t farthest = -1;
  for (int axis = 0; axis < plan.rank; ++axis) {
    if (plan.shape[axis] == 1) continue;
    std::int64_t reach = 0;
    for (int i = 0; i < plan.operand_count; ++i) {
      reach = std::max(reach, (plan.shape[axis] - 1) * std::abs(plan.strides[i][axis]));
    }
    const bool same = reach == farthest && plan.shape[axis] > plan.shape[split_axis];
    if (reach > farthest || same) {
      farthest = reach;
      split_axis = axis;
    }
  }
  return split_axis;
}

/// Returns half of an extent, rounded up; above 64 to a multiple of 64, so that every part has the
/// alignment of the whole array.
std::int64_t half(std::int64_t extent) noexcept {
  const std::int64_t rounded_up = (extent + 1) / 2;
  return rounded_up > 64 ? (rounded_up + 63) / 64 * 64 : rounded_up;
}

void move_axis(Plan& plan, int source, int destination) noexcept {
  plan.shape[destination] = plan.shape[source];
  for (auto& strides : plan.strides) strides[destination] = strides[source];
}

}  // namespace

PlanParts::PlanParts(const Dims& shape, std::span<const PlanOperand> operands,
                     std::int64_t index_limit) {
  assert(!operands.empty() && operands.size() <= Plan::max_operands);
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  empty_ = size == 0;
  if (empty_) return;

  bool contiguous = true;
  current_.operand_count = static_cast<std::int32_t>(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const PlanOperand& operand = operands[i];
    current_.itemsize[i] = operand.itemsize;
    current_.data[i] = operand.layout != nullptr ? const_cast<char*>(operand.data) : nullptr;
    if (operand.layout == nullptr) current_.values[i] = operand.value;
    contiguous = contiguous && is_contiguous(operand, shape.data(), shape.rank());
  }
  if (contiguous) {
    flatten(size);
  } else {
    constexpr decltype(&PlanParts::reduce<1>) by_count[] = {
        &PlanParts::reduce<1>, &PlanParts::reduce<2>, &PlanParts::reduce<3>, &PlanParts::reduce<4>};
    (this->*by_count[operands.size() - 1])(shape, operands.data());
  }
  if (index_limit != INT64_MAX) split(index_limit);
  current_.size = element_count(current_);
  current_.contiguous = is_contiguous(current_);
}

/// Plans the common case: all operands are contiguous, so one axis is enough.
void PlanParts::flatten(std::int64_t size) noexcept {
  if (size == 1) return;
  current_.rank = 1;
  current_.shape[0] = size;
  for (int i = 0; i < current_.operand_count; ++i) {
    current_.strides[i][0] = current_.is_value(i) ? 0 : current_.itemsize[i];
  }
}

template <int Operands>
void PlanParts::reduce(const Dims& shape, const PlanOperand* operands) noexcept {
  AxisList<Operands> axes;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    std::int64_t strides[Operands];
    for (int i = 0; i < Operands; ++i) strides[i] = stride_along(operands[i], axis, shape.rank());
    axes.add(shape[axis], strides);
  }
  axes.order();
  axes.flip_negative(current_.data);
  axes.coalesce();

  current_.rank = std::min(axes.size(), Plan::max_axes);
  for (int axis = 0; axis < axes.size(); ++axis) {
    const auto& [extent, strides] = axes[axis];
    if (axis < Plan::max_axes) {
      current_.shape[axis] = extent;
      for (int i = 0; i < Operands; ++i) current_.strides[i][axis] = strides[i];
    } else {
      OuterAxis& outer = outer_[outer_count_++];
      outer = {extent, 1, 0, -1, {}};
      std::copy_n(strides, Operands, outer.strides);
    }
  }
}

/// Halves the axis of find_split_axis() until the part is below the limit. Then drops axes of one
/// element, so that a part of one row has rank 1.
void PlanParts::split(std::int64_t index_limit) noexcept {
  if (is_below(current_, index_limit)) return;
  std::int64_t whole[Plan::max_axes];
  std::copy_n(current_.shape, current_.rank, whole);
  while (!is_below(current_, index_limit)) {
    const int axis = find_split_axis(current_);
    if (axis < 0) break;
    current_.shape[axis] = half(current_.shape[axis]);
  }
  int plan_rank = 0;
  for (int axis = 0; axis < current_.rank; ++axis) {
    const std::int64_t block = current_.shape[axis];
    if (block < whole[axis]) {
      OuterAxis& outer = outer_[outer_count_++];
      outer = {whole[axis], block, 0, block == 1 ? -1 : plan_rank, {}};
      for (int i = 0; i < current_.operand_count; ++i) outer.strides[i] = current_.strides[i][axis];
    }
    if (block > 1) move_axis(current_, axis, plan_rank++);
  }
  current_.rank = plan_rank;
}

/// Advances to the next part; after the last one, returns to the first and returns false.
bool PlanParts::next() noexcept {
  for (int i = 0; i < outer_count_; ++i) {
    OuterAxis& outer = outer_[i];
    const std::int64_t old_position = outer.position;
    outer.position += outer.block;
    const bool more = outer.position < outer.extent;
    if (!more) outer.position = 0;
    for (int k = 0; k < current_.operand_count; ++k) {
      if (current_.data[k] == nullptr) continue;
      current_.data[k] += (outer.position - old_position) * outer.strides[k];
    }
    if (outer.plan_axis >= 0) {
      current_.shape[outer.plan_axis] = std::min(outer.block, outer.extent - outer.position);
      current_.size = element_count(current_);
    }
    if (more) return true;
  }
  return false;
}

std::int64_t PlanParts::count() const noexcept {
  if (empty_) return 0;
  std::int64_t parts = 1;
  for (int i = 0; i < outer_count_; ++i) {
    parts *= (outer_[i].extent - 1) / outer_[i].block + 1;
  }
  return parts;
}

}  // namespace skerry
