// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/transfer.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/cuda/deferred.hpp"
#include "device/cuda/runtime.hpp"
#include "device/cuda/staging.hpp"
#include "device/cuda/stream_uses.hpp"
#include "device/cuda/streams.hpp"
#include "device/registry.hpp"

namespace skerry {

namespace {

constexpr const char* copying = "copy_bytes";

struct counters {
  std::atomic<unsigned long long> host_to_device{0};
  std::atomic<unsigned long long> device_to_host{0};
  std::atomic<unsigned long long> device_to_device{0};
  std::atomic<unsigned long long> count{0};
};
constinit counters moved;

void count_move(std::atomic<unsigned long long>& kind, std::size_t nbytes) noexcept {
  kind.fetch_add(nbytes, std::memory_order_relaxed);
  moved.count.fetch_add(1, std::memory_order_relaxed);
}

void require_inside(const storage_ref& block, std::size_t offset, std::size_t nbytes,
                    const char* name) {
  if (offset <= block->nbytes() && nbytes <= block->nbytes() - offset) return;
  throw value_error(std::string("copy_bytes: ") + name + " has " + std::to_string(block->nbytes()) +
                    " bytes, asked for " + std::to_string(nbytes) + " from " +
                    std::to_string(offset));
}

/// The current stream, for a copy.
cuda::timeline& stream_for_copies(cuda::device_state& on) {
  cuda::timeline& work = cuda::current_timeline(on);
  if (work.handle() == cuda::legacy_stream) return work;
  const cuda::device_guard guard(on);
  cuda::refuse_capture(on, work.handle(), copying);
  return work;
}

void host_to_device(const storage_ref& target, char* to, const storage_ref& source,
                    const char* from, std::size_t nbytes) {
  cuda::device_state& on = cuda::use(target->where());
  cuda::timeline& work = stream_for_copies(on);
  void* const handle = work.handle();
  const memory_use uses[] = {writes(target)};
  cuda::ordered_work ordered(work, uses);
  if (!source->page_locked()) {
    on.chunks->to_device(to, from, nbytes, handle);
  } else {
    // No intermediate copy, but the CPU may write the source again as soon as this returns.
    const cuda::device_guard guard(on);
    ordered.begin_wait();
    cuda::check(cuda::calls().copy_async(to, from, nbytes, cuda::copy_kind::host_to_device, handle),
                on, copying);
    cuda::check(cuda::calls().stream_synchronize(handle), on, copying);
    ordered.passed();
  }
  count_move(moved.host_to_device, nbytes);
}

void device_to_host(char* to, bool to_page_locked, const storage_ref& source, const char* from,
                    std::size_t nbytes) {
  cuda::device_state& on = cuda::use(source->where());
  cuda::timeline& work = stream_for_copies(on);
  void* const handle = work.handle();
  const std::uint64_t before = on.deferred->next();
  const memory_use uses[] = {reads(source)};
  cuda::ordered_work ordered(work, uses);
  ordered.begin_wait();
  if (!to_page_locked) {
    on.chunks->to_host(to, from, nbytes, handle);
  } else {
    const cuda::device_guard guard(on);
    cuda::check(cuda::calls().copy_async(to, from, nbytes, cuda::copy_kind::device_to_host, handle),
                on, copying);
    cuda::check(cuda::calls().stream_synchronize(handle), on, copying);
  }
  ordered.passed();
  count_move(moved.device_to_host, nbytes);
  on.deferred->waited(handle, before);
}

/// On the target's stream.
void between_devices(const storage_ref& target, char* to, const storage_ref& source,
                     const char* from, std::size_t nbytes) {
  cuda::device_state& on = cuda::use(target->where());
  cuda::device_state& origin = cuda::use(source->where());
  cuda::timeline& work = stream_for_copies(on);
  const bool same_gpu = on.ordinal == origin.ordinal;
  // The driver stages by itself where there is no peer access; asking enables it where it exists.
  if (!same_gpu) static_cast<void>(cuda::route_between(on, origin));

  const memory_use uses[] = {writes(target), reads(source)};
  const cuda::ordered_work ordered(work, uses);
  const cuda::device_guard guard(on);
  const int code = same_gpu
                       ? cuda::calls().copy_async(to, from, nbytes,
                                                  cuda::copy_kind::device_to_device, work.handle())
                       : cuda::calls().copy_peer_async(to, on.ordinal, from, origin.ordinal, nbytes,
                                                       work.handle());
  cuda::check(code, on, copying);
  count_move(moved.device_to_device, nbytes);
}

}  // namespace

void copy_bytes(const storage_ref& target, std::size_t target_offset, const storage_ref& source,
                std::size_t source_offset, std::size_t nbytes) {
  require_inside(target, target_offset, nbytes, "the target");
  require_inside(source, source_offset, nbytes, "the source");
  if (nbytes == 0) return;
  char* const to = target->data() + target_offset;
  const char* const from = source->data() + source_offset;
  const bool to_cpu = target->where().kind == device_kind::cpu;
  const bool from_cpu = source->where().kind == device_kind::cpu;
  if (to_cpu && from_cpu) {
    std::memmove(to, from, nbytes);
  } else if (from_cpu) {
    host_to_device(target, to, source, from, nbytes);
  } else if (to_cpu) {
    device_to_host(to, target->page_locked(), source, from, nbytes);
  } else {
    between_devices(target, to, source, from, nbytes);
  }
}

struct upload::chunks {
  chunks(const storage_ref& target, cuda::timeline& work)
      : uses{writes(target)}, ordered(work, uses), bytes(*work.on().chunks, work.handle()) {}
  const memory_use uses[1];
  const cuda::ordered_work ordered;
  cuda::staging::upload bytes;
};

static_assert(upload::most_bytes == cuda::staging::chunk_bytes);

upload::upload(const storage_ref& target)
    : target_(target),
      chunks_(std::make_unique<chunks>(target, stream_for_copies(cuda::use(target->where())))) {
  moved.count.fetch_add(1, std::memory_order_relaxed);
}

upload::~upload() = default;

char* upload::room(std::size_t nbytes) { return chunks_->bytes.room(nbytes); }

void upload::send(std::size_t target_offset, std::size_t nbytes) {
  require_inside(target_, target_offset, nbytes, "the target");
  chunks_->bytes.send(target_->data() + target_offset, nbytes);
  moved.host_to_device.fetch_add(nbytes, std::memory_order_relaxed);
}

void read_bytes(void* target, const storage_ref& source, std::size_t source_offset,
                std::size_t nbytes) {
  require_inside(source, source_offset, nbytes, "the source");
  if (nbytes == 0) return;
  const char* const from = source->data() + source_offset;
  if (source->where().kind == device_kind::cpu) {
    std::memcpy(target, from, nbytes);
  } else {
    device_to_host(static_cast<char*>(target), false, source, from, nbytes);
  }
}

transfer_statistics transfers() noexcept {
  return {moved.host_to_device.load(), moved.device_to_host.load(), moved.device_to_device.load(),
          moved.count.load()};
}

}  // namespace skerry
