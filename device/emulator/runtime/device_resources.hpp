// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulator/execute/heap.hpp"
#include "device/emulator/execute/printf_output.hpp"

namespace skerry::emulation {

// What kernels of a device have beside the memory that programs allocate, with the limits that
// cuCtxSetLimit sets.

/// What malloc in its kernels takes memory from.
[[nodiscard]] DeviceHeap& heap_of(int ordinal) noexcept;
/// False once a kernel has used it, as on a GPU.
[[nodiscard]] bool set_heap_limit(int ordinal, std::size_t nbytes);

/// For each thread; 0 until it is set: that of the device model.
[[nodiscard]] std::uint32_t stack_limit(int ordinal) noexcept;
void set_stack_limit(int ordinal, std::size_t nbytes) noexcept;

/// What its kernels have printed.
[[nodiscard]] PrintfOutput& printf_output_of(int ordinal) noexcept;
void set_printf_limit(int ordinal, std::size_t nbytes);

/// Shows what kernels have printed, whenever a thread has waited for work, and at exit.
void follow_printf_output();

}  // namespace skerry::emulation
