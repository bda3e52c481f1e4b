// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/work.hpp"

#include <chrono>
#include <cstring>
#include <utility>

namespace skerry::rehearsal {

namespace {

/// An item that goes back to its queue unless it was submitted.
class draft {
 public:
  explicit draft(queue& on) : on_(on), item_(on.prepare()) {}
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;
  ~draft() {
    if (item_ != nullptr) on_.give_back(item_);
  }
  work* operator->() const noexcept { return item_; }
  std::uint64_t submit() {
    const std::uint64_t ticket = on_.submit(item_);
    item_ = nullptr;
    return ticket;
  }
  void keep(const void* bytes, std::size_t nbytes) {
    if (nbytes > work::inline_size) item_->heap.reset(new std::byte[nbytes]);
    if (nbytes > 0) {
      std::memcpy(item_->heap ? item_->heap.get() : item_->bytes, bytes, nbytes);
    }
  }

 private:
  queue& on_;
  work* item_;
};

enum class place { device, pinned, pageable, invalid };

/// Where `nbytes` at `data` lie, judged by what may be used by new work.
place locate(machine& all, const void* data, std::size_t nbytes, int* owner) {
  *owner = all.owner(data);
  if (*owner >= 0) {
    return all.covers(data, nbytes, false) ? place::device : place::invalid;
  }
  if (all.pinned.contains(data)) {
    return all.pinned.covers(data, nbytes) ? place::pinned : place::invalid;
  }
  return data == nullptr ? place::invalid : place::pageable;
}

bool kind_fits(cuda::copy_kind kind, bool to_device, bool from_device) {
  switch (kind) {
    case cuda::copy_kind::host_to_host:
      return !to_device && !from_device;
    case cuda::copy_kind::host_to_device:
      return to_device && !from_device;
    case cuda::copy_kind::device_to_host:
      return !to_device && from_device;
    case cuda::copy_kind::device_to_device:
      return to_device && from_device;
    case cuda::copy_kind::automatic:
      return true;
  }
  return false;
}

/// Looks again when the work runs: memory that was freed meanwhile on another stream is what a GPU
/// would fault on.
bool still_there(const void* data, std::size_t nbytes, int ordinal) {
  machine& all = machine::instance();
  if (all.owner(data) < 0 || all.covers(data, nbytes, true)) return true;
  set_sticky_error(ordinal, cuda::illegal_address);
  return false;
}

void run_copy(work& self, int ordinal) noexcept {
  const void* source = self.source != nullptr ? self.source : self.payload();
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (!still_there(source, self.nbytes, ordinal)) return;
  if (const memory_watch* const watch = memory_watcher.load()) {
    watch->copy(self.target, source, self.nbytes);
  } else {
    std::memmove(self.target, source, self.nbytes);
  }
}

void run_fill(work& self, int ordinal) noexcept {
  if (!still_there(self.target, self.nbytes, ordinal)) return;
  if (const memory_watch* const watch = memory_watcher.load()) {
    watch->fill(self.target, self.value, self.nbytes);
  } else {
    std::memset(self.target, self.value, self.nbytes);
  }
}

void run_free(work& self, int ordinal) noexcept {
  if (const memory_watch* const watch = memory_watcher.load()) {
    const memory_block found = machine::instance().at(ordinal).memory.find(self.target, true);
    watch->freed(self.target, found.nbytes);
  }
  if (!machine::instance().at(ordinal).memory.reclaim(self.target)) {
    set_sticky_error(ordinal, cuda::illegal_address);
  }
}

/// What waits for lost work of another device is lost, too.
void run_wait(work& self, int ordinal) noexcept {
  self.wait_for.on->wait(self.wait_for.ticket);
  const int code = self.wait_for.on->error_of(self.wait_for.ticket);
  if (code != cuda::success) set_sticky_error(ordinal, code);
}
void run_time(work& self, int) noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  self.time->store(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
void run_function(work& self, int) noexcept {
  // Whom it wakes knows what is before it.
  order_seen(self.order);
  self.function(self.target);
}
void run_kernel(work& self, int) noexcept {
  const launch_watch* const noting = self.note != nullptr ? launch_watcher.load() : nullptr;
  if (noting != nullptr) noting->began(self.note.get());
  if (const memory_watch* const watch = memory_watcher.load()) {
    watch->run(self.kernel, self.payload(), self.operands);
  } else {
    self.kernel(self.payload());
  }
  if (noting != nullptr) noting->ended();
}
void run_task(work& self, int ordinal) noexcept {
  const int code = self.job->run(ordinal);
  if (code != cuda::success) set_sticky_error(ordinal, code);
}

/// Copies from pageable memory leave the source free to change; copies to it have arrived on
/// return: as the CUDA runtime does.
int submit_copy(queue& on, void* target, const void* source, std::size_t nbytes, place to,
                place from) {
  draft item(on);
  item->run = run_copy;
  item->target = target;
  item->nbytes = nbytes;
  item->source = source;
  if (from == place::pageable) {
    item->source = nullptr;
    item.keep(source, nbytes);
  }
  const std::uint64_t ticket = item.submit();
  if (to != place::pageable) return cuda::success;
  on.wait(ticket);
  order_seen(on.at(ticket).order);
  return sticky_error(on.ordinal());
}

void count_copy(machine& all, int to, int from) {
  if (to < 0 || from < 0 || to == from) return;
  const bool direct = all.peer_enabled(to, from) || all.peer_enabled(from, to);
  (direct ? all.direct_copies : all.staged_copies).fetch_add(1);
}

}  // namespace

int submit_free(machine& all, queue& on, void* data) {
  draft item(on);
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

int submit_wait(queue& on, const mark& point) {
  if (!point.on || point.on.get() == &on) return cuda::success;
  order_wait(on.number(), point.order);
  if (point.on->reached(point.ticket)) return point.on->error_of(point.ticket);
  draft item(on);
  item->run = run_wait;
  item->is_the_threads = true;
  item->wait_for = point;
  item.submit();
  return cuda::success;
}

void join_default_stream(machine& all, queue& on) {
  queue& legacy = *all.at(on.ordinal()).default_queue;
  if (&on == &legacy) {
    for (const auto& each : all.blocking_streams(on.ordinal())) {
      static_cast<void>(submit_wait(on, each->here()));
    }
  } else if (on.options().is_blocking) {
    static_cast<void>(submit_wait(on, legacy.here()));
  }
}

int submit_time(queue& on, simulated_event& into) {
  draft item(on);
  auto time = std::make_shared<std::atomic<std::int64_t>>(0);
  item->run = run_time;
  item->is_immediate = true;
  item->time = time;
  const std::uint64_t ticket = item.submit();
  into.recorded = on.at(ticket);
  into.time = std::move(time);
  return cuda::success;
}

int copy_async(void* target, const void* source, std::size_t nbytes, cuda::copy_kind kind,
               void* handle) {
  return enter_with_work(handle, &cuda::api::copy_async, [&](machine& all, queue& on) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const place to = locate(all, target, nbytes, &to_owner);
    const place from = locate(all, source, nbytes, &from_owner);
    if (to == place::invalid || from == place::invalid) return cuda::invalid_value;
    if (!kind_fits(kind, to_owner >= 0, from_owner >= 0)) return cuda::invalid_value;
    count_copy(all, to_owner, from_owner);
    return submit_copy(on, target, source, nbytes, to, from);
  });
}

int copy_peer_async(void* target, int target_ordinal, const void* source, int source_ordinal,
                    std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::api::copy_peer_async, [&](machine& all, queue& on) {
    if (nbytes == 0) return cuda::success;
    int to_owner = -1;
    int from_owner = -1;
    const place to = locate(all, target, nbytes, &to_owner);
    const place from = locate(all, source, nbytes, &from_owner);
    if (to != place::device || from != place::device) return cuda::invalid_value;
    if (to_owner != target_ordinal || from_owner != source_ordinal) return cuda::invalid_value;
    count_copy(all, to_owner, from_owner);
    return submit_copy(on, target, source, nbytes, to, from);
  });
}

int fill_async(void* target, int value, std::size_t nbytes, void* handle) {
  return enter_with_work(handle, &cuda::api::fill_async, [&](machine& all, queue& on) {
    if (nbytes == 0) return cuda::success;
    int owner = -1;
    const place to = locate(all, target, nbytes, &owner);
    if (to != place::device && to != place::pinned) return cuda::invalid_value;
    draft item(on);
    item->run = run_fill;
    item->target = target;
    item->value = value;
    item->nbytes = nbytes;
    item.submit();
    return cuda::success;
  });
}

int launch_host_function(void* handle, void (*function)(void*), void* data) {
  return enter_with_work(handle, &cuda::api::launch_host_function, [&](machine&, queue& on) {
    draft item(on);
    item->run = run_function;
    item->is_the_threads = true;
    item->function = function;
    item->target = data;
    item.submit();
    return cuda::success;
  });
}

int launch_host_kernel(void (*kernel)(const void*), const void* params, std::size_t params_size,
                       std::span<const cuda::kernel_operand> operands, void* handle) {
  return enter(&cuda::api::launch_host_kernel, [&](machine& all) {
    const auto on = all.stream(handle);
    // A kernel must be launched with its stream's device current.
    if (on == nullptr || on->ordinal() != current_ordinal()) return cuda::invalid_resource_handle;
    join_default_stream(all, *on);
    draft item(*on);
    item->run = run_kernel;
    item->kernel = kernel;
    if (const launch_watch* const watch = launch_watcher.load()) item->note = watch->launched();
    item.keep(params, params_size);
    if (memory_watcher.load() != nullptr) item->operands.assign(operands.begin(), operands.end());
    item.submit();
    return cuda::success;
  });
}

int launch_task(void* handle, std::unique_ptr<task> job) {
  return enter(&cuda::api::launch_host_kernel, [&](machine& all) {
    const auto on = all.stream(handle);
    if (on == nullptr || on->ordinal() != current_ordinal()) return cuda::invalid_resource_handle;
    join_default_stream(all, *on);
    draft item(*on);
    item->run = run_task;
    item->job = std::move(job);
    item.submit();
    return cuda::success;
  });
}

}  // namespace skerry::rehearsal
