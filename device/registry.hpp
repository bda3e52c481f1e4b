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

/// The kind that is registered first.
inline constexpr DeviceKind cuda_kind{1};

/// What there is to know of a device.
struct DeviceInfo {
  Device device;
  std::string name;            ///< "AMD EPYC …", "NVIDIA H200", "rehearsal device"
  bool rehearsal = false;      ///< simulated on the host
  int physical_index = 0;      ///< ordinal of the CUDA runtime; of the CPU always 0
  int compute_capability = 0;  ///< 90 for 9.0; 0 for a CPU
  std::size_t total_bytes = 0;
  std::size_t free_bytes = 0;
  std::string uuid;        ///< empty if there is none
  std::vector<int> peers;  ///< indices of cuda devices whose memory it can read directly
};

/// How many devices of a kind there are. Never throws and never raises the count later; asking for
/// cuda makes the first CUDA call of the process. The CPU count comes from SKERRY_CPU_DEVICES
/// (default 1).
[[nodiscard]] int device_count(DeviceKind kind) noexcept;
[[nodiscard]] std::vector<Device> devices(std::optional<DeviceKind> kind = std::nullopt);
/// Those that may have work under way: of the kinds that run later and were used.
[[nodiscard]] std::vector<Device> devices_to_wait_for();

/// Throws DeviceUnavailableError, with the reason and the remedy, unless `device` exists and can
/// be used in this process now. A few instructions for a CPU device.
void require(Device device);

[[nodiscard]] DeviceInfo describe(Device device);
/// `physical_index` of it alone. To ask a GPU for its free memory would make a context there.
[[nodiscard]] int ordinal_of(Device device);

/// Why there is no CUDA device; empty if there is one.
struct CudaFailure {
  UnavailableReason reason;
  std::string text;
};
[[nodiscard]] std::optional<CudaFailure> why_no_cuda();

/// True once this process has made any CUDA (or rehearsed CUDA) call.
[[nodiscard]] bool cuda_was_used() noexcept;
/// Whether CUDA calls can be made: false before first use, in a forked child and after shut_down().
[[nodiscard]] bool cuda_is_alive() noexcept;
/// Driver and runtime version, as 1000 * major + 10 * minor; 0 if unknown.
[[nodiscard]] int cuda_driver_version() noexcept;
[[nodiscard]] int cuda_runtime_version() noexcept;

/// Called by exit(): afterwards no CUDA call is made any more, memory is left to the driver. Waits
/// for rehearsed work that runs. Other threads that are in a CUDA call, or come to one, stay there.
void shut_down() noexcept;

}  // namespace skerry
