// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace skerry::emulation {

// What stand-ins for NVIDIA's libraries need of the emulator beside CUDA's own entry points.

/// Memory that a routine reads or writes.
struct AccessedRange {
  const void* data;
  std::size_t nbytes;
};

/// Enqueues `function` of a library on a stream whose device is current. When the stream comes
/// there, memory in `accessed_ranges` that the device can't access is the device's sticky error,
/// with a report that names `routine`, as it would be of the library's kernels. A status. `listed`,
/// if there is one, then tells what else is touched: memory whose addresses lie in what was already
/// found to be the device's.
[[nodiscard]] __attribute__((visibility("default"))) int enqueue_library_task(
    std::string routine, void* stream, std::vector<AccessedRange> accessed_ranges,
    std::function<void()> function, std::function<std::vector<AccessedRange>()> listed = {});

/// Tells people what a library refused: it returns a number alone.
__attribute__((visibility("default"))) void report_rejection(const std::string& routine,
                                                             const std::string& why);
/// The last that was refused; for tests.
[[nodiscard]] __attribute__((visibility("default"))) std::string last_rejection();

}  // namespace skerry::emulation
