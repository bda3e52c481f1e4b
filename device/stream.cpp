// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/stream.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

[[noreturn]] void throw_no_streams(device where) {
  throw value_error("stream: " + to_string(where) +
                    " has one stream only: its work is done when the call returns; choose a CUDA "
                    "device");
}

void require_same_device(const char* op, device own, device other, const char* name,
                         const char* remedy) {
  if (own == other) return;
  throw device_mismatch_error(std::string(op) + ": the event belongs to " + to_string(own) + ", " +
                                  name + " to " + to_string(other) + "; " + remedy,
                              {own, other});
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
  cuda::timeline* const work = on.streams->find(handle());
  const std::uint64_t ended = work != nullptr ? work->end_stretch() : 0;
  const std::uint64_t before = on.deferred->next();
  {
    const cuda::device_guard guard(on);
    cuda::check(cuda::calls().stream_synchronize(handle()), on, "synchronize");
  }
  if (work != nullptr) work->passed(ended);
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
  cuda::join(cuda::use(where_), handle(), cuda::use(other.where_), other.handle());
}

event::event(device where) : where_(where) {
  if (where.kind == device_kind::cuda) native_ = cuda::use(where).streams->create_timed_event();
}

void event::record(const stream& on) {
  require_same_device("record", where_, on.where(), "the stream",
                      "record an event on a stream of its own device");
  if (where_.kind == device_kind::cpu) {
    host_time_ = std::chrono::steady_clock::now();
  } else {
    cuda::device_state& here = cuda::use(where_);
    const cuda::device_guard guard(here);
    cuda::check(cuda::calls().event_record(handle(), on.handle()), here, "event");
  }
  is_recorded_ = true;
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

void event::require_recorded(const char* name) const {
  if (!is_recorded_) {
    throw value_error(std::string("elapsed: ") + name + " of " + to_string(where_) +
                      " was never recorded; call its record() before the work that is to be timed "
                      "ends");
  }
  if (!done()) {
    throw value_error(std::string("elapsed: ") + name + " of " + to_string(where_) +
                      " is not done: its stream has not come there; wait with its synchronize()");
  }
}

double event::elapsed(const event& end) const {
  require_same_device("elapsed", where_, end.where_, "the end",
                      "time work by two events of one device");
  require_recorded("the start");
  end.require_recorded("the end");
  if (where_.kind == device_kind::cpu) {
    return std::chrono::duration<double>(end.host_time_ - host_time_).count();
  }
  cuda::device_state& here = cuda::use(where_);
  const cuda::device_guard guard(here);
  float milliseconds = 0.0F;
  cuda::check(cuda::calls().event_elapsed(&milliseconds, handle(), end.handle()), here, "elapsed");
  return static_cast<double>(milliseconds) / 1000.0;
}

void synchronize(device where) {
  require(where);
  if (where.kind == device_kind::cpu) return;
  cuda::device_state& on = cuda::use(where);
  const std::vector<cuda::stream_use> ended = on.streams->end_stretches();
  const std::uint64_t before = on.deferred->next();
  {
    const cuda::device_guard guard(on);
    cuda::check(cuda::calls().device_synchronize(), on, "synchronize");
  }
  for (const cuda::stream_use& each : ended) each.by->passed(each.stretch);
  on.deferred->waited_for_all(before);
}

}  // namespace skerry
