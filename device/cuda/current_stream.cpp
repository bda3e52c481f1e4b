// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The current streams of a thread, one for each CUDA device.

#include <array>
#include <utility>

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/graph.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

/// The streams that a thread chose, on the heap and created by the first choice: static TLS is
/// scarce in a module that is loaded late, and the allocator needs it for its caches.
struct ThreadStreams {
  ThreadStreams() = default;
  ThreadStreams(const ThreadStreams&) = delete;
  ThreadStreams& operator=(const ThreadStreams&) = delete;
  ~ThreadStreams() {
    for (std::size_t i = 0; i < max_devices; ++i) exit_stream(i);
  }
  void exit_stream(std::size_t index) noexcept {
    StreamState* const left = std::exchange(stream_states[index], nullptr);
    if (left != nullptr) left->device_state().streams->exit(*left);
  }

  std::array<Stream, max_devices> streams = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Stream, max_devices>{Stream({kind, static_cast<std::int16_t>(I)})...};
  }(std::make_index_sequence<max_devices>{});
  std::array<StreamState*, max_devices> stream_states{};  ///< null for the default stream
};

/// Null in a thread that never chose a stream, and at the end of a thread.
constinit thread_local ThreadStreams* thread_streams = nullptr;

ThreadStreams& choices_of_thread() {
  struct Owner {
    ~Owner() { delete std::exchange(thread_streams, nullptr); }
  };
  thread_local const Owner at_end;
  static_cast<void>(at_end);
  if (thread_streams == nullptr) thread_streams = new ThreadStreams;
  return *thread_streams;
}

}  // namespace

Stream current_stream(Device device) {
  if (cuda::current_stream_handle(device) == Stream(device).handle()) return Stream(device);
  return choices_of_thread().streams[static_cast<std::size_t>(device.index)];
}

void* current_stream_handle(Device device) noexcept {
  const auto index = static_cast<std::size_t>(device.index);
  if (thread_streams == nullptr || index >= max_devices) return legacy_stream;
  const StreamState* const stream_state = thread_streams->stream_states[index];
  return stream_state != nullptr ? stream_state->handle() : legacy_stream;
}

void set_current_stream(const Stream& stream) {
  reject_in_capture("work on another stream");
  const auto index = static_cast<std::size_t>(stream.device().index);
  ThreadStreams& own_streams = choices_of_thread();
  if (own_streams.stream_states[index] != nullptr && own_streams.streams[index] == stream) {
    own_streams.streams[index] = stream;
    return;
  }
  // Uses look_at(), not usable_state(): leaving the `with` block of a lost device's stream is not
  // an error.
  StreamState& stream_state = look_at(stream.device()).streams->enter(stream.handle());
  own_streams.exit_stream(index);
  own_streams.streams[index] = stream;
  own_streams.stream_states[index] = &stream_state;
}

StreamState& current_stream_state(DeviceState& device_state) noexcept {
  StreamState* const stream_state =
      thread_streams == nullptr
          ? nullptr
          : thread_streams->stream_states[static_cast<std::size_t>(device_state.device.index)];
  return stream_state != nullptr ? *stream_state : device_state.streams->legacy();
}

}  // namespace skerry::cuda
