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

/// What bufferSize says, and calls ask for: never nothing, and another number for each shape, so
/// that a length for other matrices is noticed.
[[nodiscard]] constexpr int length_for(std::int64_t m, std::int64_t n) {
  return static_cast<int>(32 + 4 * m + 3 * n);
}

inline int say_length(Call& call, int* length, std::int64_t m, std::int64_t n) {
  call.require(length != nullptr, "no place for the length");
  call.require(m >= 0 && n >= 0, "an extent below 0");
  if (call.status() == success) *length = length_for(m, n);
  return call.status();
}

[[nodiscard]] constexpr bool is_flag(int value) { return value == 0 || value == 1; }

}  // namespace skerry::emulation::cusolver
