// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::rehearsal {

// Which device is current on this thread, as CUDA 12 and later have it: the context on top of the
// driver's stack says it, and without any the runtime takes device 0, whose context its first call
// then makes.

[[nodiscard]] int current_ordinal() noexcept;
/// The same, whose context is there from now on.
int use_current_device() noexcept;
/// Whether a context is current on this thread.
[[nodiscard]] bool has_current_device() noexcept;
/// Makes a context, too. `name` is the handle of a context that isn't the device's primary one.
void set_current_device(int ordinal, void* name = nullptr) noexcept;
/// False if the stack is as deep as it may be.
[[nodiscard]] bool push_device(int ordinal, void* name = nullptr) noexcept;
/// What the current context was named; null for a primary one.
[[nodiscard]] void* current_context_name() noexcept;
/// False if the stack is empty.
[[nodiscard]] bool pop_device() noexcept;

}  // namespace skerry::rehearsal
