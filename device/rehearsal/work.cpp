// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/work.hpp"

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "device/rehearsal/captures.hpp"
#include "device/rehearsal/ipc.hpp"

namespace skerry::rehearsal {

namespace {

/// A work item that returns to its queue unless submitted.
class Draft {
 public:
  explicit Draft(Queue& queue) : queue_(queue), item_(queue.prepare()) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (item_ != nullptr) queue_.give_back(item_);
  }
  WorkItem* operator->() const noexcept { return item_; }
  std::uint64_t submit() {
    if (is_captured(queue_)) {
      capture(queue_, item_);
      item_ = nullptr;
      return 0;
    }
    const std::uint64_t ticket = queue_.submit(item_);
    item_ = nullptr;
    return ticket;
  }
  void keep(const void* bytes, std::size_t nbytes) {
    if (nbytes > WorkItem::inline_size) item_->heap.reset(new std::byte[nbytes]);
    if (nbytes > 0) {
      std::memcpy(item_->heap ? item_->heap.get() : item_->bytes, bytes, nbytes);
    }
  }

 private:
  Queue& queue_;
  WorkItem* item_;
};

enum class MemoryKind { device, pinned, pageable, invalid };

/// Returns the kind of the memory `[data, data + nbytes)`, for work that is submitted now, and the
/// device that owns it: -1 for memory of the host. Managed memory counts as pinned.
MemoryKind locate(System& all, const void* data, std::size_t nbytes, int* owner) {
  *owner = all.owner(data);
  if (*owner >= 0) {
    return all.covers(data, nbytes, false) ? MemoryKind::device : MemoryKind::invalid;
  }
  if (all.pinned.contains(data)) {
    *owner = all.pinned.use_of(data).ordinal;
    return all.pinned.covers(data, nbytes) ? MemoryKind::pinned : MemoryKind::invalid;
  }
  return data == nullptr ? MemoryKind::invalid : MemoryKind::pageable;
}

/// Managed memory counts as memory of the host or of a device, as a copy needs it.
bool kind_fits(cuda::CopyKind kind, bool to_device, bool from_device, bool to_managed,
               bool from_managed) {
  const bool to_host = !to_device || to_managed;
  const bool from_host = !from_device || from_managed;
  switch (kind) {
    case cuda::CopyKind::host_to_host:
      return to_host && from_host;
    case cuda::CopyKind::host_to_device:
      return to_device && from_host;
    case cuda::CopyKind::device_to_host:
      return to_host && from_device;
    case cuda::CopyKind::device_to_device:
      return to_device && from_device;
    case cuda::CopyKind::automatic:
      return true;
  }
  return false;
}

/// Checks memory again when the work runs: if another stream has freed it meanwhile, a GPU would
/// fault.
bool still_there(const void* data, std::size_t nbytes, int ordinal) {
  System& all = System::instance();
  if (all.owner(data) < 0 || all.covers(data, nbytes, true)) return true;
  set_sticky_error(ordinal, cuda::illegal_address);
  return false;
}

void run_copy(WorkItem& self, int ordinal) noexcept {
  const void* source = self.source != nullptr ? self.source : self.payload();
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (!still_there(source, self.nbytes, ordinal)) return;
  if (const MemoryMonitor* const monitor = memory_watcher.load()) {
    monitor->copy(self.target, source, self.nbytes);
  } else {
    std::memmove(self.target, source, self.nbytes);
  }
}

void run_fill(WorkItem& self, int ordinal) noexcept {
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (const MemoryMonitor* const monitor = memory_watcher.load()) {
    monitor->fill(self.target, self.value, self.nbytes);
  } else {
    std::memset(self.target, self.value, self.nbytes);
  }
}

void run_free(WorkItem& self, int ordinal) noexcept {
  if (const MemoryMonitor* const monitor = memory_watcher.load()) {
    const MemoryBlock block = System::instance().device(ordinal).memory.find(self.target, true);
    monitor->freed(self.target, block.nbytes);
  }
  if (!System::instance().device(ordinal).memory.reclaim(self.target)) {
    set_sticky_error(ordinal, cuda::illegal_address);
  }
}

/// Waits for a point of another stream; if the work there failed, this device fails too.
void run_wait(WorkItem& self, int ordinal) noexcept {
  self.wait_for.queue->wait(self.wait_for.ticket);
  const int code = self.wait_for.queue->error_of(self.wait_for.ticket);
  if (code == cuda::success) return;
  set_sticky_error(ordinal, code);
  // This device's calls return the error.
  static_cast<void>(returned_error(self.wait_for.queue->ordinal()));
}
void run_time(WorkItem& self, int) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  self.time->store(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
void run_shared_record(WorkItem& self, int) noexcept {
  self.shared_event->end_record(self.record_number);
}
void run_shared_wait(WorkItem& self, int) noexcept { self.shared_event->wait(self.record_number); }
void run_function(WorkItem& self, int) noexcept {
  // Threads that the callback wakes are ordered after earlier work.
  order_observed(self.order);
  self.function(self.target);
}
void run_kernel(WorkItem& self, int) noexcept {
  const LaunchMonitor* const noting = self.note != nullptr ? launch_watcher.load() : nullptr;
  if (noting != nullptr) noting->began(self.note.get());
  if (const MemoryMonitor* const monitor = memory_watcher.load()) {
    monitor->execute_kernel(self.kernel, self.payload(), self.operands);
  } else {
    self.kernel(self.payload());
  }
  if (noting != nullptr) noting->ended();
}
void run_task(WorkItem& self, int ordinal) noexcept {
  const int code = self.task->run(ordinal);
  if (code != cuda::success) set_sticky_error(ordinal, code);
}

/// Orders a copy between two devices in the legacy stream: `submit` runs after the earlier work of
/// the other device too, and before its later work (CUDA Programming Guide, peer-to-peer memory
/// copy).
template <class Submit>
int in_order_of_both(System& all, Queue& queue, int target_owner, int source_owner, Submit submit) {
  const int other = target_owner != queue.ordinal() ? target_owner : source_owner;
  const bool is_between = target_owner >= 0 && source_owner >= 0 && other != queue.ordinal();
  if (!is_between || &queue != all.device(queue.ordinal()).default_queue.get()) return submit();
  Queue& other_queue = *all.device(other).default_queue;
  join_default_stream(all, other_queue);
  int code = submit_wait(queue, other_queue.here());
  if (code == cuda::success) code = submit();
  return code == cuda::success ? submit_wait(other_queue, queue.here()) : code;
}

/// Submits a copy. As in the CUDA runtime, a pageable source may be changed on return, and a copy
/// to pageable memory is complete on return.
int submit_copy(Queue& queue, void* target, const void* source, std::size_t nbytes,
                MemoryKind target_kind, MemoryKind source_kind) {
  // The host would wait for a copy to pageable memory.
  if (target_kind == MemoryKind::pageable && is_captured(queue)) return invalidate_capture(queue);
  Draft item(queue);
  item->action = run_copy;
  item->target = target;
  item->nbytes = nbytes;
  item->source = source;
  if (source_kind == MemoryKind::pageable) {
    item->source = nullptr;
    item.keep(source, nbytes);
  }
  const std::uint64_t ticket = item.submit();
  if (target_kind != MemoryKind::pageable) return cuda::success;
  queue.wait(ticket);
  order_observed(queue.mark_at(ticket).order);
  return returned_error(queue.ordinal());
}

void count_copy(System& all, int target_ordinal, int source_ordinal, std::size_t nbytes) {
  if (target_ordinal == source_ordinal) return;
  if (source_ordinal < 0) {
    all.traffic.host_to_device_bytes.fetch_add(nbytes);
    return;
  }
  if (target_ordinal < 0) {
    all.traffic.device_to_host_bytes.fetch_add(nbytes);
    return;
  }
  all.traffic.device_to_device_bytes.fetch_add(nbytes);
  const bool direct = all.peer_enabled(target_ordinal, source_ordinal) ||
                      all.peer_enabled(source_ordinal, target_ordinal);
  (direct ? all.direct_copies : all.staged_copies).fetch_add(1);
}

/// Makes later work of a queue run after a point, without being ordered.
int submit_unordered_wait(Queue& queue, const Mark& point) {
  if (point.queue->reached(point.ticket)) return point.queue->error_of(point.ticket);
  Draft item(queue);
  item->action = run_wait;
  item->is_the_threads = true;
  item->wait_for = point;
  item.submit();
  return cuda::success;
}

/// Returns the points for which the implicit order of the legacy stream makes new work wait.
std::vector<Mark> implicit_points(System& all, Queue& queue) {
  Queue& legacy = *all.device(queue.ordinal()).default_queue;
  std::vector<Mark> points;
  if (&queue == &legacy) {
    for (const auto& blocking_queue : all.blocking_streams(queue.ordinal()))
      points.push_back(blocking_queue->here());
  } else if (queue.options().is_blocking) {
    points.push_back(legacy.here());
  }
  return points;
}

void run_captured(WorkItem& self, int) noexcept {
  for (const CapturedWork::Step& step : self.captured->steps) {
    if (sticky_error(step.ordinal) != 0) return;
    step.item->action(*step.item, step.ordinal);
  }
}

}  // namespace

int submit_captured(Queue& queue, std::shared_ptr<CapturedWork> captured_work) {
  for (const CapturedWork::Step& step : captured_work->steps) {
    if (step.item->task != nullptr) step.item->task->note_submission();
  }
  Draft item(queue);
  item->action = run_captured;
  item->is_the_threads = captured_work->is_the_threads;
  item->captured = std::move(captured_work);
  item.submit();
  return cuda::success;
}

int submit_free(System& all, Queue& queue, void* data,
                std::shared_ptr<const stream_clock> own_clock) {
  Draft item(queue);
  item->action = run_free;
  item->own_clock = std::move(own_clock);
  item->target = data;
  if (!all.device(queue.ordinal()).memory.retire(data)) return cuda::invalid_value;
  try {
    item.submit();
  } catch (...) {
    all.device(queue.ordinal()).memory.restore(data);
    throw;
  }
  return cuda::success;
}

int submit_wait(Queue& queue, const Mark& point) {
  if (!point.queue || point.queue.get() == &queue) return cuda::success;
  if (is_captured(queue)) return cuda::stream_capture_isolation;
  order_wait(queue.number(), point.order);
  return submit_unordered_wait(queue, point);
}

void join_default_stream(System& all, Queue& queue) {
  for (const Mark& point : implicit_points(all, queue))
    static_cast<void>(submit_wait(queue, point));
}

std::shared_ptr<const stream_clock> wait_for_default_stream(System& all, Queue& queue) {
  std::vector<OrderPoint> orders;
  for (const Mark& point : implicit_points(all, queue)) {
    if (is_captured(queue)) return nullptr;
    static_cast<void>(submit_unordered_wait(queue, point));
    orders.push_back(point.order);
  }
  return joined_clock(orders);
}

int submit_time(Queue& queue, SimulatedEvent& event) {
  Draft item(queue);
  auto time = std::make_shared<std::atomic<std::int64_t>>(0);
  item->action = run_time;
  item->is_immediate = true;
  item->time = time;
  const std::uint64_t ticket = item.submit();
  event.recorded = queue.mark_at(ticket);
  event.time = std::move(time);
  return cuda::success;
}

int submit_shared_record(Queue& queue, SimulatedEvent& event) {
  Draft item(queue);
  item->action = run_shared_record;
  item->is_immediate = true;
  item->shared_event = event.shared;
  event.record_number = event.shared->begin_record();
  item->record_number = event.record_number;
  const std::uint64_t ticket = item.submit();
  event.recorded = queue.mark_at(ticket);
  return cuda::success;
}

OrderPoint recorded_order(System& all, const SimulatedEvent& event) {
  if (event.shared == nullptr || event.record_number == event.shared->last_record())
    return event.recorded.order;
  std::vector<OrderPoint> points;
  for (int ordinal = 0; ordinal < all.count(); ++ordinal) {
    for (const auto& queue : all.streams_of(ordinal)) points.push_back(queue->here().order);
  }
  return order_after(points.front(), joined_clock(points));
}

int submit_shared_wait(System& all, Queue& queue, const SimulatedEvent& event) {
  order_wait(queue.number(), recorded_order(all, event));
  const std::uint64_t number = event.shared->last_record();
  if (event.shared->is_done(number)) return cuda::success;
  Draft item(queue);
  item->action = run_shared_wait;
  item->is_the_threads = true;
  item->shared_event = event.shared;
  item->record_number = number;
  item.submit();
  return cuda::success;
}

int copy_async(void* target, const void* source, std::size_t nbytes, cuda::CopyKind kind,
               void* handle) {
  return enter_with_work(handle, &cuda::Api::copy_async, [&](System& all, Queue& queue) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const MemoryKind target_kind = locate(all, target, nbytes, &to_owner);
    const MemoryKind source_kind = locate(all, source, nbytes, &from_owner);
    if (target_kind == MemoryKind::invalid || source_kind == MemoryKind::invalid)
      return cuda::invalid_value;
    if (!kind_fits(kind, to_owner >= 0, from_owner >= 0, all.pinned.use_of(target).is_managed,
                   all.pinned.use_of(source).is_managed)) {
      return cuda::invalid_value;
    }
    count_copy(all, to_owner, from_owner, nbytes);
    return in_order_of_both(all, queue, to_owner, from_owner, [&] {
      return submit_copy(queue, target, source, nbytes, target_kind, source_kind);
    });
  });
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::Api::copy_peer_async, [&](System& all, Queue& queue) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const MemoryKind target_kind = locate(all, target, nbytes, &to_owner);
    const MemoryKind source_kind = locate(all, source, nbytes, &from_owner);
    if (target_kind == MemoryKind::invalid || source_kind == MemoryKind::invalid)
      return cuda::invalid_value;
    if (to_owner != target_ordinal || from_owner != source_ordinal) return cuda::invalid_value;
    count_copy(all, to_owner, from_owner, nbytes);
    return in_order_of_both(all, queue, to_owner, from_owner, [&] {
      return submit_copy(queue, target, source, nbytes, target_kind, source_kind);
    });
  });
}

