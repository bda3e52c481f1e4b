// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/work.hpp"

#include <atomic>

#include "device/rehearsal/captures.hpp"
#include "device/rehearsal/control.hpp"
#include "device/rehearsal/ipc.hpp"

namespace skerry::rehearsal {
namespace {

constinit std::atomic<void*> captured_stream{nullptr};

}  // namespace

int stream_create(void** handle) { return stream_create_with(handle, {}); }

int stream_create_with(void** handle, const StreamOptions& options) {
  return enter(&cuda::Api::stream_create, [&](System& all) {
    *handle = all.add_stream(current_ordinal(), options);
    return cuda::success;
  });
}

int stream_destroy(void* handle) {
  return enter(&cuda::Api::stream_destroy, [&](System& all) {
    const auto removed = all.remove_stream(handle);
    if (removed == nullptr) return cuda::invalid_resource_handle;
    removed->close();
    return cuda::success;
  });
}

int stream_synchronize(void* handle) {
  return enter_on(handle, &cuda::Api::stream_synchronize, [&](System& all, Queue& queue) {
    if (is_captured(queue)) return invalidate_capture(queue);
    if (!queue.options().is_blocking) join_default_stream(all, queue);
    queue.wait_all();
    return all.traffic.count_wait(returned_error(queue.ordinal()));
  });
}

int stream_query(void* handle) {
  return enter_on(handle, &cuda::Api::stream_query, [&](System& all, Queue& queue) {
    if (is_captured(queue)) return invalidate_capture(queue);
    if (!queue.options().is_blocking) join_default_stream(all, queue);
    const Mark end = queue.here();
    if (!queue.reached(end.ticket)) return cuda::not_ready;
    order_observed(end.order);
    return returned_error(queue.ordinal());
  });
}

int stream_wait_event(void* handle, void* event) {
  return enter(&cuda::Api::stream_wait_event, [&](System& all) {
    const auto queue = all.stream(handle);
    SimulatedEvent point;
    if (queue == nullptr || !all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (is_captured_event(event)) return capture_wait(queue, event);
    if (point.shared != nullptr) return submit_shared_wait(all, *queue, point);
    return submit_wait(*queue, point.recorded);
  });
}

int stream_is_capturing(void* handle, int* capturing) {
  return enter(&cuda::Api::stream_is_capturing, [&](System& all) {
    const auto queue = all.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    const bool is_marked = handle != nullptr && handle == captured_stream.load();
    *capturing = is_marked || is_captured(*queue) ? 1 : 0;
    return cuda::success;
  });
}

int stream_device(void* handle, int* ordinal) {
  return enter_on(handle, &cuda::Api::stream_device, [&](System&, Queue& queue) {
    *ordinal = queue.ordinal();
    return cuda::success;
  });
}

int event_create(void** event) {
  return enter(&cuda::Api::event_create, [&](System& all) {
    *event = all.add_event(current_ordinal(), false);
    return cuda::success;
  });
}

int event_create_timed(void** event) {
  return enter(&cuda::Api::event_create_timed, [&](System& all) {
    *event = all.add_event(current_ordinal(), true);
    return cuda::success;
  });
}

int event_destroy(void* event) {
  return enter(&cuda::Api::event_destroy, [&](System& all) {
    discard_captured_event(event);
    return all.remove_event(event) ? cuda::success : cuda::invalid_resource_handle;
  });
}

int event_record(void* event, void* handle) {
  return enter(&cuda::Api::event_record, [&](System& all) {
    const auto queue = all.stream(handle);
    SimulatedEvent point;
    if (queue == nullptr || !all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.ordinal != queue->ordinal()) return cuda::invalid_resource_handle;
    if (capture_record(*queue, event)) return cuda::success;
    const auto own_clock = wait_for_default_stream(all, *queue);
    if (point.shared != nullptr) {
      if (const int code = submit_shared_record(*queue, point); code != cuda::success) return code;
    } else if (!point.is_timed) {
      point.recorded = queue->here();
    } else if (const int code = submit_time(*queue, point); code != cuda::success) {
      return code;
    }
    point.recorded.order = order_after(point.recorded.order, own_clock);
    return all.set_event(event, point) ? cuda::success : cuda::invalid_resource_handle;
  });
}

int event_query(void* event) {
  return enter(&cuda::Api::event_query, [&](System& all) {
    SimulatedEvent point;
    if (!all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.shared != nullptr && !point.shared->is_done(point.shared->last_record()))
      return cuda::not_ready;
    if (point.recorded.queue && !point.recorded.queue->reached(point.recorded.ticket)) {
      return cuda::not_ready;
    }
    order_observed(recorded_order(all, point));
    return returned_error(point.ordinal);
  });
}

int event_synchronize(void* event) {
  return enter(&cuda::Api::event_synchronize, [&](System& all) {
    SimulatedEvent point;
    if (!all.read_event(event, point)) return cuda::invalid_resource_handle;
    if (point.recorded.queue) point.recorded.queue->wait(point.recorded.ticket);
    if (point.shared != nullptr) point.shared->wait(point.shared->last_record());
    order_observed(recorded_order(all, point));
    return all.traffic.count_wait(returned_error(point.ordinal));
  });
}

int event_elapsed(float* milliseconds, void* start, void* end) {
  return enter(&cuda::Api::event_elapsed, [&](System& all) {
    SimulatedEvent start_event;
    SimulatedEvent end_event;
    if (!all.read_event(start, start_event) || !all.read_event(end, end_event) ||
        start_event.ordinal != end_event.ordinal || start_event.time == nullptr ||
        end_event.time == nullptr) {
      return cuda::invalid_resource_handle;
    }
    const std::int64_t began = start_event.time->load();
    const std::int64_t ended = end_event.time->load();
    if (began == 0 || ended == 0) return cuda::not_ready;
    constexpr float nanoseconds = 1e6F;
    *milliseconds = static_cast<float>(ended - began) / nanoseconds;
    return returned_error(start_event.ordinal);
  });
}

void set_captured(void* stream) noexcept { captured_stream.store(stream); }

}  // namespace skerry::rehearsal
