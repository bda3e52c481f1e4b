// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/work.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace skerry::rehearsal {

namespace {

/// An item that goes back to its queue unless it was submitted.
class Draft {
 public:
  explicit Draft(Queue& on) : on_(on), item_(on.prepare()) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (item_ != nullptr) on_.give_back(item_);
  }
  Work* operator->() const noexcept { return item_; }
  std::uint64_t submit() {
    const std::uint64_t ticket = on_.submit(item_);
    item_ = nullptr;
    return ticket;
  }
  void keep(const void* bytes, std::size_t nbytes) {
    if (nbytes > Work::inline_size) item_->heap.reset(new std::byte[nbytes]);
    if (nbytes > 0) {
      std::memcpy(item_->heap ? item_->heap.get() : item_->bytes, bytes, nbytes);
    }
  }

 private:
  Queue& on_;
  Work* item_;
};

enum class Place { device, pinned, pageable, invalid };

/// Where `nbytes` at `data` lie, judged by what may be used by new work.
Place locate(Machine& all, const void* data, std::size_t nbytes, int* owner) {
  *owner = all.owner(data);
  if (*owner >= 0) {
    return all.covers(data, nbytes, false) ? Place::device : Place::invalid;
  }
  if (all.pinned.contains(data)) {
    return all.pinned.covers(data, nbytes) ? Place::pinned : Place::invalid;
  }
  return data == nullptr ? Place::invalid : Place::pageable;
}

bool kind_fits(cuda::CopyKind kind, bool to_device, bool from_device) {
  switch (kind) {
    case cuda::CopyKind::host_to_host:
      return !to_device && !from_device;
    case cuda::CopyKind::host_to_device:
      return to_device && !from_device;
    case cuda::CopyKind::device_to_host:
      return !to_device && from_device;
    case cuda::CopyKind::device_to_device:
      return to_device && from_device;
    case cuda::CopyKind::automatic:
      return true;
  }
  return false;
}

/// Looks again when the work runs: memory that was freed meanwhile on another stream is what a GPU
/// would fault on.
bool still_there(const void* data, std::size_t nbytes, int ordinal) {
  Machine& all = Machine::instance();
  if (all.owner(data) < 0 || all.covers(data, nbytes, true)) return true;
  set_sticky_error(ordinal, cuda::illegal_address);
  return false;
}

void run_copy(Work& self, int ordinal) noexcept {
  const void* source = self.source != nullptr ? self.source : self.payload();
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (!still_there(source, self.nbytes, ordinal)) return;
  if (const MemoryWatch* const watch = memory_watcher.load()) {
    watch->copy(self.target, source, self.nbytes);
  } else {
    std::memmove(self.target, source, self.nbytes);
  }
}

void run_fill(Work& self, int ordinal) noexcept {
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (const MemoryWatch* const watch = memory_watcher.load()) {
    watch->fill(self.target, self.value, self.nbytes);
  } else {
    std::memset(self.target, self.value, self.nbytes);
  }
}

void run_free(Work& self, int ordinal) noexcept {
  if (const MemoryWatch* const watch = memory_watcher.load()) {
    const MemoryBlock found = Machine::instance().at(ordinal).memory.find(self.target, true);
    watch->freed(self.target, found.nbytes);
  }
  if (!Machine::instance().at(ordinal).memory.reclaim(self.target)) {
    set_sticky_error(ordinal, cuda::illegal_address);
  }
}

/// What waits for lost work of another device is lost, too.
void run_wait(Work& self, int ordinal) noexcept {
  self.wait_for.on->wait(self.wait_for.ticket);
  const int code = self.wait_for.on->error_of(self.wait_for.ticket);
  if (code != cuda::success) set_sticky_error(ordinal, code);
}
void run_time(Work& self, int) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  self.time->store(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
void run_function(Work& self, int) noexcept {
  // Whom it wakes knows what is before it.
  order_seen(self.order);
  self.function(self.target);
}
void run_kernel(Work& self, int) noexcept {
  const LaunchWatch* const noting = self.note != nullptr ? launch_watcher.load() : nullptr;
  if (noting != nullptr) noting->began(self.note.get());
  if (const MemoryWatch* const watch = memory_watcher.load()) {
    watch->run(self.kernel, self.payload(), self.operands);
  } else {
    self.kernel(self.payload());
  }
  if (noting != nullptr) noting->ended();
}
void run_task(Work& self, int ordinal) noexcept {
  const int code = self.job->run(ordinal);
  if (code != cuda::success) set_sticky_error(ordinal, code);
}

/// Copies from pageable memory leave the source free to change; copies to it have arrived on
/// return: as the CUDA runtime does.
int submit_copy(Queue& on, void* target, const void* source, std::size_t nbytes, Place to,
                Place from) {
  Draft item(on);
  item->run = run_copy;
  item->target = target;
  item->nbytes = nbytes;
  item->source = source;
  if (from == Place::pageable) {
    item->source = nullptr;
    item.keep(source, nbytes);
  }
  const std::uint64_t ticket = item.submit();
  if (to != Place::pageable) return cuda::success;
  on.wait(ticket);
  order_seen(on.at(ticket).order);
  return sticky_error(on.ordinal());
}

void count_copy(Machine& all, int to, int from) {
  if (to < 0 || from < 0 || to == from) return;
  const bool direct = all.peer_enabled(to, from) || all.peer_enabled(from, to);
  (direct ? all.direct_copies : all.staged_copies).fetch_add(1);
}

}  // namespace

