// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Streams and events of CUDA devices, by their handles.

#include <vector>

#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

std::shared_ptr<void> create_stream(device where) { return use(where).streams->create(); }

void synchronize_stream(device where, void* handle) {
  device_state& on = use(where);
  timeline* const work = on.streams->find(handle);
  const std::uint64_t ended = work != nullptr ? work->end_stretch() : 0;
  const std::uint64_t before = on.deferred->next();
  {
    const device_guard guard(on);
    check(call<&api::stream_synchronize>(handle), on, "synchronize");
  }
  if (work != nullptr) work->passed(ended);
  on.deferred->waited(handle, before);
}

bool is_idle(device where, void* handle) {
  device_state& on = use(where);
  const device_guard guard(on);
  return is_done(call<&api::stream_query>(handle), on, "stream");
}

void wait_for_stream(device later, void* handle, device earlier, void* earlier_handle) {
  join(use(later), handle, use(earlier), earlier_handle);
}

void synchronize_device(device where) {
  device_state& on = use(where);
  const std::vector<stream_use> ended = on.streams->end_stretches();
  const std::uint64_t before = on.deferred->next();
  {
    const device_guard guard(on);
    check(call<&api::device_synchronize>(), on, "synchronize");
  }
  for (const stream_use& each : ended) each.by->passed(each.stretch);
  on.deferred->waited_for_all(before);
}

std::shared_ptr<void> create_event(device where) {
  return use(where).streams->create_timed_event();
}

void record_event(device where, void* event, void* handle) {
  device_state& here = use(where);
  const device_guard guard(here);
  check(call<&api::event_record>(event, handle), here, "event");
}

void wait_for_event(device waiting, void* handle, device where, void* event) {
  device_state& on = use(waiting);
  note_source(on, use(where));
  const device_guard guard(on);
  check(call<&api::stream_wait_event>(handle, event), on, "event");
}

void synchronize_event(device where, void* event) {
  device_state& here = use(where);
  {
    const device_guard guard(here);
    check(call<&api::event_synchronize>(event), here, "event");
  }
  here.deferred->waited(nullptr, 0);
}

bool is_event_done(device where, void* event) {
  device_state& here = use(where);
  const device_guard guard(here);
  return is_done(call<&api::event_query>(event), here, "event");
}

double elapsed(device where, void* start, void* end) {
  device_state& here = use(where);
  const device_guard guard(here);
  float milliseconds = 0.0F;
  check(call<&api::event_elapsed>(&milliseconds, start, end), here, "elapsed");
  return static_cast<double>(milliseconds) / 1000.0;
}

}  // namespace skerry::cuda
