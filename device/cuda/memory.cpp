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
class foreign_device_storage final : public foreign_storage {
 public:
  foreign_device_storage(device where, const foreign_memory& from) noexcept
      : foreign_storage(where, from),
        home_(from.producer_stream == nullptr || from.producer_stream == per_thread_stream
                  ? legacy_stream
                  : from.producer_stream) {}

  [[nodiscard]] stream_uses* uses() noexcept override { return &uses_; }

 private:
  void order_release() noexcept override {
    if (!alive()) return;
    device_state& on = *detail::states[where().index];
    if (on.lost()) return;
    uses_.take().for_each([&](const stream_use& each) {
      // What can't be waited for is lost, or captured: that graph's owner keeps the memory.
      if (!each.is_foreign) static_cast<void>(each.by->try_come_before(on, home_, each.stretch));
    });
  }

  void* home_;  ///< the owner reuses the memory in order with this stream
  stream_uses uses_;
};

/// An array of no elements: who reads it waits for the work that found that there are none.
class empty_device_storage final : public storage {
 public:
  empty_device_storage(device where, timeline& by) noexcept
      : storage(nullptr, 0, where), uses_(by) {}
  [[nodiscard]] stream_uses* uses() noexcept override { return &uses_; }

 private:
  void destroy() noexcept override { delete this; }
  stream_uses uses_;
};

}  // namespace

storage_ref allocate(device where, std::size_t nbytes) {
  device_state& on = use(where);
  return on.memory->allocate(nbytes, current_timeline(on));
}

storage_ref allocate_empty(device where) {
  return storage_ref(new empty_device_storage(where, current_timeline(use(where))));
}

memory_statistics statistics(device where) { return look_at(where).memory->read_statistics(); }
void reset_peak(device where) { look_at(where).memory->reset_peak(); }
void set_memory_limit(device where, std::size_t nbytes) {
  look_at(where).memory->set_limit(nbytes);
}
std::size_t trim(device where) { return use(where).memory->trim(); }

storage_ref adopt(device where, const foreign_memory& from) {
  return storage_ref(new foreign_device_storage(where, from));
}

}  // namespace skerry::cuda
