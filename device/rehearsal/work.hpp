// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <system_error>

#include "device/cuda/api.hpp"
#include "device/rehearsal/current_device.hpp"
#include "device/rehearsal/faults.hpp"
#include "device/rehearsal/system.hpp"

namespace skerry::rehearsal {

/// Runs `body`, which returns a status, as entry point `entry`.
template <class Body>
int enter(Entry entry, Body body) noexcept {
  if (const int code = gate(entry); code != cuda::success) return code;
  try {
    return return_code(body(System::instance()));
  } catch (const std::bad_alloc&) {
    return return_code(cuda::memory_allocation);
  } catch (const std::system_error&) {
    return return_code(cuda::initialization_error);  // the stream's thread could not be started
  }
}

/// Applies the implicit order of the legacy stream: it waits for the blocking streams of its
/// device, and they for it.
void join_default_stream(System& all, Queue& queue);
/// The same for frees and records of events: later work waits, too, but is not ordered
/// (stream_order.hpp). Returns the order of the free or the event.
[[nodiscard]] std::shared_ptr<const stream_clock> wait_for_default_stream(System& all,
                                                                          Queue& queue);

/// Runs `body` as an entry point that submits work to a stream given by its handle; `body` gets the
/// System and the stream.
template <class Body>
int enter_with_work(void* handle, Entry entry, Body body) noexcept {
  return enter(entry, [&](System& all) -> int {
    const auto queue = all.stream(handle);
    if (queue == nullptr) return cuda::invalid_resource_handle;
    join_default_stream(all, *queue);
    return body(all, *queue);
  });
}

/// The same for entry points that submit no work to the stream.
template <class Body>
int enter_on(void* handle, Entry entry, Body body) noexcept {
  return enter(entry, [&](System& all) -> int {
    const auto queue = all.stream(handle);
    return queue == nullptr ? cuda::invalid_resource_handle : body(all, *queue);
  });
}

/// Runs captured work in the order of a stream.
[[nodiscard]] int submit_captured(Queue& queue, std::shared_ptr<CapturedWork> captured_work);
/// Frees `data` in stream order.
[[nodiscard]] int submit_free(System& all, Queue& queue, void* data,
                              std::shared_ptr<const stream_clock> own_clock);
/// Makes later work wait for a point of another stream.
[[nodiscard]] int submit_wait(Queue& queue, const Mark& point);
/// Enqueues a task on a stream whose device is current, as a kernel is launched.
int launch_task(void* handle, std::unique_ptr<Task> task);
/// Records the time when the earlier work has run.
[[nodiscard]] int submit_time(Queue& queue, SimulatedEvent& event);
/// The same two for events that several processes have.
[[nodiscard]] int submit_shared_record(Queue& queue, SimulatedEvent& event);
[[nodiscard]] int submit_shared_wait(System& all, Queue& queue, const SimulatedEvent& event);
/// Returns what a wait for an event orders. The order of work is tracked within a process: if
/// another one has recorded the event, it may have waited for all work that this one has submitted.
[[nodiscard]] OrderPoint recorded_order(System& all, const SimulatedEvent& event);

// Entry points of cuda::Api in work.cpp and stream_calls.cpp.
int copy_async(void* target, const void* source, std::size_t nbytes, cuda::CopyKind kind,
               void* handle);
int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* handle);
int fill_async(void* target, int value, std::size_t nbytes, void* handle);
int launch_host_function(void* handle, void (*function)(void* data), void* data);
int launch_host_kernel(void (*kernel)(const void* params), const void* params,
                       std::size_t params_size, const cuda::KernelOperand* operands,
                       std::size_t operand_count, void* handle);
int stream_create(void** handle);
int stream_create_with(void** handle, const StreamOptions& options);
int stream_destroy(void* handle);
int stream_synchronize(void* handle);
int stream_query(void* handle);
int stream_wait_event(void* handle, void* event);
int stream_is_capturing(void* handle, int* capturing);
int stream_device(void* handle, int* ordinal);
int stream_begin_capture(void* handle);
int stream_end_capture(void* handle, void** graph);
int stream_capture_retain(void* handle, void* data, void (*release)(void* data));
int graph_launch(void* graph, void* handle);
int graph_destroy(void* graph);
int event_create(void** event);
int event_create_timed(void** event);
int event_destroy(void* event);
int event_record(void* event, void* handle);
int event_query(void* event);
int event_synchronize(void* event);
int event_elapsed(float* milliseconds, void* start, void* end);

}  // namespace skerry::rehearsal
