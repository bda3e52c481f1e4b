// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/rehearsal/control.hpp"

namespace skerry::rehearsal {

/// Start of every entry point: counts the call and returns the status that it must fail with, or
/// success. Sticky errors are those of the current device.
[[nodiscard]] int gate(Entry entry) noexcept;
/// End of every entry point: records a failure for get_last_error() and returns `code`.
int return_code(int code) noexcept;
[[nodiscard]] int take_last_error() noexcept;
/// Returns the last error without clearing it.
[[nodiscard]] int last_error_here() noexcept;

/// Get and set the recorded error without the device's sticky error, for failures outside the
/// runtime.
[[nodiscard]] int remembered_error() noexcept;
void remember_error(int code) noexcept;

[[nodiscard]] int sticky_error(int ordinal) noexcept;
/// Makes all later calls on a device fail with `code`. The first error is kept.
void set_sticky_error(int ordinal, int code) noexcept;
/// Clears the sticky errors of all devices.
void clear_errors() noexcept;
/// The same for one device.
void clear_error(int ordinal) noexcept;

/// Starts the state after finish() (control.hpp); this thread ends the process.
void mark_finished() noexcept;

}  // namespace skerry::rehearsal
