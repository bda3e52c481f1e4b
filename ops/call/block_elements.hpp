// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// A request for elements `start` to `start + n` of the outputs of a pass, in its plan's order. The
/// requesting kernel knows only the address of the pass's parameters.
struct BlockElements {
  const void* pass;  ///< FusedParams and the data behind it, or a conversion (ops/reduce)
  std::int64_t start;
  std::int64_t n;
  char* destination;  ///< of the only output; if null, `data` has the addresses of all operands
  char* const* data = nullptr;
};

}  // namespace skerry
