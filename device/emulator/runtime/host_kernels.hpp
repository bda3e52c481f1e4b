// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared_mutex>
#include <span>

#include "device/cuda/api.hpp"

namespace skerry::emulation {

/// While undefined memory is tracked, work that changes device memory holds this mutex:
/// run_host_kernel exclusively, because before a second run it restores whole operands, including
/// bytes between strided elements that other work may write; other work shared.
[[nodiscard]] std::shared_mutex& memory_mutex() noexcept;

/// Runs a kernel's host form, whose accesses can't be traced. If some bits of its operands are
/// undefined, it runs twice: with these bits inverted, then as they are. Output bits in which the
/// runs differ become undefined. Thus undefined values that are skipped, not selected or, if they
/// are integers, multiplied by zero have no effect. A dependence is missed if both runs happen to
/// give the same result.
void run_host_kernel(void (*kernel)(const void* params), const void* params,
                     std::span<const cuda::KernelOperand> operands) noexcept;

}  // namespace skerry::emulation
