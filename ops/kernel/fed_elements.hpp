// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// What one kernel asks another one for, of which it knows the parameters' address only: elements
/// `from` to `from + n` of the one output of a pass, in the order of its plan.
struct fed_elements {
  const void* pass;  ///< fused_params with what follows it
  std::int64_t from;
  std::int64_t n;
  char* to;
};

}  // namespace skerry
