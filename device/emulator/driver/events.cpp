// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr unsigned blocking_sync = 1;
constexpr unsigned disable_timing = 2;
constexpr unsigned interprocess = 4;

/// Returns success if both events exist and record times.
int check_times(void* start, void* end) {
  for (void* const event : {start, end}) {
    rehearsal::SimulatedEvent simulated_event;
    if (!rehearsal::System::instance().read_event(event, simulated_event) ||
        !simulated_event.is_timed) {
      return code::invalid_handle;
    }
  }
  return code::success;
}

}  // namespace

int event_create(void** event, unsigned flags) {
  return in_context([&]() -> int {
    if (has_null(event) || (flags & ~(blocking_sync | disable_timing | interprocess)) != 0) {
      return code::invalid_value;
    }
    if ((flags & interprocess) != 0) {
      return (flags & disable_timing) != 0 ? driver_api().event_create_shared(event)
                                           : code::invalid_value;
    }
    return (flags & disable_timing) != 0 ? driver_api().event_create(event)
                                         : driver_api().event_create_timed(event);
  });
}

int event_destroy(void* event) {
  return release_in_context([&] { return driver_api().event_destroy(event); });
}

int event_record(void* event, void* stream) {
  return in_context([&] {
    int status = code::success;
    return capture_record(event, stream, &status) ? status
                                                  : driver_api().event_record(event, stream);
  });
}
int event_record_with_flags(void* event, void* stream, unsigned flags) {
  constexpr unsigned external = 1;  // only affects captured streams
  if ((flags & external) != 0 && is_captured(stream)) {
    return capture(stream, NodeKind::event_record,
                   [event](void* launch_stream) { return event_record(event, launch_stream); });
  }
  return (flags & ~external) == 0 ? event_record(event, stream) : code::invalid_value;
}

int event_query(void* event) {
  return in_context([&] { return driver_api().event_query(event); });
}
int event_synchronize(void* event) {
  return in_context([&] { return driver_api().event_synchronize(event); });
}

int event_elapsed(float* milliseconds, void* start, void* end) {
  return in_context([&]() -> int {
    if (has_null(milliseconds)) return code::invalid_value;
    const int status = check_times(start, end);
    return status != code::success ? status : driver_api().event_elapsed(milliseconds, start, end);
  });
}
int event_elapsed_v1(float* milliseconds, void* start, void* end) {
  return event_elapsed(milliseconds, start, end);
}

}  // namespace skerry::emulation::driver
