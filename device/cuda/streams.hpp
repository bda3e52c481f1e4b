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

/// An event that some hold: a point that the host waits for is not recorded anew meanwhile.
struct SharedEvent {
  void* handle = nullptr;
  std::atomic<int> holders{1};
};

/// The streams of a device that work goes to, with their stream_states. Created ones are never
/// destroyed but used again: a cached block, and an array that remembers who used it, may name a
/// stream after its last owner has gone. A foreign stream's timeline is all that is kept.
class StreamSet {
 public:
  explicit StreamSet(DeviceState& device_state)
      : device_state_(device_state), legacy_(device_state, legacy_stream) {}

  /// Comes back to the set with the last reference.
  [[nodiscard]] std::shared_ptr<void> create();
  /// Whether a handle is of this set, and so valid for ever.
  [[nodiscard]] bool owns_handle(void* handle) noexcept;

  /// The timeline of the default stream.
  [[nodiscard]] StreamState& legacy() noexcept { return legacy_; }
  /// A thread's work goes to a stream from now on, until it leaves; threads may do so together.
  [[nodiscard]] StreamState& enter(void* handle);
  void exit(StreamState& entered) noexcept;
  /// The timeline of a stream; null where no work of ours can be on it.
  [[nodiscard]] StreamState* find(void* handle) noexcept;

  /// Begins another stretch on all streams, before a wait of the host for the device; passed_all
  /// follows, with what this returned.
  [[nodiscard]] std::vector<StreamUse> end_epochs();

  /// An event for one holder, used before if there is one. A status; with the device current.
  [[nodiscard]] int take_event(SharedEvent*& event) noexcept;
  /// By each of its holders: with the last one's it is taken for something else.
  void give_event(SharedEvent* event) noexcept;
  /// With timing; lives as long as the last reference.
  [[nodiscard]] std::shared_ptr<void> create_timed_event();

 private:
  /// A stream, where there is work of ours; one of its own, if `is_foreign` is not set.
  struct Member {
    Member(DeviceState& device_state, void* handle, bool foreign)
        : stream_state(device_state, handle), is_foreign(foreign) {}
    StreamState stream_state;
    bool is_foreign;
    int entered = 0;  ///< by how many threads; if foreign
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

/// The timeline of the stream that this thread's work on a device goes to.
[[nodiscard]] StreamState& current_stream_state(DeviceState& device_state) noexcept;

/// Work submitted to a stream from now on comes after what another one holds now. Throws
/// DeviceError.
void join(DeviceState& waiting, void* later, DeviceState& earlier_state, void* earlier);

/// Status of stream_query and event_query as a truth value; throws what check() throws.
[[nodiscard]] bool is_done(int code, DeviceState& device_state, const char* operation);

}  // namespace skerry::cuda
