// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace skerry::emulation {

/// Returns the number of interruptions (SIGINT) counted by InterruptionMonitor so far.
[[nodiscard]] std::uint64_t interruptions() noexcept;

/// Counts interruptions while an instance exists, and passes them on to the previous handler. Does
/// nothing if the process ignores SIGINT or has the default action.
class InterruptionMonitor {
 public:
  InterruptionMonitor() noexcept;
  InterruptionMonitor(const InterruptionMonitor&) = delete;
  InterruptionMonitor& operator=(const InterruptionMonitor&) = delete;
  ~InterruptionMonitor();
};

/// True if work that started at count `interruptions_before` has to end: at the second interruption
/// since, or one second after the first, which leaves the program time to end by itself.
[[nodiscard]] bool has_to_end(std::uint64_t interruptions_before,
                              std::chrono::steady_clock::time_point now) noexcept;

}  // namespace skerry::emulation
