// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// When a block of the pool may be used again: after the work of all streams that used it.

#include <utility>

#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* freeing = "freeing";

}  // namespace

void Pool::give_back(Block* item) noexcept {
  // In a forked child another thread may have held the lock for ever; at exit the driver takes the
  // memory. Only the host's part is returned.
  if (!alive()) {
    delete item;
    return;
  }
  if (!item->others.empty()) {
    item->others.forget_if(
        [&](const StreamUse& each) { return is_home(*item, *each.by) || each.known_done(); });
  }
  const bool is_cached = item->size.bin != SizeClass::uncached;
  if (is_cached) {
    item->others.for_each([](const StreamUse& each) { each.by->mark(each.stretch); });
  }
  OutgoingBlocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= item->size.nbytes;
  if (!is_cached || on_.lost()) {
    outgoing.add(item);
  } else if (!item->others.empty()) {
    put_pending(item);
  } else {
    put_cached(item);
    if (held() > counts_.limit_bytes) [[unlikely]]
      keep_to_limit(outgoing);
  }
}

/// A per-thread stream is nobody's: that of the next thread is not in order with it.
bool Pool::is_home(const Block& item, const Timeline& by) const noexcept {
  return &by.on() == &on_ && by.handle() == item.home;
}

/// With the lock held.
void Pool::put_pending(Block* item) noexcept {
  counts_.cached_bytes += item->size.nbytes;
  pending_bytes_ += item->size.nbytes;
  item->next = std::exchange(pending_, item);
}

/// Moves pending blocks that no stream works on any more into their cache. With the lock held.
void Pool::settle_pending(OutgoingBlocks& outgoing) noexcept {
  Block* rest = nullptr;
  while (pending_ != nullptr) {
    Block* const item = std::exchange(pending_, pending_->next);
    item->others.forget_if([](const StreamUse& each) { return each.by->is_done(each.stretch); });
    if (!item->others.empty()) {
      item->next = std::exchange(rest, item);
      continue;
    }
    counts_.cached_bytes -= item->size.nbytes;
    pending_bytes_ -= item->size.nbytes;
    if (item->is_to_be_released) {
      outgoing.add(item);
    } else {
      put_cached(item);
    }
  }
  pending_ = rest;
  keep_to_limit(outgoing);
}

/// The host waits for the work on what is pending now, as far as it can be waited for.
void Pool::wait_for_pending() noexcept {
  const std::uint64_t newest = Timeline::newest();
  std::uint64_t last = 0;  // in the order of the stretches, so that each is waited for once
  for (;;) {
    StreamUse next;
    {
      OutgoingBlocks outgoing(*this);
      const std::lock_guard lock(mutex_);
      settle_pending(outgoing);
      for (const Block* item = pending_; item != nullptr; item = item->next) {
        item->others.for_each([&](const StreamUse& each) {
          if (each.stretch <= last || each.stretch > newest) return;
          if (next.by == nullptr || each.stretch < next.stretch) next = each;
        });
      }
    }
    if (next.by == nullptr) return;
    last = next.stretch;
    static_cast<void>(next.by->wait(next.stretch));  // what it could not stays pending
  }
}

/// Gives a block that nobody uses any more to the driver, or keeps it until that can be done.
void Pool::release_at_once(Block* item) noexcept {
  if (on_.lost() || release_in_order(*item) || release_block(*item)) {
    delete item;
    return;
  }
  item->is_to_be_released = true;
  const std::lock_guard lock(mutex_);
  put_pending(item);
}

/// In stream order, so that nobody waits. False where that can't be done.
bool Pool::release_in_order(Block& item) noexcept {
  if (on_.properties.supports_pools == 0) return false;
  // A block may name a foreign stream that its owner has destroyed since. Who chose it keeps it
  // alive.
  const bool is_valid = item.home == legacy_stream ||
                        item.home == current_stream_handle(on_.where) ||
                        on_.streams->made(item.home);
  if (!is_valid) return false;
  const DeviceGuard guard(on_, std::nothrow);
  if (!guard.ok()) return false;
  if (item.home != legacy_stream) {
    // Freed by a captured stream, the memory would be freed by each launch of the graph.
    int capturing = 0;
    const int code = call<&Api::stream_is_capturing>(item.home, &capturing);
    if (!succeeded(code, on_, freeing) || capturing != 0) return false;
  }
  item.others.forget_if([&](const StreamUse& each) {
    return each.by->try_come_before(on_, item.home, each.stretch);
  });
  return item.others.empty() &&
         succeeded(call<&Api::deallocate_async>(item.data, item.home), on_, freeing);
}

/// After the host has waited for all that may use it: cudaFree does so for its device, but is not
/// said to, and does not for memory of a pool.
bool Pool::release_block(Block& item) noexcept {
  item.others.forget_if([](const StreamUse& each) { return each.by->wait(each.stretch); });
  if (!item.others.empty() || !finish_work(on_)) return false;
  const DeviceGuard guard(on_, std::nothrow);
  return guard.ok() && succeeded(call<&Api::deallocate>(item.data), on_, freeing);
}

}  // namespace skerry::cuda
