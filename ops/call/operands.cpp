// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/call/operands.hpp"

#include "ops/call/promotion.hpp"
#include "ops/call/writable.hpp"

namespace skerry {

common common_of_any(const char* op, std::span<const operand> operands, const ndarray* target) {
  const device where = common_device(op, operands);
  if (target != nullptr) require_writable(op, *target);
  return {where, common_dtype(op, operands), nullptr, 0};
}

}  // namespace skerry
