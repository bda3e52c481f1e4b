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
#include "device/host_action.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

[[noreturn]] void throw_no_streams(Device device) {
  throw ValueError(to_string(device) +
                   " has one stream only: its work is done when the call returns; choose a CUDA "
                   "device");
}

void require_same_device(Device event_device, Device other, const char* name, const char* remedy) {
  if (event_device == other) return;
  throw DeviceMismatchError("the event belongs to " + to_string(event_device) + ", " + name +
                                " to " + to_string(other) + "; " + remedy,
                            {event_device, other});
}

struct StreamScope {
  Stream inside;
  Stream previous_stream;
};

/// The scopes that this thread has entered and not left. On the heap, created by the first use:
/// static TLS is scarce in a module that is loaded late.
std::vector<StreamScope>& scopes_of_thread() {
  thread_local const auto scopes = std::make_unique<std::vector<StreamScope>>();
  return *scopes;
}

}  // namespace

Stream Stream::create(Device device) {
  if (!capabilities_of(device).runs_later) throw_no_streams(device);
  Stream stream(device);
  stream.native_ = backend_of(device).streams.create(device);
  return stream;
}

Stream Stream::from_handle(Device device, void* handle) {
  return from_handle(device, handle, nullptr);
}

Stream Stream::from_handle(Device device, void* handle, std::shared_ptr<void> owner) {
  if (!capabilities_of(device).runs_later) throw_no_streams(device);
  if (handle == nullptr) {
    throw ValueError("handle 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one");
  }
  Stream foreign(device);
  if (handle != foreign.handle()) {
    foreign.native_ = std::shared_ptr<void>(std::move(owner), handle);
  }
  return foreign;
}

void* Stream::handle() const noexcept {
  if (native_ != nullptr) return native_.get();
  return reinterpret_cast<void*>(backend_of(device_).streams.default_handle);
}

void Stream::synchronize() const {
  const auto wait = backend_of(device_).streams.synchronize;
  if (wait == nullptr) return;
  const Announcement announcement([&] {
    return HostAction{.cause = "synchronize", .source = device_, .stream = handle(), .waits = true};
  });
  wait(device_, handle());
}

bool Stream::idle() const {
  const auto ask = backend_of(device_).streams.idle;
  return ask == nullptr || ask(device_, handle());
}

void Stream::wait(const Stream& other) const {
  if (device_.kind != other.device_.kind) return other.synchronize();
  if (*this == other) return;
  const auto order = backend_of(device_).streams.wait;
  if (order != nullptr) order(device_, handle(), other.device_, other.handle());
}

Event::Event(Device device) : device_(device) {
  if (const auto create = backend_of(device).streams.create_event) native_ = create(device);
}

void Event::record(const Stream& stream) {
  require_same_device(device_, stream.device(), "the stream",
                      "record an event on a stream of its own device");
  if (native_ == nullptr) {
    host_time_ = std::chrono::steady_clock::now();
  } else {
    backend_of(device_).streams.record(device_, handle(), stream.handle());
  }
  is_recorded_ = true;
}

void Event::wait(const Stream& stream) const {
  if (native_ == nullptr) return;
  if (stream.device().kind != device_.kind) return synchronize();
  backend_of(device_).streams.wait_for_event(stream.device(), stream.handle(), device_, handle());
}

void Event::synchronize() const {
  if (native_ == nullptr) return;
  const Announcement announcement(
      [&] { return HostAction{.cause = "wait for an event", .source = device_, .waits = true}; });
  backend_of(device_).streams.synchronize_event(device_, handle());
}

bool Event::done() const {
  return native_ == nullptr || backend_of(device_).streams.is_done(device_, handle());
}

void Event::require_recorded(const char* name) const {
  if (!is_recorded_) {
    throw ValueError(std::string(name) + " of " + to_string(device_) +
                     " was never recorded; call its record() before the work to be timed ends");
  }
  if (!done()) {
    throw ValueError(std::string(name) + " of " + to_string(device_) +
                     " is not done: its stream has not reached it; call its synchronize() first");
  }
}

double Event::elapsed(const Event& end) const {
  require_same_device(device_, end.device_, "the end", "time work by two events of one device");
  require_recorded("the start");
  end.require_recorded("the end");
  if (native_ == nullptr) {
    return std::chrono::duration<double>(end.host_time_ - host_time_).count();
  }
  return backend_of(device_).streams.elapsed(device_, handle(), end.handle());
}

void synchronize(Device device) {
  require(device);
  const auto wait = backend_of(device).streams.synchronize_device;
  if (wait == nullptr) return;
  const Announcement announcement(
      [&] { return HostAction{.cause = "synchronize", .source = device, .waits = true}; });
  wait(device);
}

Stream current_stream(Device device) {
  const auto find = backend_of(device).streams.current;
  return find != nullptr ? find(device) : Stream(device);
}

void* current_stream_handle(Device device) noexcept {
  const auto find = backend_of(device).streams.current_handle;
  return find != nullptr ? find(device) : nullptr;
}

void set_current_stream(const Stream& stream) {
  require(stream.device());
  const auto set = backend_of(stream.device()).streams.set_current;
  if (set != nullptr) set(stream);
}

void enter_stream(const Stream& stream) {
  auto& scopes = scopes_of_thread();
  scopes.push_back({stream, current_stream(stream.device())});
  try {
    set_current_stream(stream);
  } catch (...) {
    scopes.pop_back();
    throw;
  }
}

void exit_stream(const Stream& stream) {
  auto& scopes = scopes_of_thread();
  // Generators may leave scopes in another order than they entered them.
  const auto scope = std::find_if(scopes.rbegin(), scopes.rend(), [&](const auto& candidate) {
    return candidate.inside == stream;
  });
  if (scope == scopes.rend()) {
    throw ValueError("this thread has not entered this stream of " + to_string(stream.device()) +
                     "; leave the with block on the thread that entered it");
  }
  const Stream previous_stream = scope->previous_stream;
  scopes.erase(std::next(scope).base());
  if (const auto set = backend_of(previous_stream.device()).streams.set_current)
    set(previous_stream);
}

}  // namespace skerry
