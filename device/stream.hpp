// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "core/device.hpp"
#include "core/memory_use.hpp"
#include "device/backend.hpp"
#include "device/kernel.hpp"

namespace skerry {

/// A queue of work on one device. A CPU device has a single stream, whose work is done when the
/// call returns. The initial current stream of a CUDA device is the legacy default stream, so that
/// work is ordered with that of other libraries on their default stream.
class Stream {
 public:
  /// The legacy default stream of a CUDA device; the only stream of a CPU device.
  explicit Stream(Device device) noexcept : device_(device) {}
  /// Creates a non-blocking stream of a CUDA device: it does not wait for the default stream.
  /// Throws ValueError for a CPU device.
  [[nodiscard]] static Stream create(Device device);
  /// Wraps a foreign cudaStream_t. Its owner must keep it alive while it is a thread's current
  /// stream. Handle 1 is the legacy default stream, 2 the per-thread one. Throws ValueError for 0,
  /// which is ambiguous, and for a CPU device.
  [[nodiscard]] static Stream from_handle(Device device, void* handle);
  /// The same; keeps the stream's owner alive.
  [[nodiscard]] static Stream from_handle(Device device, void* handle, std::shared_ptr<void> owner);

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Returns the cudaStream_t; cudaStreamLegacy (1) for the default stream, never 0 for a CUDA
  /// device.
  [[nodiscard]] void* handle() const noexcept;
  /// Blocks until all work enqueued so far is done. Throws DeviceError, and errors found by
  /// kernels, such as IndexError.
  void synchronize() const;
  /// True if all work enqueued so far is done.
  [[nodiscard]] bool idle() const;
  /// Makes later work on this stream wait for the work on `other` so far. Works between any two
  /// CUDA devices; for a stream of another kind of device the host waits.
  void wait(const Stream& other) const;

  friend bool operator==(const Stream& a, const Stream& b) noexcept {
    return a.device_ == b.device_ && a.handle() == b.handle();
  }

 private:
  Device device_;
  std::shared_ptr<void> native_;  ///< null for the default stream
};

/// A point in a stream's work, and the time at which the device reaches it. On a CPU device, whose
/// work is done when a call returns, that is the time of record().
class Event {
 public:
  explicit Event(Device device);
  void record(const Stream& stream);
  /// Makes later work on `stream` wait for the recorded point.
  void wait(const Stream& stream) const;
  void synchronize() const;
  [[nodiscard]] bool done() const;
  /// Returns the seconds from this event to `end` on the same device; negative if `end` came first.
  /// Throws DeviceMismatchError, and ValueError if an event is not recorded or not done.
  [[nodiscard]] double elapsed(const Event& end) const;
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] void* handle() const noexcept { return native_.get(); }

 private:
  void require_recorded(const char* name) const;

  Device device_;
  std::shared_ptr<void> native_;
  bool is_recorded_ = false;
  std::chrono::steady_clock::time_point host_time_;  ///< time of record() on a CPU device
};

/// Returns this thread's current stream of `device`.
[[nodiscard]] Stream current_stream(Device device);
/// Returns the handle only, without taking a reference: for the fast path.
[[nodiscard]] void* current_stream_handle(Device device) noexcept;
void set_current_stream(const Stream& stream);
/// Enter and leave a `with` block of a stream. exit_stream() restores the previous stream; it
/// throws ValueError if this thread has not entered the stream.
void enter_stream(const Stream& stream);
void exit_stream(const Stream& stream);

/// Blocks until all work on all streams of a device is done.
void synchronize(Device device);

/// Enqueues a kernel on the current stream of `device`; a CPU device runs it before the call
/// returns. `params` is copied if the work runs later. `uses` are the storages that the kernel
/// accesses: it is ordered after earlier work on them on any stream, and their memory outlives it.
/// Throws DeviceError, DeviceUnavailableError.
inline void launch(Device device, const AnyKernel& entry, const void* params,
                   std::size_t params_size, std::span<const MemoryUse> uses) {
  if (is_host(device) && entry.host != nullptr) [[likely]]
    return entry.host(params);
  backend_of(device).launch(device, entry, params, params_size, uses);
}

template <class Params>
void launch(Device device, const AnyKernel& entry, const Params& params,
            std::span<const MemoryUse> uses) {
  static_assert(std::is_trivially_copyable_v<Params>);
  launch(device, entry, &params, sizeof params, uses);
}

}  // namespace skerry
