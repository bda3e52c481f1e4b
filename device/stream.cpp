// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/stream.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

[[noreturn]] void throw_no_streams(Device where) {
  throw ValueError("stream: " + to_string(where) +
                   " has one stream only: its work is done when the call returns; choose a CUDA "
                   "device");
}

void require_same_device(const char* op, Device own, Device other, const char* name,
                         const char* remedy) {
  if (own == other) return;
  throw DeviceMismatchError(std::string(op) + ": the event belongs to " + to_string(own) + ", " +
                                name + " to " + to_string(other) + "; " + remedy,
                            {own, other});
}

struct StreamScope {
  Stream inside;
  Stream before;
};

/// Those that were entered and not left. On the heap, made by the first: a thread's own storage is
/// scarce in a module that is loaded late.
std::vector<StreamScope>& scopes_of_thread() {
  thread_local const auto scopes = std::make_unique<std::vector<StreamScope>>();
  return *scopes;
}

}  // namespace

Stream Stream::create(Device where) {
  if (!capabilities_of(where).runs_later) throw_no_streams(where);
  Stream fresh(where);
  fresh.native_ = backend_of(where).streams.create(where);
  return fresh;
}

Stream Stream::from_handle(Device where, void* handle) {
  return from_handle(where, handle, nullptr);
}

Stream Stream::from_handle(Device where, void* handle, std::shared_ptr<void> owner) {
  if (!capabilities_of(where).runs_later) throw_no_streams(where);
  if (handle == nullptr) {
    throw ValueError(
        "stream: handle 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one");
  }
  Stream foreign(where);
  if (handle != foreign.handle()) {
    foreign.native_ = std::shared_ptr<void>(std::move(owner), handle);
  }
  return foreign;
}

void* Stream::handle() const noexcept {
  if (native_ != nullptr) return native_.get();
  return reinterpret_cast<void*>(backend_of(where_).streams.default_handle);
}

void Stream::synchronize() const {
  if (const auto wait = backend_of(where_).streams.synchronize) wait(where_, handle());
}

bool Stream::idle() const {
  const auto ask = backend_of(where_).streams.idle;
  return ask == nullptr || ask(where_, handle());
}

void Stream::wait(const Stream& other) const {
  if (where_.kind != other.where_.kind) return other.synchronize();
  if (*this == other) return;
  const auto order = backend_of(where_).streams.wait;
  if (order != nullptr) order(where_, handle(), other.where_, other.handle());
}

Event::Event(Device where) : where_(where) {
  if (const auto create = backend_of(where).streams.create_event) native_ = create(where);
}

void Event::record(const Stream& on) {
  require_same_device("record", where_, on.where(), "the stream",
                      "record an event on a stream of its own device");
  if (native_ == nullptr) {
    host_time_ = std::chrono::steady_clock::now();
  } else {
    backend_of(where_).streams.record(where_, handle(), on.handle());
  }
  is_recorded_ = true;
}

void Event::wait(const Stream& on) const {
  if (native_ == nullptr) return;
  if (on.where().kind != where_.kind) return synchronize();
  backend_of(where_).streams.wait_for_event(on.where(), on.handle(), where_, handle());
}

void Event::synchronize() const {
  if (native_ != nullptr) backend_of(where_).streams.synchronize_event(where_, handle());
}

bool Event::done() const {
  return native_ == nullptr || backend_of(where_).streams.is_done(where_, handle());
}

void Event::require_recorded(const char* name) const {
  if (!is_recorded_) {
    throw ValueError(std::string("elapsed: ") + name + " of " + to_string(where_) +
                     " was never recorded; call its record() before the work that is to be timed "
                     "ends");
  }
  if (!done()) {
    throw ValueError(std::string("elapsed: ") + name + " of " + to_string(where_) +
                     " is not done: its stream has not come there; wait with its synchronize()");
  }
}

double Event::elapsed(const Event& end) const {
  require_same_device("elapsed", where_, end.where_, "the end",
                      "time work by two events of one device");
  require_recorded("the start");
  end.require_recorded("the end");
  if (native_ == nullptr) {
    return std::chrono::duration<double>(end.host_time_ - host_time_).count();
  }
  return backend_of(where_).streams.elapsed(where_, handle(), end.handle());
}

void synchronize(Device where) {
  require(where);
  if (const auto wait = backend_of(where).streams.synchronize_device) wait(where);
}

Stream current_stream(Device where) {
  const auto find = backend_of(where).streams.current;
  return find != nullptr ? find(where) : Stream(where);
}

void* current_stream_handle(Device where) noexcept {
  const auto find = backend_of(where).streams.current_handle;
  return find != nullptr ? find(where) : nullptr;
}

void set_current_stream(const Stream& to) {
  require(to.where());
  const auto set = backend_of(to.where()).streams.set_current;
  if (set != nullptr) set(to);
}

void enter_stream(const Stream& to) {
  auto& scopes = scopes_of_thread();
  scopes.push_back({to, current_stream(to.where())});
  try {
    set_current_stream(to);
  } catch (...) {
    scopes.pop_back();
    throw;
  }
}

void leave_stream(const Stream& from) {
  auto& scopes = scopes_of_thread();
  // Generators may leave in another order than they entered.
  const auto found = std::find_if(scopes.rbegin(), scopes.rend(),
                                  [&](const auto& each) { return each.inside == from; });
  if (found == scopes.rend()) {
    throw ValueError("stream: this thread is not inside a block of this stream of " +
                     to_string(from.where()) + "; leave it in the thread that entered it");
  }
  const Stream before = found->before;
  scopes.erase(std::next(found).base());
  if (const auto set = backend_of(before.where()).streams.set_current) set(before);
}

}  // namespace skerry
