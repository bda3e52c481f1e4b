// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/diagnostics.hpp"

namespace skerry::cuda {

/// Puts counting functions in front of the table's, real or rehearsed, until stop_counting() was
/// called as often; finds the devices first. Kernels that a GPU launches are no calls of the table;
/// those of rehearsed devices are (`launch_host_kernel`). Other threads may go on meanwhile.
void start_counting();
void stop_counting() noexcept;
/// Each counted call that may wait takes that much longer from now on, as if it had waited.
void slow_waiting_calls(unsigned microseconds) noexcept;

/// At exit: calls of the thread that called this return runtime_unloading from now on, those of
/// other threads never return. The driver goes, and threads that Python left behind work on.
void reject_calls() noexcept;

/// Since the process began: callers compare two of these.
[[nodiscard]] std::vector<CountedCall> counted_calls();

}  // namespace skerry::cuda
