// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace skerry::emulation {

// Functions that the emulator exports, besides CUDA's entry points, for its versions of cuBLAS,
// cuFFT, cuSOLVER and NCCL.

/// How a routine accesses a range. `unspecified` counts as a read in the check for races, and as a
/// write in that for undefined values, so that neither reports an innocent program.
enum class RangeAccess : std::uint8_t { unspecified, read, write, read_write };

/// Memory that a routine reads or writes.
struct AccessedRange {
  const void* data;
  std::size_t nbytes;
  RangeAccess access = RangeAccess::unspecified;
};

/// Enqueues `function` of a library on a stream of the current device. Returns a status. When the
/// task runs, it first checks that the device can access all of `accessed_ranges`; otherwise it
/// sets the device's sticky error, as the library's kernels would, with a report that names
/// `routine`. `listed`, if set, is called after that check and returns further ranges to check. It
/// may read `accessed_ranges`, for example an array of pointers to the further ranges.
[[nodiscard]] __attribute__((visibility("default"))) int enqueue_library_task(
    std::string routine, void* stream, std::vector<AccessedRange> accessed_ranges,
    std::function<void()> function, std::function<std::vector<AccessedRange>()> listed = {});

/// As enqueue_library_task(), for a task that waits for tasks of other devices or processes.
/// Reading undefined memory is an error. If `function` returns false, the device gets a sticky
/// error with the text of the last report_collective().
[[nodiscard]] __attribute__((visibility("default"))) int enqueue_collective_task(
    std::string routine, void* stream, std::vector<AccessedRange> accessed_ranges,
    std::function<bool()> function);
/// Adds a node to the graph of a captured stream. Each launch of the graph calls `launch` with the
/// stream that it is launched on, and ends with its status unless that is 0. Returns a status.
[[nodiscard]] __attribute__((visibility("default"))) int capture_collective_call(
    void* stream, std::function<int(void*)> launch);
/// Returns the device on which the capture of a stream began; -1: not captured by the driver.
[[nodiscard]] __attribute__((visibility("default"))) int capture_device(void* stream) noexcept;
/// Adds an error of a collective call to the reports, and prints it unless quiet.
__attribute__((visibility("default"))) void report_collective(int ordinal, const std::string& text);

/// Prints what a collective call waits for, unless quiet: it is no error yet.
__attribute__((visibility("default"))) void explain_collective(int ordinal,
                                                               const std::string& text);

/// Registers a check of the program's end, called by skerry_emulator_check_end() and _end().
__attribute__((visibility("default"))) void call_at_end(void (*check)());
void call_end_checks();

/// Prints why a library rejects a call: its status is only a number.
__attribute__((visibility("default"))) void report_rejection(const std::string& routine,
                                                             const std::string& why);
/// Returns the text of the last rejection, for tests.
[[nodiscard]] __attribute__((visibility("default"))) std::string last_rejection();

}  // namespace skerry::emulation
