// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/emulator/execute/heap.hpp"
#include "device/emulator/execute/printf_output.hpp"

namespace skerry::emulation {

// Resources of a device for its kernels (heap, stack, printf buffer), with the limits that
// cuCtxSetLimit sets.

/// Returns the heap of malloc in kernels.
[[nodiscard]] DeviceHeap& heap_of(int ordinal) noexcept;
/// Sets the heap's size. False, without effect, once a kernel has used the heap, as on a GPU.
[[nodiscard]] bool set_heap_limit(int ordinal, std::size_t nbytes);

/// Returns the stack size per thread in bytes; 0 if not set, which stands for the device model's
/// default.
[[nodiscard]] std::uint32_t stack_limit(int ordinal) noexcept;
void set_stack_limit(int ordinal, std::size_t nbytes) noexcept;

/// Returns the buffer of printf in kernels.
[[nodiscard]] PrintfOutput& printf_output_of(int ordinal) noexcept;
void set_printf_limit(int ordinal, std::size_t nbytes);

/// Flushes printf buffers to stdout whenever a thread has waited for a device, and at exit.
void follow_printf_output();

}  // namespace skerry::emulation
