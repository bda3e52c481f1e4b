// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device.hpp"
#include "core/storage.hpp"

namespace skerry {

/// Makes later work on the legacy default stream of the memory's CUDA device wait for all work of
/// ours in flight on it, and for what the current stream holds, by events: for consumers who work
/// there without asking. Returns the handle of the stream on which the memory is ready then, which
/// is the legacy one (1); but the current one while a graph is captured, which such a wait would
/// break. Throws DeviceError, DeviceUnavailableError.
[[nodiscard]] void* make_ready_on_legacy(Storage& memory);
/// Makes a stream of the memory's CUDA device, which may be a consumer's, wait for the same. Throws
/// DeviceError.
void make_ready_on(Storage& memory, void* stream);
/// Makes this thread's current stream of the memory's device wait for all work of ours in flight on
/// it: for consumers who ask for that stream. Throws DeviceError.
void make_ready_on_current(Storage& memory);
/// Memory of a producer for whom this thread's current stream waits: later uses on other streams
/// wait for that one.
void note_import_on_current(Storage& memory);

enum class PointerKind : std::uint8_t { unknown, host, device, managed };
/// What CUDA knows of an address.
struct PointerInfo {
  PointerKind kind = PointerKind::unknown;
  int ordinal = 0;                   ///< of the CUDA runtime
  void* data = nullptr;              ///< the address for the host, if `kind` is host
  void* allocation = nullptr;        ///< it lies in
  std::size_t allocation_bytes = 0;  ///< 0 if that is not known
};
/// One question to the driver, which leaves no error behind. Throws DeviceUnavailableError if
/// there is no CUDA device at all.
[[nodiscard]] PointerInfo inspect_pointer(const void* data);

/// The CUDA runtime's ordinal of the device that a stream belongs to; negative if there is no such
/// stream. `device` answers for the default streams. A handle that was never one of a stream may
/// not be noticed.
[[nodiscard]] int ordinal_of_stream(Device device, void* handle);

/// Makes a CUDA device the runtime's current one for a scope, as libraries that are asked for an
/// array expect it. Throws DeviceUnavailableError, DeviceError.
class CurrentDevice {
 public:
  explicit CurrentDevice(Device device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  std::shared_ptr<void> scope_;
};

}  // namespace skerry
