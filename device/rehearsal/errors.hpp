// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

/// A status of CUDA 13.0. Its runtime and its driver give the same text, under names of their own.
struct ErrorRow {
  int code;
  const char* runtime_name;  ///< as cudaGetErrorName says it; null: the runtime has no such status
  const char* driver_name;   ///< as cuGetErrorName says it; null: the driver has none
  const char* text;
};

/// Null for a number that is no status.
[[nodiscard]] const ErrorRow* find_error(int code) noexcept;

/// As the runtime says them, also of a number that is no status.
[[nodiscard]] const char* error_name(int code) noexcept;
[[nodiscard]] const char* error_string(int code) noexcept;

}  // namespace skerry::rehearsal
