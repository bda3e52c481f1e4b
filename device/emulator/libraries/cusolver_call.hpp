// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "device/emulator/libraries/cusolver.hpp"
#include "device/emulator/libraries/routine_call.hpp"

namespace skerry::emulation::cusolver {

class Call : public RoutineCall {
 public:
  Call(std::string routine, const Handle* handle)
      : RoutineCall(std::move(routine), handle,
                    {not_initialized, invalid_value, execution_failed}) {}
};

/// Returns the workspace length that bufferSize reports and calls require. Never zero, and
/// different for most shapes, so that a length for another matrix is usually detected.
[[nodiscard]] constexpr int length_for(std::int64_t m, std::int64_t n) {
  return static_cast<int>(32 + 4 * m + 3 * n);
}

inline int say_length(Call& call, int* length, std::int64_t m, std::int64_t n) {
  call.require(length != nullptr, "null lwork");
  call.require(m >= 0 && n >= 0, "negative extent");
  if (call.status() == success) *length = length_for(m, n);
  return call.status();
}

[[nodiscard]] constexpr bool is_flag(int value) { return value == 0 || value == 1; }

}  // namespace skerry::emulation::cusolver
