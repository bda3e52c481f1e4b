// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// What one kernel asks another one for, of which it knows the parameters' address only: elements
/// `from` to `from + n` of the outputs of a pass, in the order of its plan.
struct FedElements {
  const void* pass;  ///< FusedParams with what follows it; a conversion (ops/reduce)
  std::int64_t from;
  std::int64_t n;
  char* to;  ///< of the one output; null: `data` says where all operands begin
  char* const* data = nullptr;
};

}  // namespace skerry
