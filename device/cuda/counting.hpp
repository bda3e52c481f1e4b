// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/diagnostics.hpp"

namespace skerry::cuda {

/// Finds the devices and switches to a table of functions that count their calls. Calls nest:
/// counting ends with the matching number of stop_counting(). A kernel launch is counted on
/// rehearsed devices only (`launch_host_kernel`), since a launch on a GPU does not use the table.
/// Other threads may make calls meanwhile.
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
