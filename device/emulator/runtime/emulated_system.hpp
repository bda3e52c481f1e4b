// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda/api.hpp"
#include "device/emulator/execute/launch.hpp"
#include "device/emulator/runtime/settings.hpp"

namespace skerry::emulation {

// The emulated devices are those of the simulated runtime, device/rehearsal: its memory,
// streams, events, errors and planned failures. What stands on top of it, CUDA's runtime here,
// reaches all of them by one table.

/// The simulated runtime with as many devices as the settings say.
[[nodiscard]] const cuda::Api& driver_api() noexcept;
/// Whether anything has called it: the runtime starts with its first call, the driver when it is
/// told to. Not in a forked child of who called it: as CUDA, it can't be used there.
[[nodiscard]] bool system_has_started() noexcept;

/// The memory that kernels of one device can access: its own, that of peers which it was given
/// access to, pinned memory of the host.
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
