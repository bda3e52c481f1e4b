// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Bytes on their way to, from and between CUDA devices.

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/transfer.hpp"

namespace skerry::cuda {

namespace {

constexpr const char* copying = "copy_bytes";

/// The current stream, for a copy.
Timeline& stream_for_copies(DeviceState& on) {
  Timeline& work = current_timeline(on);
  work.limit_work();
  if (work.handle() == legacy_stream) return work;
  const DeviceGuard guard(on);
  refuse_capture(on, work.handle(), copying);
  return work;
}

/// Enqueued copies of host memory have ended when it returns or throws: the memory may be freed or
/// written again.
void end_copy(DeviceState& on, void* stream, int code) {
  if (code == success) code = call<&Api::stream_synchronize>(stream);
  if (code != success) static_cast<void>(finish_work(on));  // else it is lost, and copies nothing
  check(code, on, copying);
}

static_assert(Upload::most_bytes == Staging::chunk_bytes);

class PinnedPieces final : public UploadPieces {
 public:
  PinnedPieces(const StorageRef& target, Timeline& work)
      : uses_{writes(target)}, ordered_(work, uses_), bytes_(*work.on().chunks, work.handle()) {}
  char* buffer(std::size_t nbytes) override { return bytes_.buffer(nbytes); }
  void send(char* to, std::size_t nbytes) override { bytes_.send(to, nbytes); }

 private:
  const MemoryUse uses_[1];
  const OrderedWork ordered_;
  Staging::Upload bytes_;
};

}  // namespace

void copy_from_host(const StorageRef& target, char* to, const StorageRef& source, const char* from,
                    std::size_t nbytes) {
  DeviceState& on = use(target->where());
  Timeline& work = stream_for_copies(on);
  void* const handle = work.handle();
  const MemoryUse uses[] = {writes(target)};
  OrderedWork ordered(work, uses);
  if (!source->page_locked()) {
    on.chunks->to_device(to, from, nbytes, handle);
  } else {
    // No intermediate copy, but the CPU may write the source again as soon as this returns.
    const DeviceGuard guard(on);
    ordered.begin_wait();
    end_copy(on, handle,
             call<&Api::copy_async>(to, from, nbytes, CopyKind::host_to_device, handle));
    ordered.passed();
  }
}

void copy_to_host(char* to, bool to_page_locked, const StorageRef& source, const char* from,
                  std::size_t nbytes) {
  DeviceState& on = use(source->where());
  Timeline& work = stream_for_copies(on);
  void* const handle = work.handle();
  const std::uint64_t before = on.deferred->next();
  const MemoryUse uses[] = {reads(source)};
  OrderedWork ordered(work, uses);
  ordered.begin_wait();
  if (nbytes == 0) {
    const DeviceGuard guard(on);
    end_copy(on, handle, success);
  } else if (!to_page_locked) {
    on.chunks->to_host(to, from, nbytes, handle);
  } else {
    const DeviceGuard guard(on);
    end_copy(on, handle,
             call<&Api::copy_async>(to, from, nbytes, CopyKind::device_to_host, handle));
  }
  ordered.passed();
  on.deferred->waited(handle, before);
}

/// On the target's stream.
void copy_between(const StorageRef& target, char* to, const StorageRef& source, const char* from,
                  std::size_t nbytes) {
  DeviceState& on = use(target->where());
  DeviceState& origin = use(source->where());
  Timeline& work = stream_for_copies(on);
  const bool same_gpu = on.ordinal == origin.ordinal;
  // The driver stages by itself where there is no peer access; asking enables it where it exists.
  if (!same_gpu && nbytes > 0) static_cast<void>(route_between(on, origin));

  const MemoryUse uses[] = {writes(target), reads(source)};
  const OrderedWork ordered(work, uses);
  note_source(on, origin);
  if (nbytes == 0) return;
  const DeviceGuard guard(on);
  const int code =
      same_gpu ? call<&Api::copy_async>(to, from, nbytes, CopyKind::device_to_device, work.handle())
               : call<&Api::copy_peer_async>(to, on.ordinal, from, origin.ordinal, nbytes,
                                             work.handle());
  check(code, on, copying);
}

std::unique_ptr<UploadPieces> open_upload(const StorageRef& target) {
  return std::make_unique<PinnedPieces>(target, stream_for_copies(use(target->where())));
}

}  // namespace skerry::cuda
