// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/config.hpp"
#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// An operand of a plan: an array, or an element by value, which is broadcast.
struct PlanOperand {
  const char* data = nullptr;
  const Layout* layout = nullptr;  ///< shape must broadcast to the plan's; null for an element
  std::int64_t itemsize = 0;
  Element value{};

  static PlanOperand from_array(const NdArray& array) {
    return {.data = array.data(), .layout = &array.layout(), .itemsize = array.itemsize()};
  }
  static PlanOperand from_element(Element value, std::int64_t itemsize) {
    return {.itemsize = itemsize, .value = value};
  }
};

/// The iteration of a kernel over its operands, made on the host and passed to kernels by value.
/// Plans are created by launches (ops/call), and inside kernels from pointers
/// (ops/kernel/pointer_plan.hpp); front ends can't create them. Axes of size 1 are dropped, the
/// rest is ordered (axis 0 varies fastest, by the output's strides) and coalesced; negative output
/// strides are flipped. Operand 0 is the output.
struct Plan {
  static constexpr int max_operands = 4;
  static constexpr int max_axes = 8;

  std::int32_t operand_count = 0;
  std::int32_t rank = 0;  ///< after coalescing; 0 means one element
  std::int64_t size = 1;  ///< elements; never 0
  // The arrays are filled up to rank and operand_count: clearing the rest would cost more than
  // planning a usual call.
  std::int64_t shape[max_axes];
  std::int64_t strides[max_operands][max_axes];  ///< bytes; 0 where broadcast
  std::int64_t itemsize[max_operands];           ///< bytes
  char* data[max_operands];      ///< null for an operand that is an element by value
  Element values[max_operands];  ///< elements by value
  bool contiguous = false;       ///< rank <= 1 and every operand is an array of unit stride

  [[nodiscard]] bool is_value(int operand) const { return data[operand] == nullptr; }
  /// Returns the address of an operand's first element; for a value, of its copy in this plan.
  [[nodiscard]] char* base(int operand) const {
    return is_value(operand)
               ? const_cast<char*>(reinterpret_cast<const char*>(values[operand].bytes))
               : data[operand];
  }

 private:
  friend class PlanParts;
  friend class OperandList;
  friend class PointerPlan;
  Plan() = default;
  /// Plans one contiguous run of `count` elements (not 0). add() follows for each operand: a
  /// contiguous array, or an element.
  SKERRY_INLINE explicit Plan(std::int64_t count) noexcept
      : rank(count == 1 ? 0 : 1), size(count), contiguous(true) {
    shape[0] = count;
  }
  SKERRY_INLINE void add(char* array, std::int64_t width) noexcept {
    data[operand_count] = array;
    itemsize[operand_count] = width;
    strides[operand_count++][0] = width;
  }
  SKERRY_INLINE void add(const Element& value, std::int64_t width) noexcept {
    data[operand_count] = nullptr;
    values[operand_count] = value;
    itemsize[operand_count] = width;
    strides[operand_count++][0] = 0;
    contiguous = false;
  }
};

/// Exclusive bound of the bytes that an operand may span under 32-bit indexing. Tests lower it, so
/// that tiny arrays are split.
inline constexpr std::int64_t index_limit_32bit = std::int64_t{1} << 31;

/// A plan of `shape` over `operands` (output first), in parts; for_each() calls `function` with
/// every part. There is one part unless more than eight axes remain after coalescing (the outer
/// ones are looped over here) or `index_limit` is finite and some operand's byte extent or the
/// element count would reach it (a part of one element is never split). The last block of a split
/// axis may have size 1. An empty shape has no parts. Never allocates; 1 to 4 operands.
class PlanParts {
 public:
  template <class F>
  void for_each(F&& function) {
    for (bool more = !empty_; more; more = next()) function(static_cast<const Plan&>(current_));
  }
  /// Returns the number of parts that for_each will visit.
  [[nodiscard]] std::int64_t count() const noexcept;
  /// Returns the first part (the only one in nearly all calls); valid before and after for_each.
  [[nodiscard]] const Plan& first() const noexcept { return current_; }
  [[nodiscard]] bool empty() const noexcept { return empty_; }

 private:
  friend class OperandList;
  friend class PointerPlan;
  PlanParts(const Dims& shape, std::span<const PlanOperand> operands, std::int64_t index_limit);

  void flatten(std::int64_t size) noexcept;
  template <int Operands>
  void reduce(const Dims& shape, const PlanOperand* operands) noexcept;
  void split(std::int64_t index_limit) noexcept;
  bool next() noexcept;

  Plan current_;
  bool empty_ = false;
  // Outer iteration, usually unused: axes beyond Plan::max_axes and blocks of split axes.
  struct OuterAxis {
    std::int64_t extent;     ///< elements along the axis
    std::int64_t block;      ///< elements per part
    std::int64_t position;   ///< where the current part starts
    std::int32_t plan_axis;  ///< axis of the plan whose extent it sets, -1 if none
    std::int64_t strides[Plan::max_operands];
  };
  std::int32_t outer_count_ = 0;
  OuterAxis outer_[max_rank];
};

}  // namespace skerry
