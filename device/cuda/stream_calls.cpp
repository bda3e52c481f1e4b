// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Operations on streams and events of CUDA devices, by handle.

#include <vector>

#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/graph.hpp"

namespace skerry::cuda {

std::shared_ptr<void> create_stream(Device device) {
  return usable_state(device).streams->create();
}

void synchronize_stream(Device device, void* handle) {
  DeviceState& device_state = usable_state(device);
  StreamState* const stream_state = device_state.streams->find(handle);
  const std::uint64_t ended = stream_state != nullptr ? stream_state->end_epoch() : 0;
  const std::uint64_t end_number = device_state.deferred->next();
  {
    const DeviceGuard guard(device_state);
    check(call<&Api::stream_synchronize>(handle), device_state, "synchronize");
  }
  if (stream_state != nullptr) stream_state->note_done(ended);
  device_state.deferred->raise_after_wait(handle, end_number);
}

bool is_idle(Device device, void* handle) {
  reject_in_capture("a query of a stream");
  DeviceState& device_state = usable_state(device);
  const DeviceGuard guard(device_state);
  return is_done(call<&Api::stream_query>(handle), device_state, "stream");
}

void wait_for_stream(Device later, void* handle, Device earlier, void* earlier_handle) {
  reject_in_capture("a wait for another stream");
  join(usable_state(later), handle, usable_state(earlier), earlier_handle);
}

void synchronize_device(Device device) {
  DeviceState& device_state = usable_state(device);
  const std::vector<StreamUse> ended = device_state.streams->end_epochs();
  const std::uint64_t end_number = device_state.deferred->next();
  {
    const DeviceGuard guard(device_state);
    check(call<&Api::device_synchronize>(), device_state, "synchronize");
  }
  for (const StreamUse& stream_use : ended) stream_use.stream_state->note_done(stream_use.epoch);
  device_state.deferred->raise_after_device_wait(end_number);
}

std::shared_ptr<void> create_event(Device device) {
  return usable_state(device).streams->create_timed_event();
}

void record_event(Device device, void* event, void* handle) {
  reject_in_capture("an event");
  DeviceState& device_state = usable_state(device);
  const DeviceGuard guard(device_state);
  check(call<&Api::event_record>(event, handle), device_state, "event");
}

void wait_for_event(Device waiting, void* handle, Device event_device, void* event) {
  reject_in_capture("an event");
  DeviceState& device_state = usable_state(waiting);
  note_dependency(device_state, usable_state(event_device));
  const DeviceGuard guard(device_state);
  check(call<&Api::stream_wait_event>(handle, event), device_state, "event");
}

void synchronize_event(Device device, void* event) {
  DeviceState& device_state = usable_state(device);
  {
    const DeviceGuard guard(device_state);
    check(call<&Api::event_synchronize>(event), device_state, "event");
  }
  device_state.deferred->raise_after_wait(nullptr, 0);
}

bool is_event_done(Device device, void* event) {
  DeviceState& device_state = usable_state(device);
  const DeviceGuard guard(device_state);
  return is_done(call<&Api::event_query>(event), device_state, "event");
}

double elapsed(Device device, void* start, void* end) {
  DeviceState& device_state = usable_state(device);
  const DeviceGuard guard(device_state);
  float milliseconds = 0.0F;
  check(call<&Api::event_elapsed>(&milliseconds, start, end), device_state, "elapsed");
  return static_cast<double>(milliseconds) / 1000.0;
}

}  // namespace skerry::cuda
