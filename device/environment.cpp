// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace skerry {

environment_count count_from_environment(const char* variable, int fallback) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return {fallback, {}};
  const std::string_view text = value;
  const int least = fallback == 0 ? 0 : 1;
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size() && number >= least &&
      number <= 64) {
    return {number, {}};
  }
  return {fallback, std::string(variable) + "=" + value + " is not a count of devices; accepted: " +
                        std::to_string(least) + " to 64"};
}

}  // namespace skerry
