// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cuda/api.hpp"
#include "device/cuda/stream_state.hpp"

namespace skerry::cuda {

struct DeviceState;

/// A reference-counted event: it is not recorded again while the host waits for it.
struct SharedEvent {
  void* handle = nullptr;
  std::atomic<int> holders{1};
};

/// The streams of a device that have skerry's work, and their states. Streams that the set created
/// are reused, never destroyed: a cached block or an array's record of uses may name a stream whose
/// last owner is gone. For a foreign stream the set keeps only the state.
class StreamSet {
 public:
  explicit StreamSet(DeviceState& device_state)
      : device_state_(device_state), legacy_(device_state, legacy_stream) {}

  /// Creates a stream, which returns to the set with its last reference.
  [[nodiscard]] std::shared_ptr<void> create();
  /// True if the set created this handle, which is then always valid.
  [[nodiscard]] bool owns_handle(void* handle) noexcept;

  /// Returns the state of the legacy default stream.
  [[nodiscard]] StreamState& legacy() noexcept { return legacy_; }
  /// Makes a stream the target of a thread's work until exit(); several threads may enter one
  /// stream.
  [[nodiscard]] StreamState& enter(void* handle);
  void exit(StreamState& entered) noexcept;
  /// Returns a stream's state; null if skerry can't have work on it.
  [[nodiscard]] StreamState* find(void* handle) noexcept;

  /// Begins a new epoch on all streams before the host waits for the device, and returns the ended
  /// ones, to be noted as done afterwards.
  [[nodiscard]] std::vector<StreamUse> end_epochs();

  /// Returns an event with one holder, reused if possible. The result is a status. Requires the
  /// device to be current.
  [[nodiscard]] int take_event(SharedEvent*& event) noexcept;
  /// Releases one holder's reference; after the last one the event is reused.
  void give_event(SharedEvent* event) noexcept;
  /// Creates an event with timing, destroyed with the last reference.
  [[nodiscard]] std::shared_ptr<void> create_timed_event();

 private:
  /// A stream with skerry's work: a foreign one, or one that the set created.
  struct Member {
    Member(DeviceState& device_state, void* handle, bool foreign)
        : stream_state(device_state, handle), is_foreign(foreign) {}
    StreamState stream_state;
    bool is_foreign;
    int entered = 0;  ///< number of threads that entered a foreign stream
  };

  [[nodiscard]] Member* find_member(void* handle) noexcept;
  [[nodiscard]] Member& take_member(void* handle);
  void give_back(void* handle) noexcept;

  DeviceState& device_state_;
  StreamState legacy_;
  std::mutex mutex_;
  std::vector<void*> idle_;
  std::vector<std::unique_ptr<Member>> all_;
  std::mutex events_mutex_;
  std::vector<SharedEvent*> free_events_;
};

/// Returns the state of this thread's current stream of a device.
[[nodiscard]] StreamState& current_stream_state(DeviceState& device_state) noexcept;

/// Orders later work of stream `later` after the work enqueued on `earlier` so far. Throws
/// DeviceError.
void join(DeviceState& waiting, void* later, DeviceState& earlier_state, void* earlier);

/// Converts the status of stream_query or event_query to a boolean; throws what check() throws.
[[nodiscard]] bool is_done(int code, DeviceState& device_state, const char* operation);

}  // namespace skerry::cuda