int fill_async(void* target, int value, std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::Api::fill_async, [&](System& all, Queue& queue) {
    if (nbytes == 0) return cuda::success;
    int owner = -1;
    const MemoryKind target_kind = locate(all, target, nbytes, &owner);
    if (target_kind != MemoryKind::device && target_kind != MemoryKind::pinned)
      return cuda::invalid_value;
    Draft item(queue);
    item->action = run_fill;
    item->target = target;
    item->value = value;
    item->nbytes = nbytes;
    item.submit();
    return cuda::success;
  });
}

int launch_host_function(void* handle, void (*function)(void*), void* data) {
  return enter_with_work(handle, &cuda::Api::launch_host_function, [&](System&, Queue& queue) {
    Draft item(queue);
    item->action = run_function;
    item->is_the_threads = true;
    item->function = function;
    item->target = data;
    item.submit();
    return cuda::success;
  });
}

int launch_host_kernel(void (*kernel)(const void*), const void* params, std::size_t params_size,
                       const cuda::KernelOperand* operands, std::size_t operand_count,
                       void* handle) {
  return enter(&cuda::Api::launch_host_kernel, [&](System& all) {
    const auto queue = all.stream(handle);
    // A kernel must be launched with its stream's device current.
    if (queue == nullptr || queue->ordinal() != current_ordinal())
      return cuda::invalid_resource_handle;
    join_default_stream(all, *queue);
    Draft item(*queue);
    item->action = run_kernel;
    item->kernel = kernel;
    if (const LaunchMonitor* const monitor = launch_watcher.load())
      item->note = monitor->launched();
    item.keep(params, params_size);
    if (memory_watcher.load() != nullptr) item->operands.assign(operands, operands + operand_count);
    item.submit();
    return cuda::success;
  });
}

int launch_task(void* handle, std::unique_ptr<Task> task) {
  return enter(&cuda::Api::launch_host_kernel, [&](System& all) {
    const auto queue = all.stream(handle);
    if (queue == nullptr || queue->ordinal() != current_ordinal())
      return cuda::invalid_resource_handle;
    join_default_stream(all, *queue);
    Draft item(*queue);
    item->action = run_task;
    item->task = std::move(task);
    item.submit();
    return cuda::success;
  });
}

}  // namespace skerry::rehearsal
