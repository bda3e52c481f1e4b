// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/work.hpp"

#include <atomic>

#include "device/cuda/rehearsal/control.hpp"

namespace skerry::rehearsal {
namespace {

constinit std::atomic<void*> captured_stream{nullptr};

}  // namespace

int stream_create(void** handle) { return stream_create_with(handle, {}); }

int stream_create_with(void** handle, const StreamOptions& options) {
  return enter(&cuda::Api::stream_create, [&](Machine& all) {
    *handle = all.add_stream(current_ordinal(), options);
    return cuda::success;
  });
}

int stream_destroy(void* handle) {
  return enter(&cuda::Api::stream_destroy, [&](Machine& all) {
    const auto removed = all.remove_stream(handle);
    if (removed == nullptr) return cuda::invalid_resource_handle;
    removed->close();
    return cuda::success;
  });
}

int stream_synchronize(void* handle) {
  return enter_on(handle, &cuda::Api::stream_synchronize, [&](Machine& all, Queue& on) {
    if (!on.options().is_blocking) join_default_stream(all, on);
    on.wait_all();
    return sticky_error(on.ordinal());
  });
}

int stream_query(void* handle) {
  return enter_on(handle, &cuda::Api::stream_query, [&](Machine& all, Queue& on) {
    if (!on.options().is_blocking) join_default_stream(all, on);
    const Mark end = on.here();
    if (!on.reached(end.ticket)) return cuda::not_ready;
    order_seen(end.order);
    return sticky_error(on.ordinal());
  });
}

int stream_wait_event(void* handle, void* event) {
  return enter(&cuda::Api::stream_wait_event, [&](Machine& all) {
    const auto on = all.stream(handle);
    SimulatedEvent point;
    if (on == nullptr || !all.read_event(event, point)) return cuda::invalid_resource_handle;
    return submit_wait(*on, point.recorded);
  });
}

int stream_is_capturing(void* handle, int* capturing) {
  return enter(&cuda::Api::stream_is_capturing, [&](Machine& all) {
    *capturing = handle != nullptr && handle == captured_stream.load() ? 1 : 0;
    return all.stream(handle) != nullptr ? cuda::success : cuda::invalid_resource_handle;
  });
}

int stream_device(void* handle, int* ordinal) {
  return enter_on(handle, &cuda::Api::stream_device, [&](Machine&, Queue& on) {
    *ordinal = on.ordinal();
    return cuda::success;
  });
}

int event_create(void** event) {
  return enter(&cuda::Api::event_create, [&](Machine& all) {
    *event = all.add_event(current_ordinal(), false);
    return cuda::success;
  });
}

int event_create_timed(void** event) {
  return enter(&cuda::Api::event_create_timed, [&](Machine& all) {
    *event = all.add_event(current_ordinal(), true);
    return cuda::success;
  });
}

int event_destroy(void* event) {
  return enter(&cuda::Api::event_destroy, [&](Machine& all) {
    return all.remove_event(event) ? cuda::success : cuda::invalid_resource_handle;
  });
}

int event_record(void* event, void* handle) {
  return enter(&cuda::Api::event_record, [&](Machine& all) {
    const auto on = all.stream(handle);
    SimulatedEvent point;
    if (on == nullptr || !all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.ordinal != on->ordinal()) return cuda::invalid_resource_handle;
    join_default_stream(all, *on);
    if (!point.is_timed) {
      point.recorded = on->here();
    } else if (const int code = submit_time(*on, point); code != cuda::success) {
      return code;
    }
    return all.set_event(event, point) ? cuda::success : cuda::invalid_resource_handle;
  });
}

int event_query(void* event) {
  return enter(&cuda::Api::event_query, [&](Machine& all) {
    SimulatedEvent point;
    if (!all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.recorded.on && !point.recorded.on->reached(point.recorded.ticket)) {
      return cuda::not_ready;
    }
    order_seen(point.recorded.order);
    return sticky_error(point.ordinal);
  });
}

int event_synchronize(void* event) {
  return enter(&cuda::Api::event_synchronize, [&](Machine& all) {
    SimulatedEvent point;
    if (!all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.recorded.on) point.recorded.on->wait(point.recorded.ticket);
    order_seen(point.recorded.order);
    return sticky_error(point.ordinal);
  });
}

int event_elapsed(float* milliseconds, void* start, void* end) {
  return enter(&cuda::Api::event_elapsed, [&](Machine& all) {
    SimulatedEvent from;
    SimulatedEvent to;
    if (!all.read_event(start, from) || !all.read_event(end, to) || from.ordinal != to.ordinal ||
        from.time == nullptr || to.time == nullptr) {
      return cuda::invalid_resource_handle;
    }
    const std::int64_t began = from.time->load();
    const std::int64_t ended = to.time->load();
    if (began == 0 || ended == 0) return cuda::not_ready;
    constexpr float nanoseconds = 1e6F;
    *milliseconds = static_cast<float>(ended - began) / nanoseconds;
    return sticky_error(from.ordinal);
  });
}

void set_captured(void* stream) noexcept { captured_stream.store(stream); }

}  // namespace skerry::rehearsal
