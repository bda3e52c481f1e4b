// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace skerry {

namespace detail {
// Hidden visibility: each library of a process has its own copy.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] inline constinit thread_local const char* operation = nullptr;
}  // namespace detail

/// Returns the name of the public function that this thread executes; null if none was set.
[[nodiscard]] inline const char* current_operation() noexcept { return detail::operation; }

/// Sets the operation's name for its lifetime: errors begin with it. Created once per call, by the
/// bindings. Keeps the pointer.
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

/// Returns "operation: text", or just the text if no operation was set.
[[nodiscard]] inline std::string with_operation(const std::string& text) {
  const char* const name = current_operation();
  return name == nullptr ? text : std::string(name) + ": " + text;
}

}  // namespace skerry
