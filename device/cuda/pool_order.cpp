// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// When a block of the pool may be used again: after the work of all streams that used it.

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
  if (!item->others.empty()) {
    item->others.forget_if(
        [&](const stream_use& each) { return is_home(*item, *each.by) || each.known_done(); });
  }
  if (item->size.bin == size_class::uncached) return release_at_once(item);
  item->others.for_each([](const stream_use& each) { each.by->mark(each.stretch); });
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= item->size.nbytes;
  if (on_.lost()) {
    delete item;
  } else if (!item->others.empty()) {
    counts_.cached_bytes += item->size.nbytes;
    pending_bytes_ += item->size.nbytes;
    item->next = std::exchange(pending_, item);
  } else {
    put_cached(item);
    if (held() > counts_.limit_bytes) [[unlikely]]
      keep_to_limit();
  }
}

/// A per-thread stream is nobody's: that of the next thread is not in order with it.
bool pool::is_home(const block& item, const timeline& by) const noexcept {
  return &by.on() == &on_ && by.handle() == item.home;
}

/// All streams of the device have ended then. cudaFree waits for them too, but is not said to.
void pool::release_at_once(block* item) noexcept {
  const std::size_t nbytes = item->size.nbytes;
  if (on_.lost()) {
    delete item;
  } else {
    item->others.for_each([](const stream_use& each) { each.by->wait(each.stretch); });
    wait_for_device();
    release_block(item);
  }
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= nbytes;
}

/// Moves pending blocks that no stream works on any more into their cache. With the lock held.
void pool::settle_pending(bool wait) noexcept {
  block* rest = nullptr;
  while (pending_ != nullptr) {
    block* const item = std::exchange(pending_, pending_->next);
    item->others.forget_if([&](const stream_use& each) {
      if (wait) each.by->wait(each.stretch);
      return each.by->is_done(each.stretch);
    });
    if (item->others.empty()) {
      counts_.cached_bytes -= item->size.nbytes;
      pending_bytes_ -= item->size.nbytes;
      put_cached(item);
    } else {
      item->next = std::exchange(rest, item);
    }
  }
  pending_ = rest;
  keep_to_limit();
}

}  // namespace skerry::cuda
