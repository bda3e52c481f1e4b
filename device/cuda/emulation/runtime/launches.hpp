// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "device/cuda/emulation/execute/launch.hpp"
#include "device/cuda/emulation/runtime/images.hpp"

namespace skerry::emulation {

/// A launch as a program asks for it.
struct launch_request {
  extent grid;
  extent block;
  std::size_t dynamic_shared_bytes = 0;
  void* stream = nullptr;
  /// A pointer to each parameter; read during the call.
  void** arguments = nullptr;
};

/// Enqueues a kernel on the current device. A status; what a running kernel does wrong becomes the
/// device's sticky error, with a report on stderr.
[[nodiscard]] int enqueue(const std::shared_ptr<registered_kernel>& what,
                          const launch_request& request);

/// Blocks of a kernel that one multiprocessor holds at a time; 0 if not even one fits.
[[nodiscard]] int resident_blocks(const kernel_attributes& of, int block_threads,
                                  std::size_t dynamic_shared_bytes, const device_model& device);

/// Says on stderr what went wrong on a device.
void report(int ordinal, const failure& what);
/// The report of the last kernel that failed; empty if none has.
[[nodiscard]] std::string last_report();

/// How many kernels have run and what they executed, as one line.
[[nodiscard]] std::string statistics_line();

}  // namespace skerry::emulation
