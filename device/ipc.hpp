// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "core/device.hpp"
#include "core/storage.hpp"

// Memory and events that other processes of the machine open (CUDA IPC). All functions throw
// ValueError for a device without the CUDA array interface, DeviceError and DeviceUnavailableError.

namespace skerry {

/// A handle of the runtime, which another process opens.
using IpcBytes = std::array<unsigned char, 64>;

/// Describes memory that another process opens.
struct IpcMemory {
  IpcBytes bytes{};
  std::size_t offset = 0;  ///< of the memory in its allocation
  std::size_t nbytes = 0;  ///< of the allocation
};

/// Identifies the GPU in all processes. All zero for rehearsed devices.
[[nodiscard]] std::array<unsigned char, 16> device_uuid(Device device);

/// Allocates memory that other processes can open. It is not from the pool, whose memory they
/// can't open, and is not in the device's statistics.
[[nodiscard]] StorageRef allocate_shareable(Device device, std::size_t nbytes);
/// Describes the memory at `data` in `memory`, which must stay alive while another process uses
/// it. Empty if other processes can't open it.
[[nodiscard]] std::optional<IpcMemory> export_memory(Storage& memory, const char* data);
/// Opens an allocation of another process. Empty if it does not exist any more, or belongs to
/// this process. Work on it must wait for that of the other process (IpcEvent).
[[nodiscard]] StorageRef open_memory(Device device, const IpcMemory& description);

/// A point in a stream's work that other processes can wait for.
class IpcEvent {
 public:
  [[nodiscard]] static IpcEvent create(Device device);
  /// Returns an event without handle if there is no such event any more.
  [[nodiscard]] static IpcEvent open(Device device, const IpcBytes& bytes);

  [[nodiscard]] explicit operator bool() const noexcept { return native_ != nullptr; }
  [[nodiscard]] IpcBytes bytes() const;
  /// Records the current point of the current stream.
  void record() const;
  /// Makes later work on the current stream wait for the last record of any process.
  void wait() const;

 private:
  IpcEvent(Device device, std::shared_ptr<void> native) noexcept
      : device_(device), native_(std::move(native)) {}

  Device device_;
  std::shared_ptr<void> native_;
};

}  // namespace skerry
