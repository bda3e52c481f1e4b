// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda/api.hpp"
#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/settings.hpp"

namespace skerry::emulation {

// The emulated devices are those of the simulated runtime (device/rehearsal), with its memory,
// streams, events, errors and planned failures. The emulated CUDA runtime and driver call it
// through one table.

/// Returns the calls of the simulated runtime. The first call starts it, with as many devices as
/// the settings require.
[[nodiscard]] const cuda::Api& driver_api() noexcept;
/// True once the system runs: the runtime starts it at its first call, the driver in cuInit. False
/// in a forked child, where it can't be used, as with CUDA.
[[nodiscard]] bool system_has_started() noexcept;

/// Makes the process end with status 1 if it ends with status 0.
void fail_at_exit() noexcept;

/// Memory that kernels of one device can access: its own, that of peers with access enabled, pinned
/// host memory.
class DeviceMemoryMap final : public MemoryMap {
 public:
  explicit DeviceMemoryMap(int ordinal) noexcept : ordinal_(ordinal) {}
  [[nodiscard]] Allocation find(std::uint64_t address) const override;
  [[nodiscard]] MemoryNear nearest(std::uint64_t address) const override;
  [[nodiscard]] std::byte* undefined_bits(std::uint64_t address) const override;

 private:
  int ordinal_;
};

}  // namespace skerry::emulation
