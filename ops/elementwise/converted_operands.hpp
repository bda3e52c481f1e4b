// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ndarray.hpp"
#include "core/plan.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/operands.hpp"
#include "ops/call/promotion.hpp"
#include "ops/move/copy.hpp"

namespace skerry {

/// Operands converted for a kernel: arrays to one dtype, scalars to elements of it. Owns converted
/// arrays, and points to the others.
class ConvertedOperands {
 public:
  ConvertedOperands(std::span<const Operand> operands, Dtype type)
      : count_(static_cast<int>(operands.size())), itemsize_(itemsize(type)) {
    for (int i = 0; i < count_; ++i) {
      const Operand& operand = operands[static_cast<std::size_t>(i)];
      operands_[i] = operand.array;
      if (operand.array == nullptr) {
        const bool is_bool = type == Dtype::bool_;  // bool accepts any number
        values_[i] = to_element(is_bool ? cast_scalar(*operand.value, type) : *operand.value, type);
      } else if (operand.array->dtype() != type) {
        convert(i, type);
      }
    }
  }
  ConvertedOperands(const ConvertedOperands&) = delete;
  ConvertedOperands& operator=(const ConvertedOperands&) = delete;
  /// Copies each operand that overlaps `target` without having the same elements: writing `target`
  /// could otherwise overwrite it before it is read.
  void keep_from(const NdArray& target) {
    for (int i = 0; i < count_; ++i) {
      if (operands_[i] == nullptr || same_elements(*operands_[i], target)) continue;
      if (may_overlap(*operands_[i], target)) convert(i, operands_[i]->dtype());
    }
  }
  void add_to(KernelCall& call) const {
    for (int i = 0; i < count_; ++i) {
      if (operands_[i] != nullptr) {
        call.add(*operands_[i]);
      } else {
        call.add(values_[i], itemsize_);
      }
    }
  }

 private:
  void convert(int i, Dtype type) {
    operands_[i] = &owned_[i].emplace(convert_operand(*operands_[i], type));
  }

  int count_;
  std::int64_t itemsize_;
  const NdArray* operands_[Plan::max_operands - 1];
  std::optional<NdArray> owned_[Plan::max_operands - 1];
  Element values_[Plan::max_operands - 1];
};

}  // namespace skerry
