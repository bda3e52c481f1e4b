// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/abi.hpp"
#include "device/emulator/runtime/images.hpp"
#include "device/emulator/runtime/reports.hpp"

namespace skerry::emulation {

/// A launch as requested by a program.
struct LaunchRequest {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
  void* stream = nullptr;
  /// A pointer to each parameter; read during the call.
  void** arguments = nullptr;
  /// True if all blocks must be resident at the same time, so that they can wait for each other.
  bool is_cooperative = false;
  /// Overrides the kernel's cluster dimensions.
  std::optional<Extent> cluster = {};
};

/// Enqueues a kernel on the current device. Returns a status. A failure of the running kernel
/// becomes the device's sticky error, with a report on stderr.
[[nodiscard]] int enqueue(const std::shared_ptr<RegisteredKernel>& kernel,
                          const LaunchRequest& request);

/// Applies a launch attribute. False if it is not supported. Most have no effect, such as
/// programmatic dependent launch: kernels run one at a time.
[[nodiscard]] bool apply(const abi::LaunchAttribute& attribute, LaunchRequest& request) noexcept;

/// Implements cudaFuncSetAttribute. Returns a status; throws ImageError.
[[nodiscard]] int set_kernel_attribute(RegisteredKernel& kernel, int attribute, int value);

/// Counts the resident blocks per multiprocessor; 0 if a launch would be rejected. CUB relies on
/// the 0 to find the largest tile that fits. Returns a status; throws ImageError.
[[nodiscard]] int active_blocks(int* blocks, const RegisteredKernel& kernel, int block_threads,
                                std::size_t dynamic_shared_bytes);

/// Returns counts of launches and instructions as one line.
[[nodiscard]] std::string statistics_line();

}  // namespace skerry::emulation
