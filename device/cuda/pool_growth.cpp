// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The pool's slow path, when the cache has no fitting block: allocates from the driver and returns
// blocks to it.

#include <algorithm>
#include <exception>
#include <string>

#include "device/cuda/foreign_capture.hpp"
#include "device/cuda/page_lock.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/host_action.hpp"
#include "device/memory_pressure.hpp"
#include "device/stream.hpp"

namespace skerry::cuda {

namespace {

std::string describe_failure(const std::exception_ptr& failure) {
  if (failure == nullptr) return "; the allocator of set_allocator returned no address";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return std::string("; the allocator of set_allocator failed: ") + error.what();
  }
}

/// Returns the memory of a device that is neither free nor in this pool: that of other libraries,
/// other processes, other logical devices of the GPU and its context.
std::size_t foreign_bytes(std::size_t free_bytes, std::size_t total_bytes,
                          const MemoryStatistics& now) noexcept {
  const std::size_t known_bytes = free_bytes + now.live_bytes + now.cached_bytes;
  return total_bytes - std::min(total_bytes, known_bytes);
}

}  // namespace

std::size_t Pool::growth_threshold() const noexcept {
  constexpr std::size_t share = 8;
  return std::min(std::max(max_held_bytes_, device_state_.properties.total_bytes / share),
                  counts_.limit_bytes);
}

/// Describes a wait for blocks that streams still use.
HostAction Pool::wait_for_memory(const char* cause) const noexcept {
  return {.cause = cause, .source = device_state_.device, .waits = true};
}

/// Before the pool grows, waits for pending blocks if they are more than a small part of it.
/// Returns one that fits, or null.
Block* Pool::take_pending(const SizeClass& size, MemoryType type, void* stream) {
  constexpr std::size_t small_part = 32;
  {
    const std::lock_guard lock(mutex_);
    const bool is_much = pending_bytes_ > held_bytes() / small_part;
    if (!is_much || fits(size, growth_threshold())) return nullptr;
  }
  const Announcement announcement([&] { return wait_for_memory("growth of the pool"); });
  wait_for_pending();
  const std::lock_guard lock(mutex_);
  Block* const item = take_cached(size, type, stream);
  if (item != nullptr) count_live();
  return item;
}

/// Returns the least recently used blocks to the driver until a new block of `size` keeps the pool
/// within its threshold. False if the pool would still exceed its limit. Requires the lock.
bool Pool::make_space(const SizeClass& size, OutgoingBlocks& outgoing) noexcept {
  const std::size_t enough = growth_threshold();
  while (!fits(size, enough) && oldest_ != nullptr) {
    Block* const item = oldest_;
    unlink_cached(item);
    outgoing.add(item);
  }
  return fits(size, counts_.limit_bytes);
}

/// Returns the least recently used blocks to the driver until the pool is within its limit. Pending
/// blocks are checked again when their streams are done. Requires the lock.
void Pool::keep_to_limit(OutgoingBlocks& outgoing) noexcept {
  while (held_bytes() > counts_.limit_bytes && oldest_ != nullptr) {
    Block* const item = oldest_;
    unlink_cached(item);
    outgoing.add(item);
  }
}

Block* Pool::acquire(Request& request) {
  const SizeClass& size = request.size;
  // Keep the cache if the request can never fit. Managed memory may exceed the device's.
  if (request.type == MemoryType::device && request.nbytes > device_state_.properties.total_bytes) {
    throw_out_of_memory(request, "nothing, since it is larger than the device's memory",
                        "split the array, or use a smaller dtype");
  }
  if (size.nbytes > read_statistics().limit_bytes) {
    throw_out_of_memory(request, "nothing, since it is larger than the limit",
                        "raise the limit by set_memory_limit, or split the array");
  }
  ForeignCapture::release_memory_of_ended();
  if (Block* item = take_pending(size, request.type, request.stream)) return item;
  if (Block* item = try_new(request)) return item;
  release_cached();
  if (Block* item = try_new(request)) return item;
  const Announcement announcement([&] { return wait_for_memory("out of memory"); });
  wait_for_pending();
  release_cached();
  static_cast<void>(finish_work(device_state_));  // if the wait fails, the next call reports it
  if (Block* item = try_new(request)) return item;
  release_all_of_gpu(size);
  if (Block* item = try_new(request)) return item;
  collect_garbage();
  release_all_of_gpu(size);
  if (Block* item = try_new(request)) return item;
  throw_out_of_memory(
      request, device_state_.keeps_blocks
                   ? "releasing cached blocks, then waiting for pending frees, then trimming the "
                     "driver's pool, then collecting garbage"
                   : "collecting garbage");
}

/// Allocates from the driver or the resource. Returns null if there is not enough memory.
Block* Pool::try_new(Request& request) {
  const SizeClass& size = request.size;
  void* const stream = request.stream;
  auto item = std::make_unique<Block>();
  item->owner = this;
  item->size = size;
  item->type = request.type;
  item->owner_stream = stream;
  item->resource = request.resource;
  {
    OutgoingBlocks outgoing(*this);
    const std::lock_guard lock(mutex_);
    if (find_cache(stream, request.type) == nullptr) {
      caches_.push_back(std::make_unique<StreamCache>(StreamCache{stream, request.type, {}}));
    }
    if (!make_space(size, outgoing)) return nullptr;
    // Counted before the call, so that concurrent threads stay within the limit.
    counts_.live_bytes += size.nbytes;
  }
  const auto take_back = [&] {
    const std::lock_guard lock(mutex_);
    counts_.live_bytes -= size.nbytes;
  };
  try {
    const DeviceGuard guard(device_state_);
    const bool is_captured = is_in_foreign_capture(device_state_, stream, "allocate");
    void* const order = is_captured ? legacy_stream : stream;
    const int code = item->resource != nullptr ? call_resource(*item, order, request.failure)
                                               : call_allocate(*item, order);
    if (code == memory_allocation) {
      note_failure(code, device_state_, "allocate");
      take_back();
      return nullptr;
    }
    check(code, device_state_, "allocate");
    if (is_captured) wait_for_allocation();
  } catch (...) {
    take_back();
    throw;
  }
  note_use(device_state_);
  const std::lock_guard lock(mutex_);
  ++counts_.system_allocations;
  max_held_bytes_ = std::max(max_held_bytes_, held_bytes());
  count_live();
  return item.release();
}

