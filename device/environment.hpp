// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry {

struct environment_count {
  int value;
  std::string problem;  ///< empty if the variable is unset or good
};

/// A count of 1 to 64 (of 0 to 64 if `fallback` is 0) from an environment variable; `fallback` and
/// a text that says what is accepted where it is anything else.
[[nodiscard]] environment_count count_from_environment(const char* variable, int fallback);

}  // namespace skerry
