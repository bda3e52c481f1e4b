// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared_mutex>
#include <span>

#include "device/cuda/api.hpp"

namespace skerry::emulation {

/// Held by all work that changes memory of devices: shared, but by a host kernel that runs twice,
/// which may write bytes between its elements that are not its own.
[[nodiscard]] std::shared_mutex& memory_mutex() noexcept;

/// Runs a kernel in its host form, of which nobody sees what it reads and writes. Where some bits
/// of its operands were never written, it runs twice: with their complement and with them. Written
/// bits are undefined afterwards if the runs differ in them, so that what was only moved past,
/// multiplied by zero or not chosen leaves no trace, and values that depend on them do.
void run_host_kernel(void (*kernel)(const void* params), const void* params,
                     std::span<const cuda::KernelOperand> operands) noexcept;

}  // namespace skerry::emulation
