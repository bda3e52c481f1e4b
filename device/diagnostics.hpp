// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// Queries of CUDA devices for tests and diagnostics, and fault injection for rehearsed devices.

namespace skerry {

/// Returns the name of the allocator (SKERRY_ALLOCATOR).
[[nodiscard]] const char* cuda_allocator();

/// An entry point of the CUDA runtime and the number of its counted calls.
struct CountedCall {
  const char* name;
  bool may_wait;  ///< the call may wait for a device's work
  std::uint64_t count;
};
/// Starts or stops counting calls; pairs of start and stop nest. Finds the devices first.
void count_cuda_calls(bool is_enabled);
/// Returns the counts since the process began; callers subtract two results.
[[nodiscard]] std::vector<CountedCall> counted_cuda_calls();

/// Delays calls that may wait for a device by this much, while calls are counted.
void slow_waiting_cuda_calls(unsigned microseconds) noexcept;

/// Makes the k-th simulated call from now on (1: the next one) return `code`; with `sticky`, the
/// device that is current then returns it from every later call. 0 cancels the failure and clears
/// sticky errors.
void fail_rehearsed_call(std::uint64_t k, int code, bool sticky) noexcept;
/// Returns the number of simulated calls since the last fail_rehearsed_call().
[[nodiscard]] std::uint64_t rehearsed_calls() noexcept;
/// What the simulated devices have copied and waited for since start, by their own count; zeros
/// before the first use and on emulated GPUs.
struct RehearsedTraffic {
  std::uint64_t host_to_device_bytes = 0;
  std::uint64_t device_to_host_bytes = 0;
  std::uint64_t device_to_device_bytes = 0;
  std::uint64_t waits = 0;
};
[[nodiscard]] RehearsedTraffic rehearsed_traffic() noexcept;
/// Delays each simulated work item before it runs.
void delay_rehearsed_work(int min_us, int max_us) noexcept;
/// Returns the ordinals of simulated GPUs that have a context.
[[nodiscard]] std::vector<int> rehearsed_contexts();
/// Simulates cudaSetDevice of another library in the process. Returns a status.
int set_rehearsed_device(int ordinal) noexcept;
/// Makes a simulated stream count as being captured into a graph; null for none.
void capture_rehearsed_stream(void* handle) noexcept;
/// Capture the work of a simulated stream and launch it, as another library does. Return a status.
int begin_rehearsed_capture(void* stream) noexcept;
int end_rehearsed_capture(void* stream, void** graph) noexcept;
int launch_rehearsed_graph(void* graph, void* stream) noexcept;
int destroy_rehearsed_graph(void* graph) noexcept;

}  // namespace skerry
