// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Streams, events and host functions, by calls of the simulated runtime.

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/runtime/emulated_system.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/rehearsal/captures.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::emulation::entry_points {

int stream_create(void** stream, unsigned flags) {
  constexpr unsigned non_blocking = 1;
  static_cast<void>(driver_api());
  if ((flags & ~non_blocking) != 0) return rehearsal::return_code(cuda::invalid_value);
  return rehearsal::stream_create_with(stream, {.is_blocking = flags == 0, .priority = 0});
}
int stream_destroy(void* stream) { return driver_api().stream_destroy(stream); }
int stream_synchronize(void* stream) { return driver_api().stream_synchronize(stream); }
int stream_query(void* stream) { return driver_api().stream_query(stream); }
int stream_wait_event(void* stream, void* event, unsigned flags) {
  if (flags != 0) return rehearsal::return_code(cuda::invalid_value);
  return driver_api().stream_wait_event(stream, event);
}
int stream_is_capturing(void* stream, int* status) {
  return rehearsal::return_code(driver::stream_is_capturing(stream, status));
}
int stream_device(void* stream, int* ordinal) {
  return driver_api().stream_device(stream, ordinal);
}

// Captures of the simulated runtime: all work of its streams can be in a graph, also that of
// skerry's arrays and of the driver's calls.
int stream_begin_capture(void* stream, int mode) {
  constexpr int relaxed = 2;
  if (mode < 0 || mode > relaxed) return rehearsal::return_code(cuda::invalid_value);
  return driver_api().stream_begin_capture(stream);
}
int stream_end_capture(void* stream, void** graph) {
  return driver_api().stream_end_capture(stream, graph);
}
int stream_get_capture_info(void* stream, int* status, unsigned long long* id, void** graph,
                            const void** nodes, const void** edges, std::size_t* count) {
  std::uint64_t number = 0;
  const int code =
      driver::stream_get_capture_info(stream, status, &number, graph, nodes, edges, count);
  if (id != nullptr) *id = number;
  return rehearsal::return_code(code);
}
int user_object_create(void** object, void* data, void (*destroy)(void* data), unsigned count,
                       unsigned flags) {
  return rehearsal::return_code(driver::user_object_create(object, data, destroy, count, flags));
}
int user_object_release(void* object, unsigned count) {
  return rehearsal::return_code(driver::user_object_release(object, count));
}
int graph_retain_object(void* graph, void* object, unsigned count, unsigned flags) {
  return rehearsal::return_code(driver::graph_retain_object(graph, object, count, flags));
}
int graph_instantiate(void** executable, void* graph, unsigned long long flags) {
  static_cast<void>(driver_api());
  if (flags != 0) return rehearsal::return_code(cuda::invalid_value);
  return rehearsal::graph_share(executable, graph);
}
int graph_destroy(void* graph) { return driver_api().graph_destroy(graph); }
int graph_launch(void* executable, void* stream) {
  return driver_api().graph_launch(executable, stream);
}
int executable_destroy(void* executable) { return driver_api().graph_destroy(executable); }

int event_create(void** event) { return driver_api().event_create_timed(event); }
int event_create_with_flags(void** event, unsigned flags) {
  constexpr unsigned blocking_sync = 1;
  constexpr unsigned disable_timing = 2;
  constexpr unsigned interprocess = 4;
  if ((flags & ~(blocking_sync | disable_timing | interprocess)) != 0) {
    return rehearsal::return_code(cuda::invalid_value);
  }
  if ((flags & interprocess) != 0) {
    return (flags & disable_timing) != 0 ? driver_api().event_create_shared(event)
                                         : rehearsal::return_code(cuda::invalid_value);
  }
  return (flags & disable_timing) != 0 ? driver_api().event_create(event)
                                       : driver_api().event_create_timed(event);
}
int event_destroy(void* event) { return driver_api().event_destroy(event); }
int event_record(void* event, void* stream) { return driver_api().event_record(event, stream); }
int event_query(void* event) { return driver_api().event_query(event); }
int event_synchronize(void* event) { return driver_api().event_synchronize(event); }
int event_elapsed(float* milliseconds, void* start, void* end) {
  return driver_api().event_elapsed(milliseconds, start, end);
}
int ipc_export_event(cuda::IpcHandle* handle, void* event) {
  return driver_api().ipc_export_event(handle, event);
}
int ipc_open_event(void** event, cuda::IpcHandle handle) {
  return driver_api().ipc_open_event(event, &handle);
}

int launch_host_function(void* stream, void (*function)(void*), void* data) {
  return driver_api().launch_host_function(stream, function, data);
}

}  // namespace skerry::emulation::entry_points
