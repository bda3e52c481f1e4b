// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Streams and events of CUDA devices, by their handles.

#include <vector>

#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

std::shared_ptr<void> create_stream(Device where) { return use(where).streams->create(); }

void synchronize_stream(Device where, void* handle) {
  DeviceState& on = use(where);
  Timeline* const work = on.streams->find(handle);
  const std::uint64_t ended = work != nullptr ? work->end_stretch() : 0;
  const std::uint64_t before = on.deferred->next();
  {
    const DeviceGuard guard(on);
    check(call<&Api::stream_synchronize>(handle), on, "synchronize");
  }
  if (work != nullptr) work->passed(ended);
  on.deferred->waited(handle, before);
}

bool is_idle(Device where, void* handle) {
  DeviceState& on = use(where);
  const DeviceGuard guard(on);
  return is_done(call<&Api::stream_query>(handle), on, "stream");
}

void wait_for_stream(Device later, void* handle, Device earlier, void* earlier_handle) {
  join(use(later), handle, use(earlier), earlier_handle);
}

void synchronize_device(Device where) {
  DeviceState& on = use(where);
  const std::vector<StreamUse> ended = on.streams->end_stretches();
  const std::uint64_t before = on.deferred->next();
  {
    const DeviceGuard guard(on);
    check(call<&Api::device_synchronize>(), on, "synchronize");
  }
  for (const StreamUse& each : ended) each.by->passed(each.stretch);
  on.deferred->waited_for_all(before);
}

std::shared_ptr<void> create_event(Device where) {
  return use(where).streams->create_timed_event();
}

void record_event(Device where, void* event, void* handle) {
  DeviceState& here = use(where);
  const DeviceGuard guard(here);
  check(call<&Api::event_record>(event, handle), here, "event");
}

void wait_for_event(Device waiting, void* handle, Device where, void* event) {
  DeviceState& on = use(waiting);
  note_source(on, use(where));
  const DeviceGuard guard(on);
  check(call<&Api::stream_wait_event>(handle, event), on, "event");
}

void synchronize_event(Device where, void* event) {
  DeviceState& here = use(where);
  {
    const DeviceGuard guard(here);
    check(call<&Api::event_synchronize>(event), here, "event");
  }
  here.deferred->waited(nullptr, 0);
}

bool is_event_done(Device where, void* event) {
  DeviceState& here = use(where);
  const DeviceGuard guard(here);
  return is_done(call<&Api::event_query>(event), here, "event");
}

double elapsed(Device where, void* start, void* end) {
  DeviceState& here = use(where);
  const DeviceGuard guard(here);
  float milliseconds = 0.0F;
  check(call<&Api::event_elapsed>(&milliseconds, start, end), here, "elapsed");
  return static_cast<double>(milliseconds) / 1000.0;
}

}  // namespace skerry::cuda
