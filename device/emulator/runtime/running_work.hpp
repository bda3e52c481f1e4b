// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace skerry::emulation {

/// Kernels, and routines of libraries but collective calls, of all devices of this process.
struct WorkCounts {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;

  friend bool operator==(const WorkCounts&, const WorkCounts&) = default;
};
[[nodiscard]] __attribute__((visibility("default"))) WorkCounts work_counts() noexcept;

/// Counts a kernel or routine, which runs during the lifetime.
class RunningWork {
 public:
  RunningWork() noexcept;
  RunningWork(const RunningWork&) = delete;
  RunningWork& operator=(const RunningWork&) = delete;
  ~RunningWork();
};

}  // namespace skerry::emulation
