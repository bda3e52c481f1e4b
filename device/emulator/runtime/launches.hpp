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

/// A launch as a program asks for it.
struct LaunchRequest {
  Extent grid;
  Extent block;
  std::size_t dynamic_shared_bytes = 0;
  void* stream = nullptr;
  /// A pointer to each parameter; read during the call.
  void** arguments = nullptr;
  /// All blocks run at the same time, so that they can wait for each other.
  bool is_cooperative = false;
  /// None: what the kernel says.
  std::optional<Extent> cluster = {};
};

/// Enqueues a kernel on the current device. A status; what a running kernel does wrong becomes the
/// device's sticky error, with a report on stderr.
[[nodiscard]] int enqueue(const std::shared_ptr<RegisteredKernel>& kernel,
                          const LaunchRequest& request);

/// Does what a launch attribute says. False if the emulated device can't; most change nothing here:
/// one kernel runs at a time, so that a dependent one may as well begin early.
[[nodiscard]] bool apply(const abi::LaunchAttribute& attribute, LaunchRequest& request) noexcept;

/// cudaFuncSetAttribute. A status; throws ImageError.
[[nodiscard]] int set_kernel_attribute(RegisteredKernel& kernel, int attribute, int value);

/// resident_blocks() with what a launch may ask for: 0 where it would be refused, by which CUB
/// finds the largest tile that fits. A status; throws ImageError.
[[nodiscard]] int active_blocks(int* blocks, const RegisteredKernel& kernel, int block_threads,
                                std::size_t dynamic_shared_bytes);

/// How many kernels have run and what they executed, as one line.
[[nodiscard]] std::string statistics_line();

}  // namespace skerry::emulation
