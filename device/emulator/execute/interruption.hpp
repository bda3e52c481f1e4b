// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace skerry::emulation {

/// How often the process was interrupted (SIGINT) while somebody watched.
[[nodiscard]] std::uint64_t interruptions() noexcept;

/// While one is alive, interruptions are counted, and then go to whom they went before. A process
/// that ignores them, or is ended by them, is left as it is.
class InterruptionMonitor {
 public:
  InterruptionMonitor() noexcept;
  InterruptionMonitor(const InterruptionMonitor&) = delete;
  InterruptionMonitor& operator=(const InterruptionMonitor&) = delete;
  ~InterruptionMonitor();
};

/// Whether work that began when there were `interruptions_before` interruptions has to end: a
/// second after the first one, in which it may end by itself, or at the second one.
[[nodiscard]] bool has_to_end(std::uint64_t interruptions_before,
                              std::chrono::steady_clock::time_point now) noexcept;

}  // namespace skerry::emulation
