// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/rehearsal/address_range.hpp"
#include "device/rehearsal/mapped_memory.hpp"
#include "device/rehearsal/pinned_blocks.hpp"
#include "device/rehearsal/queue.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::rehearsal {

class InterprocessEvent;

struct SimulatedDevice {
  explicit SimulatedDevice(int ordinal)
      : memory(ordinal), default_queue(std::make_shared<Queue>(ordinal)) {}

  AddressRange memory;
  std::shared_ptr<Queue> default_queue;
};

struct Traffic {
  std::atomic<std::uint64_t> host_to_device_bytes{0};
  std::atomic<std::uint64_t> device_to_host_bytes{0};
  std::atomic<std::uint64_t> device_to_device_bytes{0};  ///< between different devices
  std::atomic<std::uint64_t> waits{0};

  /// Counts a wait that succeeded; returns its status.
  int count_wait(int code) noexcept {
    if (code == 0) waits.fetch_add(1);
    return code;
  }
};

struct SimulatedEvent {
  int ordinal = 0;
  bool is_timed = false;
  Mark recorded{};
  /// When the stream reached the event, in nanoseconds; 0 until then. Null if nothing was recorded.
  std::shared_ptr<std::atomic<std::int64_t>> time = nullptr;
  /// Its state in all processes; null if no other process can open it.
  std::shared_ptr<InterprocessEvent> shared = nullptr;
  std::uint64_t record_number = 0;  ///< of `recorded`, among the records of `shared`
};

/// All simulated devices, with the streams and events of this process. Never destroyed: threads of
/// streams may outlive main().
class System {
 public:
  explicit System(int count);
  [[nodiscard]] static System& instance();

  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] SimulatedDevice& device(int ordinal) noexcept {
    return *devices_[static_cast<std::size_t>(ordinal)];
  }
  /// Returns the device that owns the address `data`, live or not; -1 for host memory. Reserved
  /// addresses without memory count as the first device's.
  [[nodiscard]] int owner(const void* data) noexcept;
  /// True if `nbytes` from `data` are inside one block of a device or in mapped memory.
  /// `retired_too` as in AddressRange.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes, bool retired_too) noexcept;
  /// Returns the block or mapping that contains `data`.
  [[nodiscard]] MemoryBlock find(const void* data, bool retired_too) noexcept;
  /// Returns the allocated bytes of a device.
  [[nodiscard]] std::size_t live_bytes(int ordinal) noexcept {
    return device(ordinal).memory.live_bytes() + mapped.live_bytes(ordinal);
  }

  /// Returns null if there is no such stream. The default handles (0, 1, 2) name the current
  /// device's default queue: the per-thread and the legacy stream wait for each other, so one queue
  /// for both is a valid order.
  [[nodiscard]] std::shared_ptr<Queue> stream(void* handle) noexcept;
  [[nodiscard]] void* add_stream(int ordinal, const StreamOptions& options = {});
  /// Returns the streams of a device that are ordered with its legacy stream.
  [[nodiscard]] std::vector<std::shared_ptr<Queue>> blocking_streams(int ordinal);
  /// Returns all streams of a device.
  [[nodiscard]] std::vector<std::shared_ptr<Queue>> streams_of(int ordinal);
  [[nodiscard]] std::shared_ptr<Queue> remove_stream(void* handle) noexcept;
  /// Waits for every stream of a device.
  void wait_for_device(int ordinal) noexcept;
  /// The same for a free, which orders nothing else (stream_order.hpp).
  void drain(int ordinal) noexcept;
  /// The same for all devices.
  void drain_all() noexcept;
  /// True if no stream of a device has pending work.
  [[nodiscard]] bool is_idle(int ordinal) noexcept;
  void stop() noexcept;
  /// Waits for a device's work, then destroys its streams, events, memory and peer access.
  void reset_device(int ordinal) noexcept;

  [[nodiscard]] void* add_event(int ordinal, bool is_timed);
  [[nodiscard]] void* add_event(int ordinal, std::shared_ptr<InterprocessEvent> shared);
  [[nodiscard]] bool remove_event(void* handle) noexcept;
  [[nodiscard]] bool read_event(void* handle, SimulatedEvent& event) noexcept;
  /// Replaces the recorded state of an event.
  [[nodiscard]] bool set_event(void* handle, const SimulatedEvent& event) noexcept;

  /// Returns false if it was already enabled.
  [[nodiscard]] bool enable_peer(int reader, int owner) noexcept;
  /// Returns false if it was not enabled.
  [[nodiscard]] bool disable_peer(int reader, int owner) noexcept;
  [[nodiscard]] bool peer_enabled(int reader, int owner) noexcept;

  /// Records a block of the stream-ordered allocator: cudaFree does not wait for its uses.
  void note_pooled(void* data);
  [[nodiscard]] bool discard_pooled(void* data) noexcept;
  [[nodiscard]] bool is_pooled(void* data) noexcept;
  /// Lets kernels of `reader` access blocks of an owner's pool.
  void allow_pool_reader(int reader, int owner) noexcept;
  [[nodiscard]] bool is_pool_reader(int reader, int owner) noexcept;
  /// True if kernels of `reader` can access the block at `data`: on their own device, memory of
  /// cudaMalloc after enable_peer(), pool memory after allow_pool_reader(), mapped memory after
  /// MappedMemory::set_access().
  [[nodiscard]] bool is_accessible(int reader, int owner, void* data) noexcept;

  PinnedBlocks pinned;
  MappedMemory mapped;
  std::atomic<std::uint64_t> direct_copies{0};
  std::atomic<std::uint64_t> staged_copies{0};
  /// Counts copies between memories and waits of the host since start.
  Traffic traffic;

 private:
  [[nodiscard]] void* add_event(const SimulatedEvent& event);

  const int count_;
  std::array<std::unique_ptr<SimulatedDevice>, max_devices> devices_;
  std::shared_mutex streams_mutex_;
  std::unordered_map<void*, std::shared_ptr<Queue>> streams_;
  std::atomic<int> blocking_streams_{0};
  std::mutex events_mutex_;
  std::unordered_map<void*, SimulatedEvent> events_;
  std::uintptr_t next_event_ = 0x1000;
  std::mutex pooled_mutex_;
  std::unordered_set<void*> pooled_;
  std::mutex peers_mutex_;
  std::array<std::bitset<max_devices>, max_devices> enabled_;
  std::array<std::bitset<max_devices>, max_devices> pool_readers_;
};

}  // namespace skerry::rehearsal