/// Blocks the host until an allocation on the legacy stream is done: a graph that uses the memory
/// can't wait for it.
void Pool::wait_for_allocation() {
  StreamState& legacy = device_state_.streams->legacy();
  // If it fails, the memory leaks: the device is lost.
  if (!legacy.wait(legacy.now(), "capture of a stream"))
    static_cast<void>(usable_state(device_state_.device));
}

bool Pool::is_stream_ordered(const Block& item) const noexcept {
  if (item.resource != nullptr) return true;
  return item.type == MemoryType::device && device_state_.properties.supports_pools != 0;
}

int Pool::call_allocate(Block& item, void* stream) {
  if (item.type == MemoryType::managed)
    return call<&Api::allocate_managed>(&item.data, item.size.nbytes);
  if (!is_stream_ordered(item)) return call<&Api::allocate>(&item.data, item.size.nbytes);
  if (!keeps_memory_.load(std::memory_order_relaxed)) keep_memory_in_driver_pool();
  return call<&Api::allocate_async>(&item.data, item.size.nbytes, stream);
}

/// Keeps freed memory in the driver's pool. By default each synchronization returns it to the
/// system, and the next large block pays for mapping it again. trim() and out-of-memory handling
/// still release it.
void Pool::keep_memory_in_driver_pool() noexcept {
  keeps_memory_.store(true);
  note_failure(call<&Api::pool_set_release_threshold>(device_state_.ordinal, UINT64_MAX),
               device_state_, "allocate");
}

void Pool::throw_out_of_memory(const Request& request, const std::string& tried,
                               const char* remedy) {
  const std::size_t nbytes = request.nbytes;
  const SizeClass& size = request.size;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  bool has_memory_info = false;
  {
    const DeviceGuard guard(device_state_, std::nothrow);
    has_memory_info = guard.ok() && succeeded(call<&Api::memory_info>(&free_bytes, &total_bytes),
                                              device_state_, "querying free memory");
  }
  const MemoryStatistics now = read_statistics();
  std::string text =
      "cannot allocate " + byte_text(nbytes) + " on " + to_string(device_state_.device) +
      ": device " +
      (has_memory_info
           ? byte_text(free_bytes) + " free of " + byte_text(total_bytes) + ", " +
                 byte_text(foreign_bytes(free_bytes, total_bytes, now)) + " held by others"
           : std::string("free bytes unknown")) +
      "; pool " + byte_text(now.live_bytes) + " live in " + std::to_string(now.live_blocks) +
      (now.live_blocks == 1 ? " array" : " arrays") + ", " + byte_text(now.cached_bytes) +
      " cached, peak " + byte_text(now.peak_bytes) + ", limit " +
      (now.limit_bytes == SIZE_MAX ? "none" : byte_text(now.limit_bytes)) + "; tried " + tried +
      "; " + remedy;
  if (size.nbytes != nbytes && size.nbytes > now.limit_bytes && nbytes <= now.limit_bytes) {
    text += " (blocks are rounded up, this one to " + byte_text(size.nbytes) + ")";
  }
  if (request.resource != nullptr) {
    text += describe_failure(request.failure);
    throw ResourceError(text, device_state_.device, nbytes, request.failure);
  }
  throw OutOfMemoryError(text, device_state_.device, nbytes);
}

/// Returns all cached blocks to the driver's pool.
void Pool::release_cached() noexcept {
  OutgoingBlocks outgoing(*this);
  const std::lock_guard lock(mutex_);
  while (oldest_ != nullptr) {
    Block* const item = oldest_;
    unlink_cached(item);
    outgoing.add(item);
  }
  max_held_bytes_ = held_bytes();
}

void Pool::release_all_and_trim() noexcept {
  wait_for_pending();
  release_cached();
  if (!finish_work(device_state_) || device_state_.properties.supports_pools == 0) return;
  note_failure(call<&Api::pool_trim>(device_state_.ordinal, 0), device_state_, "trimming");
}

/// Releases the caches of all logical devices of this GPU, unless this device's own limit is what
/// prevents the allocation.
void Pool::release_all_of_gpu(const SizeClass& size) noexcept {
  release_all_and_trim();
  {
    const std::lock_guard lock(mutex_);
    if (!fits(size, counts_.limit_bytes)) return;
  }
  const int n = detail::usable_count.load();
  for (int i = 0; i < n; ++i) {
    DeviceState& other_state = *detail::states[i];
    if (&other_state != &device_state_ && other_state.ordinal == device_state_.ordinal)
      other_state.memory->release_all_and_trim();
  }
}

std::size_t Pool::trim() {
  const std::size_t cached_before = read_statistics().cached_bytes;
  release_all_and_trim();
  const std::size_t cached_after = read_statistics().cached_bytes;
  return cached_before - std::min(cached_before, cached_after);
}

}  // namespace skerry::cuda
