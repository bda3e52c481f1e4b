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
/// break. Throws device_error, device_unavailable_error.
[[nodiscard]] void* make_ready(storage& memory);
/// Makes a stream of the memory's CUDA device, which may be a consumer's, wait for the same. Throws
/// device_error.
void make_ready_on(storage& memory, void* stream);
/// Makes this thread's current stream of the memory's device wait for all work of ours in flight on
/// it: for consumers who ask for that stream. Throws device_error.
void make_ready_on_current(storage& memory);
/// Memory of a producer for whom this thread's current stream waits: later uses on other streams
/// wait for that one.
void come_after_current(storage& memory);

enum class pointer_kind : std::uint8_t { unknown, host, device, managed };
/// What CUDA knows of an address.
struct pointer_facts {
  pointer_kind kind = pointer_kind::unknown;
  int ordinal = 0;                   ///< of the CUDA runtime
  void* data = nullptr;              ///< the address for the host, if `kind` is host
  void* allocation = nullptr;        ///< it lies in
  std::size_t allocation_bytes = 0;  ///< 0 if that is not known
};
/// One question to the driver, which leaves no error behind. Throws device_unavailable_error if
/// there is no CUDA device at all.
[[nodiscard]] pointer_facts inspect_pointer(const void* data);

/// The CUDA runtime's ordinal of the device that a stream belongs to; negative if there is no such
/// stream. `where` answers for the default streams. A handle that was never one of a stream may not
/// be noticed.
[[nodiscard]] int ordinal_of_stream(device where, void* handle);

/// Makes a CUDA device the runtime's current one for a scope, as libraries that are asked for an
/// array expect it. Throws device_unavailable_error, device_error.
class current_device {
 public:
  explicit current_device(device where);
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  std::shared_ptr<void> scope_;
};

}  // namespace skerry
