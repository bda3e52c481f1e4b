// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory of CUDA devices, allocated here or by other libraries.

#include "device/memory.hpp"

#include "device/cuda/device_graph.hpp"
#include "device/cuda/foreign_capture.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/foreign_storage.hpp"

namespace skerry::cuda {

namespace {

/// Releases its owner only after ordering skerry's work on the memory before later work of the
/// producer's stream. This is the second half of the CUDA array interface's rule, which makes reuse
/// in stream order by the producer's allocator safe.
class ForeignDeviceStorage final : public ForeignStorage {
 public:
  ForeignDeviceStorage(Device device, const ForeignMemory& foreign_memory) noexcept
      : ForeignStorage(device, foreign_memory, &uses_),
        owner_stream_(foreign_memory.producer_stream == nullptr ||
                              foreign_memory.producer_stream == per_thread_stream
                          ? legacy_stream
                          : foreign_memory.producer_stream) {}

 private:
  void order_release() noexcept override {
    if (!alive()) return;
    DeviceState& device_state = *detail::states[device().index];
    if (device_state.lost()) return;
    uses_.take().for_each([&](const StreamUse& stream_use) {
      // A use that can't be waited for is on a lost device, or captured: then the graph's owner
      // keeps the memory.
      if (!stream_use.is_foreign)
        static_cast<void>(
            stream_use.stream_state->try_precede(device_state, owner_stream_, stream_use.epoch));
    });
  }

  void* owner_stream_;  ///< the owner reuses the memory in order with this stream
  StreamUses uses_;
};

/// Storage of an array without elements whose size was computed on the device: a reader waits for
/// that work.
class EmptyDeviceStorage final : public Storage {
 public:
  EmptyDeviceStorage(Device device, StreamState& stream_state) noexcept
      : Storage(nullptr, 0, device, false, &attachment_), uses_(stream_state) {}

 private:
  void destroy() noexcept override { delete this; }
  StreamUses uses_;
  const StorageAttachment attachment_{.uses = &uses_};
};

}  // namespace

StorageRef allocate(Device device, std::size_t nbytes) {
  DeviceState& device_state = usable_state(device);
  if (DeviceGraph* const graph = DeviceGraph::captured())
    return graph->allocate(device_state, nbytes);
  return device_state.memory->allocate(nbytes, current_stream_state(device_state));
}

StorageRef allocate_managed(Device device, std::size_t nbytes) {
  DeviceState& device_state = usable_state(device);
  if (device_state.properties.supports_managed_memory == 0) {
    throw NotImplementedError(
        to_string(device) +
        " has no managed memory that the host can access while kernels run; use device memory, and "
        "copy it with to_device");
  }
  reject_in_capture("an allocation of managed memory");
  StreamState& stream_state = current_stream_state(device_state);
  {
    const DeviceGuard guard(device_state);
    reject_capture(device_state, stream_state.handle(), "allocate");
  }
  return device_state.memory->allocate_managed(nbytes, stream_state);
}

StorageRef allocate_empty(Device device) {
  DeviceState& device_state = usable_state(device);
  // In a capture nothing has run yet that a reader could wait for.
  return StorageRef(new EmptyDeviceStorage(device, DeviceGraph::captured() != nullptr
                                                       ? device_state.streams->legacy()
                                                       : current_stream_state(device_state)));
}

MemoryStatistics statistics(Device device) {
  ForeignCapture::release_memory_of_ended();
  return look_at(device).memory->read_statistics();
}
void reset_peak(Device device) { look_at(device).memory->reset_peak(); }
void set_memory_limit(Device device, std::size_t nbytes) {
  look_at(device).memory->set_limit(nbytes);
}
std::size_t trim(Device device) {
  ForeignCapture::release_memory_of_ended();
  return usable_state(device).memory->trim();
}

StorageRef adopt(Device device, const ForeignMemory& foreign_memory) {
  return StorageRef(new ForeignDeviceStorage(device, foreign_memory));
}

}  // namespace skerry::cuda
