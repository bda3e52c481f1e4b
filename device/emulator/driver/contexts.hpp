// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::emulation::driver {

// Each device has one primary context with a constant handle. Contexts that programs create are
// aliases of it.

[[nodiscard]] void* primary_context(int ordinal) noexcept;
/// Returns the device of a context, or -1 if there is no such context.
[[nodiscard]] int ordinal_of(const void* context) noexcept;
/// Returns this thread's current context, or null.
[[nodiscard]] void* current_context() noexcept;

}  // namespace skerry::emulation::driver
