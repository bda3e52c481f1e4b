// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Decides when a block may be reused: after the work of all streams that used it.

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
  // In a forked child a thread that no longer exists may hold the lock; at exit the driver frees
  // the memory. Only the host's part is released.
  if (!alive()) {
    delete item;
    return;
  }
  if (!item->other_uses.empty()) {
    item->other_uses.erase_if([&](const StreamUse& stream_use) {
      return is_owner_stream(*item, *stream_use.stream_state) || stream_use.known_done();
    });
  }
  const bool is_cached = item->size.bin != SizeClass::uncached;
  if (is_cached) {
    item->other_uses.for_each(
        [](const StreamUse& stream_use) { stream_use.stream_state->mark(stream_use.epoch); });
  }
  OutgoingBlocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  --counts_.live_blocks;
  counts_.live_bytes -= item->size.nbytes;
  if (!is_cached || device_state_.lost()) {
    outgoing.add(item);
  } else if (!item->other_uses.empty()) {
    put_pending(item);
  } else {
    put_cached(item);
    if (held_bytes() > counts_.limit_bytes) [[unlikely]]
      keep_to_limit(outgoing);
  }
}

/// Always false for the per-thread handle, which names a different stream in each thread.
bool Pool::is_owner_stream(const Block& item, const StreamState& stream_state) const noexcept {
  return &stream_state.device_state() == &device_state_ &&
         stream_state.handle() == item.owner_stream;
}

/// Adds a block to the pending list. Requires the lock.
void Pool::put_pending(Block* item) noexcept {
  counts_.cached_bytes += item->size.nbytes;
  pending_bytes_ += item->size.nbytes;
  item->next = std::exchange(pending_, item);
}

/// Moves pending blocks that no stream uses any more to their caches. Requires the lock.
void Pool::reclaim_pending(OutgoingBlocks& outgoing) noexcept {
  Block* rest = nullptr;
  while (pending_ != nullptr) {
    Block* const item = std::exchange(pending_, pending_->next);
    item->other_uses.erase_if([](const StreamUse& stream_use) {
      return stream_use.stream_state->is_done(stream_use.epoch);
    });
    if (!item->other_uses.empty()) {
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

/// Blocks the host until the work on blocks that are pending now is done, if it can be waited for.
void Pool::wait_for_pending() noexcept {
  const std::uint64_t newest = StreamState::newest();
  std::uint64_t last = 0;  // waits in epoch order, so for each epoch once
  for (;;) {
    StreamUse next;
    {
      OutgoingBlocks outgoing(*this);
      const std::lock_guard lock(mutex_);
      reclaim_pending(outgoing);
      for (const Block* item = pending_; item != nullptr; item = item->next) {
        item->other_uses.for_each([&](const StreamUse& stream_use) {
          if (stream_use.epoch <= last || stream_use.epoch > newest) return;
          if (next.stream_state == nullptr || stream_use.epoch < next.epoch) next = stream_use;
        });
      }
    }
    if (next.stream_state == nullptr) return;
    last = next.epoch;
    static_cast<void>(next.stream_state->wait(next.epoch));  // on failure the block stays pending
  }
}

/// Returns an unused block to the driver, or keeps it pending until that is possible.
void Pool::release_at_once(Block* item) noexcept {
  Release release = device_state_.lost() ? Release::done : release_in_order(*item);
  if (release == Release::needs_wait && release_block(*item)) release = Release::done;
  if (release == Release::done) {
    delete item;
    return;
  }
  item->is_to_be_released = true;
  const std::lock_guard lock(mutex_);
  put_pending(item);
}

/// Frees a block in stream order, without a wait, if that is possible.
Pool::Release Pool::release_in_order(Block& item) noexcept {
  if (!is_stream_ordered(item)) return Release::needs_wait;
  // The block's stream may be a foreign one that its owner has destroyed since. A thread's current
  // stream is kept alive by the code that set it.
  const bool is_valid = item.owner_stream == legacy_stream ||
                        item.owner_stream == current_stream_handle(device_state_.device) ||
                        device_state_.streams->owns_handle(item.owner_stream);
  if (!is_valid) return Release::needs_wait;
  const DeviceGuard guard(device_state_, std::nothrow);
  if (!guard.ok()) return Release::needs_wait;
  if (item.owner_stream != legacy_stream) {
    int capturing = 0;
    const int code = call<&Api::stream_is_capturing>(item.owner_stream, &capturing);
    if (!succeeded(code, device_state_, freeing)) return Release::needs_wait;
    // Freed on a captured stream, the memory would be freed by each launch of the graph; a wait
    // would end the capture.
    if (capturing != 0) return Release::needs_end_of_capture;
  }
  item.other_uses.erase_if([&](const StreamUse& stream_use) {
    return stream_use.stream_state->try_precede(device_state_, item.owner_stream, stream_use.epoch);
  });
  if (!item.other_uses.empty()) return Release::needs_wait;
  if (item.resource != nullptr) {
    return_to_resource(item, item.owner_stream);
    return Release::done;
  }
  if (!succeeded(call<&Api::deallocate_async>(item.data, item.owner_stream), device_state_,
                 freeing)) {
    return Release::needs_wait;
  }
  StreamState* const stream_state = device_state_.streams->find(item.owner_stream);
  if (stream_state != nullptr) static_cast<void>(stream_state->count_submission());
  return Release::done;
}

/// Frees a block after the host has waited for all its uses: cudaFree waits for its device, but
/// this is not documented, and it does not wait for memory of a pool.
bool Pool::release_block(Block& item) noexcept {
  item.other_uses.erase_if(
      [](const StreamUse& stream_use) { return stream_use.stream_state->wait(stream_use.epoch); });
  if (!item.other_uses.empty() || !finish_work(device_state_)) return false;
  const DeviceGuard guard(device_state_, std::nothrow);
  if (!guard.ok()) return false;
  if (item.resource != nullptr) {
    return_to_resource(item, legacy_stream);
    return true;
  }
  return succeeded(call<&Api::deallocate>(item.data), device_state_, freeing);
}

}  // namespace skerry::cuda
