// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

/// A status of CUDA 13.0. Runtime and driver have the same texts under different names.
struct ErrorRow {
  int code;
  const char* runtime_name;  ///< from cudaGetErrorName; null if the runtime has no such status
  const char* driver_name;   ///< from cuGetErrorName; null if the driver has none
  const char* text;
};

/// Returns null for an unknown code.
[[nodiscard]] const ErrorRow* find_error(int code) noexcept;

/// Return what the CUDA runtime returns, also for unknown codes.
[[nodiscard]] const char* error_name(int code) noexcept;
[[nodiscard]] const char* error_string(int code) noexcept;

}  // namespace skerry::rehearsal
