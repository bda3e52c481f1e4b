// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// When a block of the pool may be used again: after the work of all streams that used it.

#include <new>
#include <utility>

#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"

namespace skerry::cuda {

void pool::give_back(block* item) noexcept {
  // In a forked child another thread may have held the lock for ever; at exit the driver takes the
  // memory. Only the host's part is returned.
  if (!alive()) {
    delete item;
    return;
  }
  if (item->size.bin == size_class::uncached) return release_at_once(item);
  if (item->used_elsewhere) {
    wait_for_device();
    item->used_elsewhere = false;
    item->others.clear();
  }
  const bool pending = !item->others.empty() && record_events(*item);
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= item->size.nbytes;
  if (on_.lost()) {
    delete item;
  } else if (pending) {
    counts_.cached_bytes += item->size.nbytes;
    pending_bytes_ += item->size.nbytes;
    item->next = std::exchange(pending_, item);
  } else {
    put_cached(item);
  }
}

/// All streams have ended then. cudaFree waits for them too, but is not said to.
void pool::release_at_once(block* item) noexcept {
  const std::size_t nbytes = item->size.nbytes;
  if (on_.lost()) {
    delete item;
  } else {
    wait_for_device();
    release_block(item);
  }
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= nbytes;
}

/// An event on each other stream of the block. False if there is nothing to wait for any more: the
/// host has waited.
bool pool::record_events(block& item) noexcept {
  const device_guard guard(on_, std::nothrow);
  bool complete = guard.ok();
  for (void* stream : item.others) {
    void* event = complete ? take_event() : nullptr;
    if (event == nullptr) {
      complete = false;
      break;
    }
    item.events.push_back(event);  // has room, see used_on
    complete = check_silently(calls().event_record(event, stream), on_, "freeing");
  }
  item.others.clear();
  if (complete) return true;
  wait_for_device();
  const std::lock_guard lock(mutex_);
  for (void* event : item.events) {
    try {
      spare_events_.push_back(event);
    } catch (const std::bad_alloc&) {
      check_silently(calls().event_destroy(event), on_, "freeing");
    }
  }
  item.events.clear();
  return false;
}

/// With the device current; null if there is none to be had.
void* pool::take_event() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_events_.empty()) {
      void* event = spare_events_.back();
      spare_events_.pop_back();
      return event;
    }
  }
  void* event = nullptr;
  return check_silently(calls().event_create(&event), on_, "making an event") ? event : nullptr;
}

void pool::join(std::span<void* const> streams, void* target) noexcept {
  const device_guard guard(on_, std::nothrow);
  bool complete = guard.ok();
  for (void* stream : streams) {
    if (!complete) break;
    void* event = take_event();
    complete = event != nullptr &&
               check_silently(calls().event_record(event, stream), on_, "joining streams") &&
               check_silently(calls().stream_wait_event(target, event), on_, "joining streams");
    if (event == nullptr) continue;
    // The wait has taken its copy of the recorded point, so the event is free again.
    const std::lock_guard lock(mutex_);
    try {
      spare_events_.push_back(event);
    } catch (const std::bad_alloc&) {
      check_silently(calls().event_destroy(event), on_, "joining streams");
    }
  }
  if (!complete) wait_for_device();
}

/// Moves pending blocks whose events have passed into their cache. With the lock held.
void pool::settle_pending(bool wait) noexcept {
  block* rest = nullptr;
  while (pending_ != nullptr) {
    block* const item = std::exchange(pending_, pending_->next);
    while (!item->events.empty()) {
      void* const event = item->events.back();
      const int code = wait ? calls().event_synchronize(event) : calls().event_query(event);
      if (!check_silently(code, on_, "waiting for pending frees")) break;
      item->events.pop_back();
      try {
        spare_events_.push_back(event);
      } catch (const std::bad_alloc&) {
        check_silently(calls().event_destroy(event), on_, "waiting for pending frees");
      }
    }
    if (item->events.empty()) {
      counts_.cached_bytes -= item->size.nbytes;
      pending_bytes_ -= item->size.nbytes;
      put_cached(item);
    } else {
      item->next = std::exchange(rest, item);
    }
  }
  pending_ = rest;
}

}  // namespace skerry::cuda
