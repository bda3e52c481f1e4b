// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/rehearsal/control.hpp"

namespace skerry::rehearsal {

/// Every entry point starts here: counts the call and returns the status that it must fail with, or
/// success. Sticky errors are those of the current device.
[[nodiscard]] int gate(Entry entry) noexcept;
/// Every entry point ends here: remembers a failure for get_last_error, passes `code` on.
int return_code(int code) noexcept;
[[nodiscard]] int take_last_error() noexcept;
/// Leaves it.
[[nodiscard]] int last_error_here() noexcept;

/// The same without the device's sticky error, and what it is from now on: for what fails beside
/// the runtime.
[[nodiscard]] int remembered_error() noexcept;
void remember_error(int code) noexcept;

[[nodiscard]] int sticky_error(int ordinal) noexcept;
/// Work on a device went wrong: all its later calls fail with `code`. The first one stays.
void set_sticky_error(int ordinal, int code) noexcept;
/// Devices with sticky errors work again.
void clear_errors() noexcept;
/// The same of one device.
void clear_error(int ordinal) noexcept;

/// What control.hpp says of calls after finish(), which this thread makes.
void mark_finished() noexcept;

}  // namespace skerry::rehearsal
