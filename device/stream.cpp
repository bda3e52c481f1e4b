// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/stream.hpp"

#include <array>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

/// The streams that a thread chose. On the heap, made by the first choice: a thread's own storage
/// is scarce in a module that is loaded late, and the allocator needs what there is for its caches.
struct chosen_streams {
  std::array<stream, cuda::most_devices> streams = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<stream, cuda::most_devices>{
        stream({device_kind::cuda, static_cast<std::int16_t>(I)})...};
  }(std::make_index_sequence<cuda::most_devices>{});
  std::array<void*, cuda::most_devices> handles{};  ///< null for the default stream
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

[[noreturn]] void throw_no_streams(device where) {
  throw value_error("stream: " + to_string(where) +
                    " has one stream only: its work is done when the call returns; choose a CUDA "
                    "device");
}

void require_same_device(device a, device b, const char* what) {
  if (a == b) return;
  throw device_mismatch_error(std::string(what) + ": the event belongs to " + to_string(a) +
                                  ", the stream to " + to_string(b) +
                                  "; record an event on a stream of its own device",
                              {a, b});
}

}  // namespace

stream stream::create(device where) {
  if (where.kind == device_kind::cpu) throw_no_streams(where);
  stream fresh(where);
  fresh.native_ = cuda::use(where).streams->create();
  return fresh;
}

stream stream::from_handle(device where, void* handle) {
  return from_handle(where, handle, nullptr);
}

stream stream::from_handle(device where, void* handle, std::shared_ptr<void> owner) {
  if (where.kind == device_kind::cpu) throw_no_streams(where);
  if (handle == nullptr) {
    throw value_error(
        "stream: handle 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one");
  }
  stream foreign(where);
  if (handle != cuda::legacy_stream) {
    foreign.native_ = std::shared_ptr<void>(std::move(owner), handle);
  }
  return foreign;
}

void* stream::handle() const noexcept {
  if (native_ != nullptr) return native_.get();
  return where_.kind == device_kind::cpu ? nullptr : cuda::legacy_stream;
}

void stream::synchronize() const {
  if (where_.kind == device_kind::cpu) return;
  cuda::device_state& on = cuda::use(where_);
  const std::uint64_t before = on.deferred->next();
  {
    const cuda::device_guard guard(on);
    cuda::check(cuda::calls().stream_synchronize(handle()), on, "synchronize");
  }
  on.deferred->waited(handle(), before);
}

bool stream::idle() const {
  if (where_.kind == device_kind::cpu) return true;
  cuda::device_state& on = cuda::use(where_);
  const cuda::device_guard guard(on);
  return cuda::is_done(cuda::calls().stream_query(handle()), on, "stream");
}

void stream::wait(const stream& other) const {
  if (where_.kind == device_kind::cpu) return other.synchronize();
  if (other.where_.kind == device_kind::cpu || *this == other) return;
  event point(other.where_);
  point.record(other);
  point.wait(*this);
}

event::event(device where) : where_(where) {
  if (where.kind == device_kind::cuda) native_ = cuda::use(where).streams->create_event();
}

void event::record(const stream& on) {
  require_same_device(where_, on.where(), "event");
  if (where_.kind == device_kind::cpu) return;
  cuda::device_state& here = cuda::use(where_);
  const cuda::device_guard guard(here);
  cuda::check(cuda::calls().event_record(handle(), on.handle()), here, "event");
}

void event::wait(const stream& on) const {
  if (where_.kind == device_kind::cpu) return;
  if (on.where().kind == device_kind::cpu) return synchronize();
  cuda::device_state& waiting = cuda::use(on.where());
  const cuda::device_guard guard(waiting);
  cuda::check(cuda::calls().stream_wait_event(on.handle(), handle()), waiting, "event");
}

void event::synchronize() const {
  if (where_.kind == device_kind::cpu) return;
  cuda::device_state& here = cuda::use(where_);
  {
    const cuda::device_guard guard(here);
    cuda::check(cuda::calls().event_synchronize(handle()), here, "event");
  }
  here.deferred->waited(nullptr, 0);
}

bool event::done() const {
  if (where_.kind == device_kind::cpu) return true;
  cuda::device_state& here = cuda::use(where_);
  const cuda::device_guard guard(here);
  return cuda::is_done(cuda::calls().event_query(handle()), here, "event");
}

stream current_stream(device where) {
  if (current_stream_handle(where) == stream(where).handle()) return stream(where);
  return choices_of_thread().streams[static_cast<std::size_t>(where.index)];
}

void* current_stream_handle(device where) noexcept {
  if (where.kind == device_kind::cpu) return nullptr;
  const auto index = static_cast<std::size_t>(where.index);
  if (chosen == nullptr || index >= cuda::most_devices) return cuda::legacy_stream;
  void* const handle = chosen->handles[index];
  return handle != nullptr ? handle : cuda::legacy_stream;
}

void set_current_stream(const stream& to) {
  require(to.where());
  if (to.where().kind == device_kind::cpu) return;
  const auto index = static_cast<std::size_t>(to.where().index);
  chosen_streams& mine = choices_of_thread();
  mine.streams[index] = to;
  mine.handles[index] = to.handle();
}

void synchronize(device where) {
  require(where);
  if (where.kind == device_kind::cpu) return;
  cuda::device_state& on = cuda::use(where);
  const std::uint64_t before = on.deferred->next();
  {
    const cuda::device_guard guard(on);
    cuda::check(cuda::calls().device_synchronize(), on, "synchronize");
  }
  on.deferred->waited_for_all(before);
}

}  // namespace skerry
