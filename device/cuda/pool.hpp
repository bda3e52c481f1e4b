// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/storage.hpp"
#include "device/cuda/api.hpp"
#include "device/cuda/size_class.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/host_action.hpp"
#include "device/memory_pressure.hpp"
#include "device/memory_resource.hpp"
#include "device/storage_attachment.hpp"

namespace skerry::cuda {

struct DeviceState;
class Pool;
struct Block;

/// An array's memory on a CUDA device.
class DeviceStorage final : public Storage {
 public:
  DeviceStorage(Block& block, std::size_t nbytes, StreamState& stream_state) noexcept;

 private:
  void destroy() noexcept override;
  Block& block_;
  StreamUses uses_;
  const StorageAttachment attachment_;
};

/// Device memory and its bookkeeping. The storage object is stored inside, so that an allocation
/// that hits the cache allocates nothing on the host.
struct Block {
  Block* next = nullptr;      ///< in its bin, or in the list of pending blocks
  Block* previous = nullptr;  ///< in its bin
  Block* older = nullptr;     ///< among all cached blocks
  Block* newer = nullptr;
  Pool* owner = nullptr;
  void* data = nullptr;
  SizeClass size{};
  MemoryType type = MemoryType::device;  ///< device or managed
  /// The stream that the block is ordered with: work submitted there after the block is allocated
  /// follows all earlier uses.
  void* owner_stream = nullptr;
  std::shared_ptr<MemoryResource> resource;  ///< allocated the memory; null for the driver
  UnfinishedUses other_uses;                 ///< on streams other than owner_stream, when freed
  bool is_to_be_released = false;            ///< when no longer pending, it goes to the driver
  alignas(DeviceStorage) std::byte object[sizeof(DeviceStorage)];
};

/// The memory of one logical device: a cache of blocks per stream over the driver's stream-ordered
/// allocator. A freed block returns to the cache of its owner stream at once if only that stream
/// used it, otherwise when the other streams have finished their work on it.
///
/// Blocks are never split. Before the pool grows beyond the most it has held (or an eighth of the
/// device's memory, if that is more), it returns cached blocks that do not fit to the driver's
/// pool, oldest first, and waits for blocks pending on other streams if they are a large part. So a
/// loop that repeats itself makes no driver call, and a program's peak is what its arrays need,
/// without leftover blocks of earlier sizes. The driver can map the pages of freed blocks to new
/// addresses; a cache on top of it cannot.
///
/// Calls that may wait are made without the lock: the work waited for may need another thread.
///
/// If SKERRY_ALLOCATOR is not `pool`, nothing is cached: each block is a cudaMalloc allocation.
/// Blocks of a MemoryResource are not cached either, since it may have a cache of its own. Managed
/// memory has caches of its own, and no stream-ordered allocator: the host waits before such a
/// block returns to the driver.
class Pool {
 public:
  explicit Pool(DeviceState& device_state) noexcept : device_state_(device_state) {}

  /// Allocates in order with the stream of `stream_state`, from the device's resource if it has
  /// one. A cache hit takes less than 100 ns and makes no call of the runtime.
  [[nodiscard]] StorageRef allocate(std::size_t nbytes, StreamState& stream_state);
  /// The same, always from the pool.
  [[nodiscard]] StorageRef allocate_own(std::size_t nbytes, StreamState& stream_state) {
    return allocate_from({}, MemoryType::device, nbytes, stream_state);
  }
  /// The same, memory that the host can access, too.
  [[nodiscard]] StorageRef allocate_managed(std::size_t nbytes, StreamState& stream_state) {
    return allocate_from({}, MemoryType::managed, nbytes, stream_state);
  }
  void set_resource(std::shared_ptr<MemoryResource> resource);

  [[nodiscard]] MemoryStatistics read_statistics();
  void reset_peak();
  void set_limit(std::size_t nbytes);
  std::size_t trim();

 private:
  friend class DeviceStorage;

  struct StreamCache {
    void* stream;
    MemoryType type;
    std::array<Block*, static_cast<std::size_t>(cached_bins)> bins{};
  };

  /// A block to allocate from the driver or a resource.
  struct Request {
    std::size_t nbytes;
    SizeClass size;
    MemoryType type;
    void* stream;
    std::shared_ptr<MemoryResource> resource;
    std::exception_ptr failure;  ///< of the resource's last attempt; null if it returned null
  };

