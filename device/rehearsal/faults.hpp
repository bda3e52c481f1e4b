// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/rehearsal/control.hpp"

namespace skerry::rehearsal {

/// Start of every entry point: counts the call and returns the status that it must fail with, or
/// success. Of the sticky errors, only that of the current device counts.
[[nodiscard]] int gate(Entry entry) noexcept;
/// End of every entry point: records a failure for get_last_error() and returns `code`.
int return_code(int code) noexcept;
[[nodiscard]] int take_last_error() noexcept;
/// Returns the last error without clearing it.
[[nodiscard]] int last_error_here() noexcept;

/// Get and set this thread's last error, whether or not the device has a sticky error. The emulated
/// driver restores it after a call, since driver calls must not change the runtime's last error.
[[nodiscard]] int remembered_error() noexcept;
void remember_error(int code) noexcept;

[[nodiscard]] int sticky_error(int ordinal) noexcept;
/// Returns the sticky error for a call to return, after which the error is no longer unnoticed.
int returned_error(int ordinal) noexcept;
/// True if a device has a sticky error that no call has returned, except calls that free memory.
[[nodiscard]] bool is_unnoticed(int ordinal) noexcept;
/// Makes all later calls on a device fail with `code`. The first error is kept.
void set_sticky_error(int ordinal, int code) noexcept;
/// Clears the sticky errors of all devices, and this thread's last error.
void clear_errors() noexcept;
/// Clears the sticky error of one device.
void clear_error(int ordinal) noexcept;

/// From now on, entry points fail on this thread, which ends the process, and never return on
/// other threads. Called by finish() (control.hpp).
void mark_finished() noexcept;

}  // namespace skerry::rehearsal
