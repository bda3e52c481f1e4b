// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace skerry {

namespace detail {
// Hidden: each library of a process has its own.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] inline constinit thread_local const char* operation = nullptr;
}  // namespace detail

/// What this thread was asked for, by the name that its user knows. Null where nobody said.
[[nodiscard]] inline const char* current_operation() noexcept { return detail::operation; }

/// Names the operation while it lives: errors begin with the name. Made once for a call, where the
/// words of its user end: by the bindings, for all that is below them. Keeps the pointer.
class OperationScope {
 public:
  explicit OperationScope(const char* name) noexcept
      : outer_(std::exchange(detail::operation, name)) {}
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;
  ~OperationScope() { detail::operation = outer_; }

 private:
  const char* outer_;
};

/// "operation: text", or the text where nobody said.
[[nodiscard]] inline std::string with_operation(const std::string& text) {
  const char* const name = current_operation();
  return name == nullptr ? text : std::string(name) + ": " + text;
}

}  // namespace skerry
