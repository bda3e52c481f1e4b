// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::emulation::driver {

// Each device has its primary context, whose handle is the same all the time; those that programs
// make are other names for it.

[[nodiscard]] void* primary_context(int ordinal) noexcept;
/// The device of a context; -1 if there is no such context.
[[nodiscard]] int ordinal_of(const void* context) noexcept;
/// Null if none is current on this thread.
[[nodiscard]] void* current_context() noexcept;

}  // namespace skerry::emulation::driver
