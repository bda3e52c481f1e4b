// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/device.hpp"
#include "core/storage.hpp"

namespace skerry {

/// Orders later work on the legacy default stream of the memory's CUDA device after the current
/// stream and after skerry's unfinished work on the memory, by events. For consumers that assume
/// the legacy stream. Returns the stream on which the memory is then ready: the legacy stream (1),
/// or the current one during graph capture, which such a wait would invalidate. Throws DeviceError,
/// DeviceUnavailableError.
[[nodiscard]] void* make_ready_on_legacy(Storage& memory);
/// The same for a given stream of the memory's CUDA device, such as a consumer's. Throws
/// DeviceError.
void make_ready_on(Storage& memory, void* stream);
/// The same for this thread's current stream of that device, for consumers that request it. Throws
/// DeviceError.
void make_ready_on_current(Storage& memory);
/// Marks imported memory as ordered after this thread's current stream, which waits for the
/// producer: later uses on other streams wait for that stream.
void note_import_on_current(Storage& memory);

/// Waits until the host may read and write managed memory: for skerry's work on it, and for all
/// work on this thread's current stream of its device. Throws errors deferred by earlier kernels,
/// DeviceError, and ValueError while the stream is being captured.
void make_ready_on_host(const StorageRef& memory);

enum class PointerKind : std::uint8_t { unknown, host, device, managed };
/// CUDA's attributes of an address.
struct PointerInfo {
  PointerKind kind = PointerKind::unknown;
  int ordinal = 0;                   ///< the CUDA runtime's device number
  void* data = nullptr;              ///< the host's address, if `kind` is host
  void* allocation = nullptr;        ///< start of the allocation that contains it
  std::size_t allocation_bytes = 0;  ///< 0 if unknown
};
/// Returns the attributes of an address. Queries the driver once and leaves no error behind. Throws
/// DeviceUnavailableError if there is no CUDA device.
[[nodiscard]] PointerInfo inspect_pointer(const void* data);

/// Names memory of a CUDA device in reports of kernels, by the dtype and shape of an exported
/// array; null unless the emulated GPU runs kernels.
using ArrayNamer = void (*)(const void* data, std::size_t nbytes, const char* text);
inline constinit std::atomic<ArrayNamer> array_namer{nullptr};
/// The same for new arrays, unless arrays in the same memory are exported.
inline constinit std::atomic<ArrayNamer> new_array_namer{nullptr};

/// Returns the CUDA ordinal of a stream's device; negative if there is no such stream. For a
/// default stream, that of `device`. A handle that was never a stream may go undetected.
[[nodiscard]] int ordinal_of_stream(Device device, void* handle);

/// Makes a CUDA device current for a scope, as other libraries expect when they export an array.
/// Throws DeviceUnavailableError, DeviceError.
class CurrentDevice {
 public:
  explicit CurrentDevice(Device device);
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  std::shared_ptr<void> scope_;
};

}  // namespace skerry
