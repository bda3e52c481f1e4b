// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory shared with other libraries: arrays in memory of another library's allocator, and blocks
// of skerry's pool for other libraries.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/errors.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/streams.hpp"
#include "device/interchange.hpp"
#include "device/memory_resource.hpp"
#include "device/storage_attachment.hpp"

namespace skerry::cuda {

namespace {

/// The alignment of cudaMalloc, which vector loads of kernels rely on.
constexpr std::uintptr_t alignment = 256;

/// This thread is in a call of a MemoryResource.
constinit thread_local bool is_in_resource = false;

class ResourceScope {
 public:
  ResourceScope() noexcept : outer_(std::exchange(is_in_resource, true)) {}
  ResourceScope(const ResourceScope&) = delete;
  ResourceScope& operator=(const ResourceScope&) = delete;
  ~ResourceScope() { is_in_resource = outer_; }

 private:
  bool outer_;
};

/// Makes a stream one of skerry's during its lifetime.
class EnteredStream {
 public:
  EnteredStream(DeviceState& device_state, void* stream)
      : streams_(*device_state.streams), stream_state_(streams_.enter(known_handle(stream))) {}
  EnteredStream(const EnteredStream&) = delete;
  EnteredStream& operator=(const EnteredStream&) = delete;
  ~EnteredStream() { streams_.exit(stream_state_); }
  [[nodiscard]] StreamState& stream_state() const noexcept { return stream_state_; }

 private:
  static void* known_handle(void* stream) noexcept {
    return stream == nullptr || stream == per_thread_stream ? legacy_stream : stream;
  }
  StreamSet& streams_;
  StreamState& stream_state_;
};

/// Blocks in use by other libraries, by address.
struct LentBlocks {
  std::mutex mutex;
  std::unordered_map<void*, StorageRef> storages;

  StorageRef take(void* data) {
    const std::lock_guard lock(mutex);
    const auto entry = storages.find(data);
    if (entry == storages.end()) return {};
    StorageRef storage = std::move(entry->second);
    storages.erase(entry);
    return storage;
  }
};

/// Never destroyed: other libraries free memory at the end of the process.
LentBlocks& lent_blocks() {
  static auto* const blocks = new LentBlocks;
  return *blocks;
}

}  // namespace

void Pool::set_resource(std::shared_ptr<MemoryResource> resource) {
  {
    const std::lock_guard lock(mutex_);
    has_resource_.store(resource != nullptr, std::memory_order_relaxed);
    resource_.swap(resource);
  }
  // The previous one is released here, without the lock.
}

std::shared_ptr<MemoryResource> Pool::find_resource() {
  if (is_in_resource) return {};
  const std::lock_guard lock(mutex_);
  return resource_;
}

/// Returns memory_allocation if the resource has not enough memory. Throws ValueError for an
/// address that the device's arrays can't have, which is freed.
int Pool::call_resource(Block& item, void* stream, std::exception_ptr& failure) {
  failure = nullptr;
  try {
    const ResourceScope scope;
    item.data = item.resource->allocate(item.size.nbytes, stream);
  } catch (const std::exception&) {
    failure = std::current_exception();
    return memory_allocation;
  }
  if (item.data == nullptr) return memory_allocation;
  try {
    require_usable(item);
  } catch (...) {
    return_to_resource(item, stream);
    throw;
  }
  return success;
}

void Pool::require_usable(Block& item) {
  const std::string address = std::to_string(reinterpret_cast<std::uintptr_t>(item.data));
  const std::string subject = "the allocator of " + to_string(device_state_.device) + " returned " +
                              "address " + address + ", which is ";
  if (reinterpret_cast<std::uintptr_t>(item.data) % alignment != 0) {
    throw ValueError(subject + "not a multiple of " + std::to_string(alignment) +
                     "; align its blocks");
  }
  const PointerInfo pointer_info = inspect_pointer(item.data);
  const bool is_of_a_device =
      pointer_info.kind == PointerKind::device || pointer_info.kind == PointerKind::managed;
  if (!is_of_a_device) {
    throw ValueError(subject + "not memory of a CUDA device; use memory of that device");
  }
  if (pointer_info.kind == PointerKind::device && pointer_info.ordinal != device_state_.ordinal) {
    throw ValueError(subject + "memory of the device of CUDA ordinal " +
                     std::to_string(pointer_info.ordinal) +
                     "; allocate on the current device, which is that of the arrays");
  }
}

void Pool::return_to_resource(Block& item, void* stream) noexcept {
  const ResourceScope scope;
  item.resource->deallocate(item.data, item.size.nbytes, stream);
}

void set_memory_resource(Device device, std::shared_ptr<MemoryResource> resource) {
  usable_state(device).memory->set_resource(std::move(resource));
}

void* allocate_block(Device device, std::size_t nbytes, void* stream) {
  DeviceState& device_state = usable_state(device);
  const EnteredStream entered(device_state, stream);
  // Guarded blocks end at a page, so only whole multiples begin at one.
  const std::size_t whole_bytes = (nbytes + alignment - 1) / alignment * alignment;
  StorageRef storage = device_state.memory->allocate_own(whole_bytes, entered.stream_state());
  void* const data = storage->data();
  LentBlocks& blocks = lent_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.storages.emplace(data, std::move(storage));
  return data;
}

bool free_block(void* data, void* stream) noexcept {
  StorageRef storage = lent_blocks().take(data);
  if (!storage) return false;
  // In a forked child and at exit, only the host's part is released.
  if (!alive()) return true;
  DeviceState& device_state = *detail::states[storage->device().index];
  if (device_state.lost()) return true;
  try {
    const EnteredStream entered(device_state, stream);
    stream_uses(*storage)->note_export(entered.stream_state());
    storage = {};
  } catch (...) {
    // The stream can't be recorded, so the host waits for it.
    static_cast<void>(finish_work(device_state));
  }
  return true;
}

}  // namespace skerry::cuda
