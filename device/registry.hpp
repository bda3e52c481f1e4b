// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/errors.hpp"

namespace skerry {

/// CUDA is registered first, after the CPU.
inline constexpr DeviceKind cuda_kind{1};

/// Description of a device.
struct DeviceInfo {
  Device device;
  std::string name;            ///< "AMD EPYC …", "NVIDIA H200", "rehearsal device"
  bool rehearsal = false;      ///< simulated on the host
  int physical_index = 0;      ///< CUDA ordinal; 0 for a CPU
  int compute_capability = 0;  ///< 90 for 9.0; 0 for a CPU
  std::size_t total_bytes = 0;
  std::size_t free_bytes = 0;
  std::string uuid;        ///< empty if unknown
  std::vector<int> peers;  ///< indices of CUDA devices whose memory it can read directly
};

/// Returns the number of devices of a kind, which does not change later. A query for CUDA makes the
/// process's first CUDA call. The number of CPU devices is SKERRY_CPU_DEVICES (default 1).
[[nodiscard]] int device_count(DeviceKind kind) noexcept;
[[nodiscard]] std::vector<Device> devices(std::optional<DeviceKind> kind = std::nullopt);
/// Returns the devices that may have unfinished work: those of used kinds that run later.
[[nodiscard]] std::vector<Device> devices_to_wait_for();

/// Throws DeviceUnavailableError, with reason and remedy, unless `device` exists and is usable in
/// this process. A few instructions for a CPU device.
void require(Device device);

[[nodiscard]] DeviceInfo describe(Device device);
/// Returns only DeviceInfo::physical_index: querying a GPU's free memory would create a context
/// there.
[[nodiscard]] int ordinal_of(Device device);

/// The reason why there is no CUDA device.
struct CudaFailure {
  UnavailableReason reason;
  std::string text;
};
[[nodiscard]] std::optional<CudaFailure> why_no_cuda();

/// True once this process has made any CUDA (or rehearsed CUDA) call.
[[nodiscard]] bool cuda_was_used() noexcept;
/// True if CUDA calls are allowed: false before first use, in a forked child and after shut_down().
[[nodiscard]] bool cuda_is_alive() noexcept;
/// Return the driver and runtime version, as 1000 * major + 10 * minor; 0 if unknown.
[[nodiscard]] int cuda_driver_version() noexcept;
[[nodiscard]] int cuda_runtime_version() noexcept;

/// Called by exit(): afterwards no CUDA call is made and memory is left to the driver. Waits for
/// running rehearsed work. Other threads that are in a CUDA call, or make one, block forever.
void shut_down() noexcept;

}  // namespace skerry
