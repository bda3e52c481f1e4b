// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Streams and host functions in stream order.

#include <memory>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/driver/captures.hpp"
#include "device/emulator/driver/contexts.hpp"
#include "device/rehearsal/system.hpp"
#include "device/rehearsal/work.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr unsigned non_blocking = 1;

int create(void** stream, unsigned flags, int priority) {
  if (has_null(stream) || (flags & ~non_blocking) != 0) return code::invalid_value;
  return rehearsal::stream_create_with(stream, {.is_blocking = flags == 0, .priority = priority});
}

/// Calls `body` with the stream's queue. The stream may belong to any device.
template <class Body>
int with_stream(void* stream, Body body) noexcept {
  return in_context([&]() -> int {
    const auto queue = rehearsal::System::instance().stream(stream);
    return queue != nullptr ? body(*queue) : code::invalid_handle;
  });
}

[[nodiscard]] bool is_default(const void* stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

struct CallbackCall {
  void (*function)(void* stream, int status, void* data);
  void* stream;
  int ordinal;
  void* data;
};

void run_callback(void* call) {
  const std::unique_ptr<CallbackCall> callback(static_cast<CallbackCall*>(call));
  callback->function(callback->stream, rehearsal::sticky_error(callback->ordinal), callback->data);
}

}  // namespace

int stream_create(void** stream, unsigned flags) {
  return in_context([&] { return create(stream, flags, 0); });
}
int stream_create_with_priority(void** stream, unsigned flags, int priority) {
  return in_context([&] { return create(stream, flags, priority); });
}

int stream_destroy(void* stream) {
  return release_in_context([&]() -> int {
    // The capture stays valid: cuda.core closes streams that have joined it.
    if (is_captured(stream)) return capture_unsupported;
    return is_default(stream) ? code::invalid_handle : driver_api().stream_destroy(stream);
  });
}

int stream_synchronize(void* stream) {
  return in_context([&] {
    return is_captured(stream) ? invalidate_capture(stream)
                               : driver_api().stream_synchronize(stream);
  });
}
int stream_query(void* stream) {
  return in_context([&] {
    return is_captured(stream) ? invalidate_capture(stream) : driver_api().stream_query(stream);
  });
}

int stream_wait_event(void* stream, void* event, unsigned flags) {
  return in_context([&]() -> int {
    constexpr unsigned external = 1;  // only affects captured streams
    if ((flags & ~external) != 0) return code::invalid_value;
    int status = code::success;
    return capture_wait(stream, event, &status) ? status
                                                : driver_api().stream_wait_event(stream, event);
  });
}

int stream_add_callback(void* stream, void (*callback)(void*, int, void*), void* data,
                        unsigned flags) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (callback == nullptr || flags != 0) return code::invalid_value;
    if (is_captured(stream)) return invalidate_capture(stream);
    auto call = std::make_unique<CallbackCall>(callback, stream, queue.ordinal(), data);
    const int status = driver_api().launch_host_function(stream, run_callback, call.get());
    if (status == code::success) static_cast<void>(call.release());
    return status;
  });
}

int launch_host_function(void* stream, void (*function)(void*), void* data) {
  return in_context([&]() -> int {
    if (function == nullptr) return code::invalid_value;
    return on_stream(stream, NodeKind::host, [function, data](void* launch_stream) {
      return driver_api().launch_host_function(launch_stream, function, data);
    });
  });
}

int stream_get_priority(void* stream, int* priority) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (has_null(priority)) return code::invalid_value;
    *priority = queue.options().priority;
    return code::success;
  });
}

int stream_get_flags(void* stream, unsigned* flags) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (has_null(flags)) return code::invalid_value;
    *flags = is_default(stream) || queue.options().is_blocking ? 0 : non_blocking;
    return code::success;
  });
}

int stream_get_id(void* stream, std::uint64_t* id) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (has_null(id)) return code::invalid_value;
    *id = queue.number();
    return code::success;
  });
}

int stream_get_context(void* stream, void** context) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (has_null(context)) return code::invalid_value;
    *context = is_default(stream) ? current_context() : primary_context(queue.ordinal());
    return code::success;
  });
}

int stream_get_contexts(void* stream, void** context, void** green) {
  if (green != nullptr) *green = nullptr;
  return stream_get_context(stream, context);
}

int stream_get_device(void* stream, int* device) {
  return with_stream(stream, [&](const rehearsal::Queue& queue) -> int {
    if (has_null(device)) return code::invalid_value;
    *device = queue.ordinal();
    return code::success;
  });
}

int thread_exchange_capture_mode(int* mode) {
  return run_entry_point([&]() -> int {
    constinit static thread_local int current = 0;
    constexpr int last_mode = 2;
    if (has_null(mode) || *mode < 0 || *mode > last_mode) return code::invalid_value;
    std::swap(current, *mode);
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
