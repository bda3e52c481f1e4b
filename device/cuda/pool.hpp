// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/storage.hpp"
#include "device/cuda/size_class.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/memory_pressure.hpp"

namespace skerry::cuda {

struct device_state;
class pool;
struct block;

/// An array's memory on a CUDA device.
class device_storage final : public storage {
 public:
  device_storage(block& home, std::size_t nbytes, timeline& by) noexcept;
  [[nodiscard]] stream_uses* uses() noexcept override { return &uses_; }

 private:
  void destroy() noexcept override;
  block& block_;
  stream_uses uses_;
};

/// Device memory with all that is needed to hand it out again; the storage object lies inside, so
/// that an allocation that hits the cache allocates nothing on the host either.
struct block {
  block* next = nullptr;      ///< in its bin, or in the list of pending ones
  block* previous = nullptr;  ///< in its bin
  block* older = nullptr;     ///< of all that are cached
  block* newer = nullptr;
  pool* owner = nullptr;
  void* data = nullptr;
  size_class size{};
  /// The stream that the block is in order with: work submitted there after it is handed out comes
  /// after all earlier use.
  void* home = nullptr;
  unfinished_uses others;          ///< on further streams, when it was given back
  bool is_to_be_released = false;  ///< goes from the pending ones to the driver
  alignas(device_storage) std::byte object[sizeof(device_storage)];
};

/// The memory of one logical device: a cache of blocks per stream over the driver's stream-ordered
/// allocator. A block is given back to its home stream at once if only that one used it, else when
/// the others have done what they had to do then.
///
/// Blocks are never split: what is cached and fits nothing goes back to the driver's pool, oldest
/// first, before the pool holds more than it ever held (or than an eighth of the device, which is
/// kept without thought), and what waits for other streams is waited for if it is much. So a loop
/// that repeats itself makes no call, and what a program needs at most is what it has in arrays,
/// and not that plus what is left over from before; the driver maps the pages of freed blocks to
/// new addresses, which a cache of its own can't.
///
/// No call that may wait is made with the lock held: the work may need another thread.
///
/// With another SKERRY_ALLOCATOR than the pool nothing is cached: each block is an allocation of
/// cudaMalloc.
class pool {
 public:
  explicit pool(device_state& on) noexcept : on_(on) {}

  /// In order with the stream of `by`. Less than 100 ns and no call of the runtime if the cache has
  /// one.
  [[nodiscard]] storage_ref allocate(std::size_t nbytes, timeline& by);

  [[nodiscard]] memory_statistics read_statistics();
  void reset_peak();
  void set_limit(std::size_t nbytes);
  std::size_t trim();

 private:
  friend class device_storage;

  struct stream_cache {
    void* stream;
    std::array<block*, static_cast<std::size_t>(cached_bins)> bins{};
  };

  /// Blocks that have left the cache: the driver gets them when the lock is not held any more.
  class outgoing_blocks {
   public:
    explicit outgoing_blocks(pool& owner) noexcept : owner_(owner) {}
    outgoing_blocks(const outgoing_blocks&) = delete;
    outgoing_blocks& operator=(const outgoing_blocks&) = delete;
    ~outgoing_blocks() {
      while (first_ != nullptr) owner_.release_at_once(std::exchange(first_, first_->next));
    }
    void add(block* item) noexcept { item->next = std::exchange(first_, item); }

   private:
    pool& owner_;
    block* first_ = nullptr;
  };

  [[nodiscard]] stream_cache* find_cache(void* stream) noexcept;
  [[nodiscard]] block* take_hit(const size_class& size, void* stream) noexcept;
  [[nodiscard]] block* take_cached(const size_class& size, void* stream) noexcept;
  void put_cached(block* item) noexcept;
  void unlink_cached(block* item) noexcept;
  [[nodiscard]] std::size_t most_without_growth() const noexcept;
  [[nodiscard]] bool fits(const size_class& size, std::size_t most) const noexcept {
    return size.nbytes <= most && held() <= most - size.nbytes;
  }
  [[nodiscard]] block* take_pending(const size_class& size, void* stream) noexcept;
  [[nodiscard]] bool make_room(const size_class& size, outgoing_blocks& outgoing) noexcept;
  void keep_to_limit(outgoing_blocks& outgoing) noexcept;
  [[nodiscard]] std::size_t held() const noexcept {
    return counts_.live_bytes + counts_.cached_bytes;
  }
  void count_live() noexcept;
  [[nodiscard]] block* acquire(std::size_t nbytes, const size_class& size, void* stream);
  [[nodiscard]] block* try_new(const size_class& size, void* stream);
  [[nodiscard]] int call_allocate(block& item);
  void keep_memory_in_driver_pool() noexcept;
  [[noreturn]] void throw_out_of_memory(std::size_t nbytes, const size_class& size,
                                        const std::string& tried);

  void give_back(block* item) noexcept;
  void put_pending(block* item) noexcept;
  [[nodiscard]] bool is_home(const block& item, const timeline& by) const noexcept;
  void settle_pending(outgoing_blocks& outgoing) noexcept;
  void wait_for_pending() noexcept;
  void release_cached() noexcept;
  void release_at_once(block* item) noexcept;
  [[nodiscard]] bool release_in_order(block& item) noexcept;
  [[nodiscard]] bool release_block(block& item) noexcept;
  void release_all_and_trim() noexcept;
  void release_all_of_gpu(const size_class& wanted) noexcept;

  device_state& on_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<stream_cache>> caches_;
  /// Given back, but other streams have work on it, or the driver could not take it.
  block* pending_ = nullptr;
  std::size_t pending_bytes_ = 0;
  block* oldest_ = nullptr;  ///< of the cached blocks
  block* newest_ = nullptr;
  std::size_t most_held_ = 0;  ///< since trim()
  std::atomic<bool> keeps_memory_{false};
  memory_statistics counts_;  ///< of whole blocks; pending ones count as cached
};

}  // namespace skerry::cuda
