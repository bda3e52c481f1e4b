// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The streams that a thread's work goes to.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

/// The streams that a thread chose. On the heap, made by the first choice: a thread's own storage
/// is scarce in a module that is loaded late, and the allocator needs what there is for its caches.
struct chosen_streams {
  chosen_streams() = default;
  chosen_streams(const chosen_streams&) = delete;
  chosen_streams& operator=(const chosen_streams&) = delete;
  ~chosen_streams() {
    for (std::size_t i = 0; i < cuda::most_devices; ++i) leave(i);
  }
  void leave(std::size_t index) noexcept {
    cuda::timeline* const left = std::exchange(timelines[index], nullptr);
    if (left != nullptr) left->on().streams->leave(*left);
  }

  std::array<stream, cuda::most_devices> streams = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<stream, cuda::most_devices>{
        stream({device_kind::cuda, static_cast<std::int16_t>(I)})...};
  }(std::make_index_sequence<cuda::most_devices>{});
  std::array<cuda::timeline*, cuda::most_devices> timelines{};  ///< null for the default stream

  struct scope {
    stream inside;
    stream before;
  };
  std::vector<scope> scopes;  ///< that were entered and not left
};

/// Null in a thread that never chose a stream, and after its end.
constinit thread_local chosen_streams* chosen = nullptr;

chosen_streams& choices_of_thread() {
  struct owner {
    ~owner() { delete std::exchange(chosen, nullptr); }
  };
  thread_local const owner at_end;
  static_cast<void>(at_end);
  if (chosen == nullptr) chosen = new chosen_streams;
  return *chosen;
}

}  // namespace

stream current_stream(device where) {
  if (current_stream_handle(where) == stream(where).handle()) return stream(where);
  return choices_of_thread().streams[static_cast<std::size_t>(where.index)];
}

void* current_stream_handle(device where) noexcept {
  if (where.kind == device_kind::cpu) return nullptr;
  const auto index = static_cast<std::size_t>(where.index);
  if (chosen == nullptr || index >= cuda::most_devices) return cuda::legacy_stream;
  const cuda::timeline* const work = chosen->timelines[index];
  return work != nullptr ? work->handle() : cuda::legacy_stream;
}

void set_current_stream(const stream& to) {
  require(to.where());
  if (to.where().kind == device_kind::cpu) return;
  const auto index = static_cast<std::size_t>(to.where().index);
  chosen_streams& mine = choices_of_thread();
  if (mine.timelines[index] != nullptr && mine.streams[index] == to) {
    mine.streams[index] = to;
    return;
  }
  cuda::timeline& work = cuda::use(to.where()).streams->enter(to.handle());
  mine.leave(index);
  mine.streams[index] = to;
  mine.timelines[index] = &work;
}

void enter_stream(const stream& to) {
  auto& scopes = choices_of_thread().scopes;
  scopes.push_back({to, current_stream(to.where())});
  try {
    set_current_stream(to);
  } catch (...) {
    scopes.pop_back();
    throw;
  }
}

void leave_stream(const stream& from) {
  auto& scopes = choices_of_thread().scopes;
  // Generators may leave in another order than they entered.
  const auto found = std::find_if(scopes.rbegin(), scopes.rend(),
                                  [&](const auto& each) { return each.inside == from; });
  if (found == scopes.rend()) {
    throw value_error("stream: this thread is not inside a block of this stream of " +
                      to_string(from.where()) + "; leave it in the thread that entered it");
  }
  const stream before = found->before;
  scopes.erase(std::next(found).base());
  set_current_stream(before);
}

cuda::timeline& cuda::current_timeline(device_state& on) noexcept {
  timeline* const work =
      chosen == nullptr ? nullptr : chosen->timelines[static_cast<std::size_t>(on.where.index)];
  return work != nullptr ? *work : on.streams->legacy();
}

}  // namespace skerry
