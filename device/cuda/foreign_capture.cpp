// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/foreign_capture.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "core/errors.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/graph.hpp"

namespace skerry::cuda {

namespace {

/// Memory of one launch, owned by a graph.
struct RetainedMemory {
  std::vector<StorageRef> storages;
  RetainedMemory* next = nullptr;
};

/// Memory whose graphs have ended; a stack without a lock, as CUDA adds to it on a thread of its
/// own.
constinit std::atomic<RetainedMemory*> ended_memory{nullptr};

void note_ended(void* data) {
  auto* const memory = static_cast<RetainedMemory*>(data);
  memory->next = ended_memory.load();
  while (!ended_memory.compare_exchange_weak(memory->next, memory)) {
  }
}

}  // namespace

void ForeignCapture::wait_for_other_streams(std::span<const MemoryUse> uses) const {
  for (const MemoryUse& memory_use : uses) {
    StreamUses* const storage_uses = stream_uses(memory_use.memory());
    if (storage_uses == nullptr) continue;
    storage_uses->unfinished().for_each([&](const StreamUse& stream_use) {
      if (stream_use.stream_state == &stream_state_) return;
      if (stream_use.stream_state->wait(stream_use.epoch, "capture of a stream")) return;
      static_cast<void>(usable_state(stream_use.stream_state->device_state().device));
      throw ValueError(
          "earlier work on an array is on another stream that is being captured into a "
          "graph, so nothing can wait for it; end the capture");
    });
  }
}

void ForeignCapture::retain(std::span<const MemoryUse> uses) const {
  std::vector<StorageRef> memory;
  memory.reserve(uses.size());
  for (const MemoryUse& memory_use : uses) {
    memory_use.memory().retain();
    memory.emplace_back(&memory_use.memory());
  }
  retain(std::move(memory));
}

void ForeignCapture::retain(std::vector<StorageRef> memory) const {
  if (memory.empty()) return;
  auto retained_memory = std::make_unique<RetainedMemory>();
  retained_memory->storages = std::move(memory);
  check(call<&Api::stream_capture_retain>(
            stream_state_.handle(), static_cast<void*>(retained_memory.release()), note_ended),
        stream_state_.device_state(), "capture");
}

void ForeignCapture::release_memory_of_ended() noexcept {
  for (RetainedMemory* memory = ended_memory.exchange(nullptr); memory != nullptr;)
    delete std::exchange(memory, memory->next);
}

}  // namespace skerry::cuda

namespace skerry {

void reject_in_foreign_capture(Device device) {
  if (device.kind != cuda::kind) return;
  void* const stream = cuda::current_stream_handle(device);
  if (stream == cuda::legacy_stream) return;  // cannot be captured
  cuda::DeviceState& device_state = cuda::usable_state(device);
  const cuda::DeviceGuard guard(device_state);
  cuda::reject_capture(device_state, stream, "capture");
}

}  // namespace skerry
