// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

// The current device of this thread, as in CUDA 12 and later: that of the context on top of the
// driver's stack. If the stack is empty the runtime uses device 0, and its first call creates that
// context.

[[nodiscard]] int current_ordinal() noexcept;
/// The same; creates the context if there is none.
int use_current_device() noexcept;
/// True if a context is current on this thread.
[[nodiscard]] bool has_current_device() noexcept;
/// Creates the context if necessary. `name` is the handle of a context that is not the device's
/// primary one.
void set_current_device(int ordinal, void* name = nullptr) noexcept;
/// Returns false if the stack is full.
[[nodiscard]] bool push_device(int ordinal, void* name = nullptr) noexcept;
/// Returns the name of the current context; null for a primary one.
[[nodiscard]] void* current_context_name() noexcept;
/// Returns false if the stack is empty.
[[nodiscard]] bool pop_device() noexcept;

}  // namespace skerry::rehearsal
