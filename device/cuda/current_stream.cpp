// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The streams of CUDA devices that a thread's work goes to.

#include <array>
#include <utility>

#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

/// The streams that a thread chose. On the heap, made by the first choice: a thread's own storage
/// is scarce in a module that is loaded late, and the allocator needs what there is for its caches.
struct ChosenStreams {
  ChosenStreams() = default;
  ChosenStreams(const ChosenStreams&) = delete;
  ChosenStreams& operator=(const ChosenStreams&) = delete;
  ~ChosenStreams() {
    for (std::size_t i = 0; i < most_devices; ++i) leave(i);
  }
  void leave(std::size_t index) noexcept {
    Timeline* const left = std::exchange(timelines[index], nullptr);
    if (left != nullptr) left->on().streams->leave(*left);
  }

  std::array<Stream, most_devices> streams = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Stream, most_devices>{Stream({kind, static_cast<std::int16_t>(I)})...};
  }(std::make_index_sequence<most_devices>{});
  std::array<Timeline*, most_devices> timelines{};  ///< null for the default stream
};

/// Null in a thread that never chose a stream, and after its end.
constinit thread_local ChosenStreams* chosen = nullptr;

ChosenStreams& choices_of_thread() {
  struct Owner {
    ~Owner() { delete std::exchange(chosen, nullptr); }
  };
  thread_local const Owner at_end;
  static_cast<void>(at_end);
  if (chosen == nullptr) chosen = new ChosenStreams;
  return *chosen;
}

}  // namespace

Stream current_stream(Device where) {
  if (cuda::current_stream_handle(where) == Stream(where).handle()) return Stream(where);
  return choices_of_thread().streams[static_cast<std::size_t>(where.index)];
}

void* current_stream_handle(Device where) noexcept {
  const auto index = static_cast<std::size_t>(where.index);
  if (chosen == nullptr || index >= most_devices) return legacy_stream;
  const Timeline* const work = chosen->timelines[index];
  return work != nullptr ? work->handle() : legacy_stream;
}

void set_current_stream(const Stream& to) {
  const auto index = static_cast<std::size_t>(to.where().index);
  ChosenStreams& mine = choices_of_thread();
  if (mine.timelines[index] != nullptr && mine.streams[index] == to) {
    mine.streams[index] = to;
    return;
  }
  // To leave a block of a device that is lost is no error.
  Timeline& work = look_at(to.where()).streams->enter(to.handle());
  mine.leave(index);
  mine.streams[index] = to;
  mine.timelines[index] = &work;
}

Timeline& current_timeline(DeviceState& on) noexcept {
  Timeline* const work =
      chosen == nullptr ? nullptr : chosen->timelines[static_cast<std::size_t>(on.where.index)];
  return work != nullptr ? *work : on.streams->legacy();
}

}  // namespace skerry::cuda