int submit_free(Machine& all, Queue& on, void* data) {
  Draft item(on);
  item->run = run_free;
  item->target = data;
  if (!all.at(on.ordinal()).memory.retire(data)) return cuda::invalid_value;
  try {
    item.submit();
  } catch (...) {
    all.at(on.ordinal()).memory.restore(data);
    throw;
  }
  return cuda::success;
}

int submit_wait(Queue& on, const Mark& point) {
  if (!point.on || point.on.get() == &on) return cuda::success;
  order_wait(on.number(), point.order);
  if (point.on->reached(point.ticket)) return point.on->error_of(point.ticket);
  Draft item(on);
  item->run = run_wait;
  item->is_the_threads = true;
  item->wait_for = point;
  item.submit();
  return cuda::success;
}

void join_default_stream(Machine& all, Queue& on) {
  Queue& legacy = *all.at(on.ordinal()).default_queue;
  if (&on == &legacy) {
    for (const auto& each : all.blocking_streams(on.ordinal())) {
      static_cast<void>(submit_wait(on, each->here()));
    }
  } else if (on.options().is_blocking) {
    static_cast<void>(submit_wait(on, legacy.here()));
  }
}

int submit_time(Queue& on, SimulatedEvent& into) {
  Draft item(on);
  auto time = std::make_shared<std::atomic<std::int64_t>>(0);
  item->run = run_time;
  item->is_immediate = true;
  item->time = time;
  const std::uint64_t ticket = item.submit();
  into.recorded = on.at(ticket);
  into.time = std::move(time);
  return cuda::success;
}

int copy_async(void* target, const void* source, std::size_t nbytes, cuda::CopyKind kind,
               void* handle) {
  return enter_with_work(handle, &cuda::Api::copy_async, [&](Machine& all, Queue& on) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const Place to = locate(all, target, nbytes, &to_owner);
    const Place from = locate(all, source, nbytes, &from_owner);
    if (to == Place::invalid || from == Place::invalid) return cuda::invalid_value;
    if (!kind_fits(kind, to_owner >= 0, from_owner >= 0)) return cuda::invalid_value;
    count_copy(all, to_owner, from_owner);
    return submit_copy(on, target, source, nbytes, to, from);
  });
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::Api::copy_peer_async, [&](Machine& all, Queue& on) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const Place to = locate(all, target, nbytes, &to_owner);
    const Place from = locate(all, source, nbytes, &from_owner);
    if (to != Place::device || from != Place::device) return cuda::invalid_value;
    if (to_owner != target_ordinal || from_owner != source_ordinal) return cuda::invalid_value;
    count_copy(all, to_owner, from_owner);
    return submit_copy(on, target, source, nbytes, to, from);
  });
}

int fill_async(void* target, int value, std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::Api::fill_async, [&](Machine& all, Queue& on) {
    if (nbytes == 0) return cuda::success;
    int owner = -1;
    const Place to = locate(all, target, nbytes, &owner);
    if (to != Place::device && to != Place::pinned) return cuda::invalid_value;
    Draft item(on);
    item->run = run_fill;
    item->target = target;
    item->value = value;
    item->nbytes = nbytes;
    item.submit();
    return cuda::success;
  });
}

int launch_host_function(void* handle, void (*function)(void*), void* data) {
  return enter_with_work(handle, &cuda::Api::launch_host_function, [&](Machine&, Queue& on) {
    Draft item(on);
    item->run = run_function;
    item->is_the_threads = true;
    item->function = function;
    item->target = data;
    item.submit();
    return cuda::success;
  });
}

int launch_host_kernel(void (*kernel)(const void*), const void* params, std::size_t params_size,
                       std::span<const cuda::KernelOperand> operands, void* handle) {
  return enter(&cuda::Api::launch_host_kernel, [&](Machine& all) {
    const auto on = all.stream(handle);
    // A kernel must be launched with its stream's device current.
    if (on == nullptr || on->ordinal() != current_ordinal()) return cuda::invalid_resource_handle;
    join_default_stream(all, *on);
    Draft item(*on);
    item->run = run_kernel;
    item->kernel = kernel;
    if (const LaunchWatch* const watch = launch_watcher.load()) item->note = watch->launched();
    item.keep(params, params_size);
    if (memory_watcher.load() != nullptr) item->operands.assign(operands.begin(), operands.end());
    item.submit();
    return cuda::success;
  });
}

int launch_task(void* handle, std::unique_ptr<Task> job) {
  return enter(&cuda::Api::launch_host_kernel, [&](Machine& all) {
    const auto on = all.stream(handle);
    if (on == nullptr || on->ordinal() != current_ordinal()) return cuda::invalid_resource_handle;
    join_default_stream(all, *on);
    Draft item(*on);
    item->run = run_task;
    item->job = std::move(job);
    item.submit();
    return cuda::success;
  });
}

}  // namespace skerry::rehearsal
