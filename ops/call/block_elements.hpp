// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// What one kernel asks another one for, of which it knows the parameters' address only: elements
/// `start` to `start + n` of the outputs of a pass, in the order of its plan.
struct BlockElements {
  const void* pass;  ///< FusedParams with what follows it; a conversion (ops/reduce)
  std::int64_t start;
  std::int64_t n;
  char* destination;  ///< of the one output; null: `data` says where all operands begin
  char* const* data = nullptr;
};

}  // namespace skerry
