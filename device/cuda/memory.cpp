// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory of CUDA devices, and memory on them that is others'.

#include "device/memory.hpp"

#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/foreign_storage.hpp"

namespace skerry::cuda {

namespace {

/// Before its owner is let go, all work of ours on it is ordered before what comes later on the
/// producer's stream: the second half of the CUDA array interface's rule, by which an allocator
/// that reuses memory in stream order is safe.
class ForeignDeviceStorage final : public ForeignStorage {
 public:
  ForeignDeviceStorage(Device where, const ForeignMemory& from) noexcept
      : ForeignStorage(where, from),
        home_(from.producer_stream == nullptr || from.producer_stream == per_thread_stream
                  ? legacy_stream
                  : from.producer_stream) {}

  [[nodiscard]] StreamUses* uses() noexcept override { return &uses_; }

 private:
  void order_release() noexcept override {
    if (!alive()) return;
    DeviceState& on = *detail::states[where().index];
    if (on.lost()) return;
    uses_.take().for_each([&](const StreamUse& each) {
      // What can't be waited for is lost, or captured: that graph's owner keeps the memory.
      if (!each.is_foreign) static_cast<void>(each.by->try_come_before(on, home_, each.stretch));
    });
  }

  void* home_;  ///< the owner reuses the memory in order with this stream
  StreamUses uses_;
};

/// An array of no elements: who reads it waits for the work that found that there are none.
class EmptyDeviceStorage final : public Storage {
 public:
  EmptyDeviceStorage(Device where, Timeline& by) noexcept : Storage(nullptr, 0, where), uses_(by) {}
  [[nodiscard]] StreamUses* uses() noexcept override { return &uses_; }

 private:
  void destroy() noexcept override { delete this; }
  StreamUses uses_;
};

}  // namespace

StorageRef allocate(Device where, std::size_t nbytes) {
  DeviceState& on = use(where);
  return on.memory->allocate(nbytes, current_timeline(on));
}

StorageRef allocate_empty(Device where) {
  return StorageRef(new EmptyDeviceStorage(where, current_timeline(use(where))));
}

MemoryStatistics statistics(Device where) { return look_at(where).memory->read_statistics(); }
void reset_peak(Device where) { look_at(where).memory->reset_peak(); }
void set_memory_limit(Device where, std::size_t nbytes) {
  look_at(where).memory->set_limit(nbytes);
}
std::size_t trim(Device where) { return use(where).memory->trim(); }

StorageRef adopt(Device where, const ForeignMemory& from) {
  return StorageRef(new ForeignDeviceStorage(where, from));
}

}  // namespace skerry::cuda
