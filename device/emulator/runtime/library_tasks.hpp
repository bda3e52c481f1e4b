// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace skerry::emulation {

// Functions that the emulator exports, besides CUDA's entry points, for its versions of cuBLAS,
// cuFFT and cuSOLVER.

/// Memory that a routine reads or writes.
struct AccessedRange {
  const void* data;
  std::size_t nbytes;
};

/// Enqueues `function` of a library on a stream of the current device. Returns a status. When the
/// task runs, it first checks that the device can access all of `accessed_ranges`; otherwise it
/// sets the device's sticky error, as the library's kernels would, with a report that names
/// `routine`. `listed`, if set, is called after that check and returns further ranges to check. It
/// may read `accessed_ranges`, for example an array of pointers to the further ranges.
[[nodiscard]] __attribute__((visibility("default"))) int enqueue_library_task(
    std::string routine, void* stream, std::vector<AccessedRange> accessed_ranges,
    std::function<void()> function, std::function<std::vector<AccessedRange>()> listed = {});

/// Prints why a library rejects a call: its status is only a number.
__attribute__((visibility("default"))) void report_rejection(const std::string& routine,
                                                             const std::string& why);
/// Returns the text of the last rejection, for tests.
[[nodiscard]] __attribute__((visibility("default"))) std::string last_rejection();

}  // namespace skerry::emulation
