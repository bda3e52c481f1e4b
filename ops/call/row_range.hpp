// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

struct RowReduction;

/// Some rows of a reduction, for who calls its host form directly: they are reduced on this thread,
/// each as if all were. Never launched: its pointers may be into what the caller has made.
struct RowRange {
  const RowReduction& whole;
  const char* input;  ///< where row 0 is, or would be
  char* output;       ///< likewise
  std::int64_t first_row;
  std::int64_t rows;
};

/// What the parameters of a kernel that reduces rows begin with. To have it reduce a range, its
/// host form is given a copy of this alone.
struct RowReduction {
  InputPointer<char> input;  ///< row 0 is there
  OutputPointer<char> output;
  const RowRange* range = nullptr;  ///< null: all rows, on as many threads as there are
};

}  // namespace skerry
