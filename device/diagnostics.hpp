// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// What tests and diagnostics ask of CUDA devices, and how tests make rehearsed ones fail.

namespace skerry {

/// Where memory comes from: SKERRY_ALLOCATOR, by its name.
[[nodiscard]] const char* cuda_allocator();

/// One entry point of the CUDA runtime, and how often it was called while calls were counted.
struct CountedCall {
  const char* name;
  bool may_wait;  ///< for work of a device
  std::uint64_t count;
};
/// Counts calls until told off as often as on; finds the devices first.
void count_cuda_calls(bool is_enabled);
/// Since the process began: callers compare two of these.
[[nodiscard]] std::vector<CountedCall> counted_cuda_calls();

/// While calls are counted, those that may wait for a device take so much longer.
void slow_waiting_cuda_calls(unsigned microseconds) noexcept;

/// Makes simulated call number `k` from now on (1: the next one) return `code`; with `sticky`, the
/// device that is current then answers every later call with it. 0 disarms and repairs.
void fail_rehearsed_call(std::uint64_t k, int code, bool sticky) noexcept;
/// Simulated calls since fail_rehearsed_call was last called.
[[nodiscard]] std::uint64_t rehearsed_calls() noexcept;
/// Makes every piece of simulated work wait before it runs.
void delay_rehearsed_work(int min_us, int max_us) noexcept;
/// Simulated GPUs, by ordinal, on which anything has made a context.
[[nodiscard]] std::vector<int> rehearsed_contexts();
/// cudaSetDevice of another library in the process, simulated. A status.
int set_rehearsed_device(int ordinal) noexcept;
/// Makes a simulated stream count as being captured into a graph; null for none.
void capture_rehearsed_stream(void* handle) noexcept;

}  // namespace skerry
