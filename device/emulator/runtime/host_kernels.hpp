// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared_mutex>
#include <span>

#include "device/cuda/api.hpp"

namespace skerry::emulation {

/// Locked by all work that changes device memory. A host kernel that may run twice locks it
/// exclusively, because before the second run it restores whole operand ranges, including bytes
/// between strided elements; all other work shares it. Host kernels do not lock it if undefined
/// memory is not tracked.
[[nodiscard]] std::shared_mutex& memory_mutex() noexcept;

/// Runs a kernel's host form, whose accesses can't be traced. If some bits of its operands are
/// undefined, it runs twice: with these bits inverted, then as they are. Output bits in which the
/// runs differ become undefined. Thus undefined values that are skipped, not selected or (integers)
/// multiplied by zero have no effect. A dependency is missed if both runs give the same result.
void run_host_kernel(void (*kernel)(const void* params), const void* params,
                     std::span<const cuda::KernelOperand> operands) noexcept;

}  // namespace skerry::emulation
