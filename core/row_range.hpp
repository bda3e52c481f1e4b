// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry {

/// What the parameters of a kernel that reduces rows begin with, so that who calls it directly can
/// have it reduce some of them: on this thread, each as if all were. Row 0 of the input is there.
struct RowRange {
  const char* input;
  char* output;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;        ///< 0: all of them, on as many threads as there are
  const void* whole = nullptr;  ///< the parameters, where these are not followed by their rest
};

}  // namespace skerry
