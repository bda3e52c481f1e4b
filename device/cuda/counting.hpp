// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/diagnostics.hpp"

namespace skerry::cuda {

/// Replaces the table's functions, real or rehearsed, by counting ones until stop_counting() has
/// been called as often; finds the devices first. Kernels that a GPU launches are not calls of the
/// table; those of rehearsed devices are (`launch_host_kernel`). Other threads may keep calling.
void start_counting();
void stop_counting() noexcept;
/// Delays each counted call that may wait by this much, to simulate waiting.
void slow_waiting_calls(unsigned microseconds) noexcept;

/// For exit: from now on calls of this thread return runtime_unloading, and calls of other threads
/// never return. The driver is being unloaded while threads that Python left behind still run.
void reject_calls() noexcept;

/// Returns the counts since the process began; callers subtract two results.
[[nodiscard]] std::vector<CountedCall> counted_calls();

}  // namespace skerry::cuda
