// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "ops/linear/cuda/emulation/cusolver.hpp"
#include "ops/linear/cuda/emulation/routine_call.hpp"

namespace skerry::emulation::cusolver {

class Call : public RoutineCall {
 public:
  Call(std::string routine, const Handle* on)
      : RoutineCall(std::move(routine), on, {not_initialized, invalid_value, execution_failed}) {}
};

/// What bufferSize says, and calls ask for: never nothing, and another number for each shape, so
/// that a length for other matrices is noticed.
[[nodiscard]] constexpr int length_for(std::int64_t m, std::int64_t n) {
  return static_cast<int>(32 + 4 * m + 3 * n);
}

inline int say_length(Call& of, int* length, std::int64_t m, std::int64_t n) {
  of.require(length != nullptr, "no place for the length");
  of.require(m >= 0 && n >= 0, "an extent below 0");
  if (of.status() == success) *length = length_for(m, n);
  return of.status();
}

[[nodiscard]] constexpr bool is_flag(int value) { return value == 0 || value == 1; }

}  // namespace skerry::emulation::cusolver
