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

/// An order of work on one device. A CPU device has one, and its work is done when the call
/// returns. A CUDA device starts with the legacy default stream, so that work is in order with
/// other libraries' default work.
class Stream {
 public:
  /// The legacy default stream of a CUDA device; the only stream of a CPU device.
  explicit Stream(Device device) noexcept : device_(device) {}
  /// A new stream of a CUDA device, which does not wait for the default one. Throws ValueError for
  /// a CPU device.
  [[nodiscard]] static Stream create(Device device);
  /// A foreign cudaStream_t, kept alive by its owner as long as arrays that it worked on live. 1 is
  /// the legacy default stream, 2 the per-thread one; throws ValueError for 0, which is ambiguous,
  /// and for a CPU device.
  [[nodiscard]] static Stream from_handle(Device device, void* handle);
  /// The same, and keeps what owns the stream.
  [[nodiscard]] static Stream from_handle(Device device, void* handle, std::shared_ptr<void> owner);

  [[nodiscard]] Device device() const noexcept { return device_; }
  /// The cudaStream_t; cudaStreamLegacy (1) for the default stream, never 0 for a CUDA device.
  [[nodiscard]] void* handle() const noexcept;
  /// Blocks until all work enqueued so far is done. Throws DeviceError, IndexError found by a
  /// kernel.
  void synchronize() const;
  /// Whether all work enqueued so far is done.
  [[nodiscard]] bool idle() const;
  /// Later work on this stream waits for the work that is on `other` now. Any two CUDA devices.
  void wait(const Stream& other) const;

  friend bool operator==(const Stream& a, const Stream& b) noexcept {
    return a.device_ == b.device_ && a.handle() == b.handle();
  }

 private:
  Device device_;
  std::shared_ptr<void> native_;  ///< null for the default stream
};

/// A point in the work of a stream, and the time at which the device came there. For a CPU device,
/// whose work is done when a call returns, the time of record().
class Event {
 public:
  explicit Event(Device device);
  void record(const Stream& stream);
  /// Later work on `on` waits for the recorded point.
  void wait(const Stream& stream) const;
  void synchronize() const;
  [[nodiscard]] bool done() const;
  /// Seconds from this event to a later one of the same device; negative if that came first. Throws
  /// DeviceMismatchError, ValueError for an event that was not recorded or is not done.
  [[nodiscard]] double elapsed(const Event& end) const;
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] void* handle() const noexcept { return native_.get(); }

 private:
  void require_recorded(const char* name) const;

  Device device_;
  std::shared_ptr<void> native_;
  bool is_recorded_ = false;
  std::chrono::steady_clock::time_point host_time_;  ///< of a CPU device
};

/// The stream that this thread's work on `device` goes to.
[[nodiscard]] Stream current_stream(Device device);
/// Its handle only, without a reference count: for the hot path.
[[nodiscard]] void* current_stream_handle(Device device) noexcept;
void set_current_stream(const Stream& stream);
/// The same for a block of this thread's work: leaving makes the stream current that was so before.
/// Throws ValueError where the thread is in no such block.
void enter_stream(const Stream& stream);
void exit_stream(const Stream& stream);

/// Waits for all work on a device, on all its streams.
void synchronize(Device device);

/// Enqueues `what` on the current stream of `device`; a CPU device runs it before the call returns.
/// `params` is copied if the work runs later. `uses` are the storages that the kernel reads or
/// writes: it runs after the work on them that was enqueued before, on whatever streams, and their
/// memory outlives it. Throws DeviceError, DeviceUnavailableError.
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