  /// Blocks that have left the cache; the destructor passes them to the driver, after the lock is
  /// released.
  class OutgoingBlocks {
   public:
    explicit OutgoingBlocks(Pool& owner) noexcept : owner_(owner) {}
    OutgoingBlocks(const OutgoingBlocks&) = delete;
    OutgoingBlocks& operator=(const OutgoingBlocks&) = delete;
    ~OutgoingBlocks() {
      while (first_ != nullptr) owner_.release_at_once(std::exchange(first_, first_->next));
    }
    void add(Block* item) noexcept { item->next = std::exchange(first_, item); }

   private:
    Pool& owner_;
    Block* first_ = nullptr;
  };

  [[nodiscard]] std::shared_ptr<MemoryResource> find_resource();
  [[nodiscard]] StorageRef allocate_from(std::shared_ptr<MemoryResource> resource, MemoryType type,
                                         std::size_t nbytes, StreamState& stream_state);
  [[nodiscard]] StreamCache* find_cache(void* stream, MemoryType type) noexcept;
  [[nodiscard]] Block* take_hit(const SizeClass& size, MemoryType type, void* stream) noexcept;
  [[nodiscard]] Block* take_cached(const SizeClass& size, MemoryType type, void* stream) noexcept;
  void put_cached(Block* item) noexcept;
  void unlink_cached(Block* item) noexcept;
  [[nodiscard]] std::size_t growth_threshold() const noexcept;
  [[nodiscard]] bool fits(const SizeClass& size, std::size_t max_bytes) const noexcept {
    return size.nbytes <= max_bytes && held_bytes() <= max_bytes - size.nbytes;
  }
  [[nodiscard]] HostAction wait_for_memory(const char* cause) const noexcept;
  [[nodiscard]] Block* take_pending(const SizeClass& size, MemoryType type, void* stream);
  [[nodiscard]] bool make_space(const SizeClass& size, OutgoingBlocks& outgoing) noexcept;
  void keep_to_limit(OutgoingBlocks& outgoing) noexcept;
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return counts_.live_bytes + counts_.cached_bytes;
  }
  void count_live() noexcept;
  [[nodiscard]] Block* acquire(Request& request);
  [[nodiscard]] Block* try_new(Request& request);
  void wait_for_allocation();
  /// True for memory that is allocated and freed in stream order.
  [[nodiscard]] bool is_stream_ordered(const Block& item) const noexcept;
  [[nodiscard]] int call_allocate(Block& item, void* stream);
  [[nodiscard]] int call_resource(Block& item, void* stream, std::exception_ptr& failure);
  void require_usable(Block& item);
  void keep_memory_in_driver_pool() noexcept;
  [[noreturn]] void throw_out_of_memory(
      const Request& request, const std::string& tried,
      const char* remedy = "free arrays that are not needed any more");

  void give_back(Block* item) noexcept;
  void put_pending(Block* item) noexcept;
  [[nodiscard]] bool is_owner_stream(const Block& item,
                                     const StreamState& stream_state) const noexcept;
  void reclaim_pending(OutgoingBlocks& outgoing) noexcept;
  void wait_for_pending() noexcept;
  void release_cached() noexcept;
  void release_at_once(Block* item) noexcept;
  /// Whether a block went back to the driver.
  enum class Release : std::uint8_t { done, needs_wait, needs_end_of_capture };
  [[nodiscard]] Release release_in_order(Block& item) noexcept;
  [[nodiscard]] bool release_block(Block& item) noexcept;
  static void return_to_resource(Block& item, void* stream) noexcept;
  void release_all_and_trim() noexcept;
  void release_all_of_gpu(const SizeClass& size) noexcept;

  DeviceState& device_state_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<StreamCache>> caches_;
  /// Freed blocks that other streams still use, or that the driver could not take.
  Block* pending_ = nullptr;
  std::size_t pending_bytes_ = 0;
  Block* oldest_ = nullptr;  ///< among the cached blocks
  Block* newest_ = nullptr;
  std::size_t max_held_bytes_ = 0;  ///< maximum since release_cached()
  std::atomic<bool> keeps_memory_{false};
  std::atomic<bool> has_resource_{false};
  std::shared_ptr<MemoryResource> resource_;
  MemoryStatistics counts_;  ///< of whole blocks; pending ones count as cached
};

}  // namespace skerry::cuda
