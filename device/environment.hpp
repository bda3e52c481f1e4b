// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace skerry {

/// Returns the text of an environment variable; null if it is unset or empty. Callers treat invalid
/// values as unset; `import skerry` warns about them (python/skerry/_environment.py).
[[nodiscard]] inline const char* environment_text(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

/// Returns an environment variable as an integer from `min_value` to 64; `fallback` for any other
/// text.
[[nodiscard]] inline int count_from_environment(const char* variable, int min_value,
                                                int fallback) noexcept {
  const char* value = environment_text(variable);
  if (value == nullptr) return fallback;
  const std::string_view text = value;
  int number = 0;
  const auto [end, error_code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error_code == std::errc{} && end == text.data() + text.size();
  return is_number && number >= min_value && number <= 64 ? number : fallback;
}

/// Returns an environment variable as a boolean, 0 or 1; `fallback` for any other text.
[[nodiscard]] inline bool flag_from_environment(const char* variable, bool fallback) noexcept {
  const char* value = environment_text(variable);
  if (value == nullptr) return fallback;
  const std::string_view text = value;
  return text == "1" || (text != "0" && fallback);
}

}  // namespace skerry
