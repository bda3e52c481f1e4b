// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace skerry {

/// The text of an environment variable; null where it is unset or empty. Text that a variable does
/// not take counts as unset: `import skerry` warns of it (python/skerry/_environment.py).
[[nodiscard]] inline const char* environment_text(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

/// An integer from `min_value` to 64 in an environment variable; `fallback` where it is anything
/// else.
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

/// 0 or 1 in an environment variable; `fallback` where it is anything else.
[[nodiscard]] inline bool flag_from_environment(const char* variable, bool fallback) noexcept {
  const char* value = environment_text(variable);
  if (value == nullptr) return fallback;
  const std::string_view text = value;
  return text == "1" || (text != "0" && fallback);
}

}  // namespace skerry
