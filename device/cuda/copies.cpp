// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Copies to, from and between CUDA devices, and accesses of the host.

#include <optional>

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/device_graph.hpp"
#include "device/cuda/foreign_capture.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/storage_attachment.hpp"
#include "device/transfer.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* copying = "copy_bytes";

/// Returns the current stream for a copy from or to the host; throws if it is being captured.
StreamState& stream_for_copies(DeviceState& device_state) {
  StreamState& stream_state = current_stream_state(device_state);
  stream_state.limit_work();
  if (stream_state.handle() == legacy_stream) return stream_state;
  const DeviceGuard guard(device_state);
  reject_capture(device_state, stream_state.handle(), copying);
  return stream_state;
}

/// Waits for enqueued copies of host memory, also when it throws, so that the memory may be freed
/// or written again.
void end_copy(DeviceState& device_state, void* stream, int code) {
  if (code == success) code = call<&Api::stream_synchronize>(stream);
  if (code != success)
    static_cast<void>(finish_work(device_state));  // if this fails the device is lost and copies
                                                   // nothing
  check(code, device_state, copying);
}

static_assert(Upload::max_bytes == Staging::chunk_bytes);

class PinnedChunks final : public UploadChunks {
 public:
  PinnedChunks(const StorageRef& target, StreamState& stream_state)
      : uses_{writes(target)},
        ordered_(stream_state, uses_),
        bytes_(*stream_state.device_state().chunks, stream_state.handle()) {}
  char* buffer(std::size_t nbytes) override { return bytes_.buffer(nbytes); }
  void send(char* target_data, std::size_t nbytes) override { bytes_.send(target_data, nbytes); }

 private:
  const MemoryUse uses_[1];
  const OrderedWork ordered_;
  Staging::Upload bytes_;
};

}  // namespace

void copy_from_host(const StorageRef& target, char* target_data, const StorageRef& source,
                    const char* source_data, std::size_t nbytes) {
  DeviceState& device_state = usable_state(target->device());
  StreamState& stream_state = stream_for_copies(device_state);
  void* const handle = stream_state.handle();
  const MemoryUse uses[] = {writes(target)};
  OrderedWork ordered(stream_state, uses);
  if (!is_page_locked(*source)) {
    device_state.chunks->to_device(target_data, source_data, nbytes, handle);
  } else {
    // Copies without staging, so wait: the caller may overwrite the source on return.
    const DeviceGuard guard(device_state);
    ordered.begin_wait();
    end_copy(
        device_state, handle,
        call<&Api::copy_async>(target_data, source_data, nbytes, CopyKind::host_to_device, handle));
    ordered.note_done();
  }
}

void copy_to_host(char* target_data, bool to_page_locked, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) {
  DeviceState& device_state = usable_state(source->device());
  StreamState& stream_state = stream_for_copies(device_state);
  void* const handle = stream_state.handle();
  const std::uint64_t end_number = device_state.deferred->next();
  const MemoryUse uses[] = {reads(source)};
  OrderedWork ordered(stream_state, uses);
  ordered.begin_wait();
  if (nbytes == 0) {
    const DeviceGuard guard(device_state);
    end_copy(device_state, handle, success);
  } else if (!to_page_locked) {
    device_state.chunks->to_host(target_data, source_data, nbytes, handle);
  } else {
    const DeviceGuard guard(device_state);
    end_copy(
        device_state, handle,
        call<&Api::copy_async>(target_data, source_data, nbytes, CopyKind::device_to_host, handle));
  }
  ordered.note_done();
  device_state.deferred->raise_after_wait(handle, end_number);
}

void make_ready_on_host(const StorageRef& memory) {
  DeviceState& device_state = usable_state(memory->device());
  StreamState& stream_state = stream_for_copies(device_state);
  void* const handle = stream_state.handle();
  const std::uint64_t end_number = device_state.deferred->next();
  const MemoryUse uses[] = {writes(memory)};
  OrderedWork ordered(stream_state, uses);
  ordered.begin_wait();
  {
    const DeviceGuard guard(device_state);
    end_copy(device_state, handle, success);
  }
  ordered.note_done();
  device_state.deferred->raise_after_wait(handle, end_number);
}

/// Copies on the target device's current stream.
void copy_between(const StorageRef& target, char* target_data, const StorageRef& source,
                  const char* source_data, std::size_t nbytes) {
  DeviceState& device_state = usable_state(target->device());
  DeviceState& origin = usable_state(source->device());
  StreamState& stream_state = current_stream_state(device_state);
  stream_state.limit_work();
  const bool same_gpu = device_state.ordinal == origin.ordinal;
  // The driver stages copies where there is no peer access; this enables peer access where it
  // exists.
  if (!same_gpu && nbytes > 0) static_cast<void>(route_between(device_state, origin));

  const MemoryUse uses[] = {writes(target), reads(source)};
  std::optional<ForeignCapture> capture;
  {
    const DeviceGuard guard(device_state);
    if (is_in_foreign_capture(device_state, stream_state.handle(), copying)) {
      capture.emplace(stream_state);
      capture->wait_for_other_streams(uses);
      capture->retain(uses);
    }
  }
  const OrderedWork ordered(stream_state, uses);
  note_dependency(device_state, origin);
  if (nbytes == 0) return;
  DeviceGraph* const graph = DeviceGraph::captured();
  if (graph != nullptr) graph->order(device_state, origin);
  const DeviceGuard guard(device_state);
  const int code = same_gpu
                       ? call<&Api::copy_async>(target_data, source_data, nbytes,
                                                CopyKind::device_to_device, stream_state.handle())
                       : call<&Api::copy_peer_async>(target_data, device_state.ordinal, source_data,
                                                     origin.ordinal, nbytes, stream_state.handle());
  check(code, device_state, copying);
  if (graph != nullptr) graph->order(origin, device_state);
}

bool does_from_host_wait(Device target, const Storage* source, std::size_t nbytes) {
  Staging& chunks = *usable_state(target).chunks;
  if (source == nullptr) return chunks.does_upload_wait(nbytes);
  return is_page_locked(*source) || chunks.does_copy_wait(nbytes);
}

std::unique_ptr<UploadChunks> open_upload(const StorageRef& target) {
  return std::make_unique<PinnedChunks>(target, stream_for_copies(usable_state(target->device())));
}

}  // namespace skerry::cuda
