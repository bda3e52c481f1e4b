// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/transfer.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/host_action.hpp"
#include "device/memory.hpp"
#include "device/storage_attachment.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

struct Counters {
  std::atomic<unsigned long long> host_to_device{0};
  std::atomic<unsigned long long> device_to_host{0};
  std::atomic<unsigned long long> device_to_device{0};
  std::atomic<unsigned long long> count{0};
};
constinit Counters moved;

void count_move(std::atomic<unsigned long long>& kind, std::size_t nbytes) noexcept {
  kind.fetch_add(nbytes, std::memory_order_relaxed);
  moved.count.fetch_add(1, std::memory_order_relaxed);
}

void require_inside(const StorageRef& block, std::size_t offset, std::size_t nbytes,
                    const char* name) {
  if (offset <= block->nbytes() && nbytes <= block->nbytes() - offset) return;
  throw ValueError(std::string(name) + " has " + std::to_string(block->nbytes()) +
                   " bytes; requested " + std::to_string(nbytes) + " from offset " +
                   std::to_string(offset));
}

/// Describes a copy to a device from host memory: from `memory`, or from an upload if it is null.
HostAction describe_upload(Device target, Device source, const Storage* memory,
                           std::size_t nbytes) {
  const auto does_wait = backend_of(target).transfers.does_from_host_wait;
  return {.kind = ActionKind::transfer,
          .cause = "copy to the device",
          .source = source,
          .target = target,
          .nbytes = nbytes,
          .stream = current_stream_handle(target),
          .is_page_locked = memory != nullptr && is_page_locked(*memory),
          .waits = does_wait != nullptr && does_wait(target, memory, nbytes)};
}

/// A copy of 0 bytes is only a wait.
HostAction describe_read(Device target, bool to_page_locked, Device source, std::size_t nbytes) {
  return {.kind = nbytes == 0 ? ActionKind::sync : ActionKind::transfer,
          .cause = "copy to the host",
          .source = source,
          .target = target,
          .nbytes = nbytes,
          .stream = current_stream_handle(source),
          .is_page_locked = to_page_locked,
          .waits = capabilities_of(source).runs_later};
}

/// A copy inside one device is not a transfer; it is not announced.
HostAction describe_copy(Device target, Device source, std::size_t nbytes) {
  return {.kind = ActionKind::transfer,
          .cause = "copy between devices",
          .source = source,
          .target = target,
          .nbytes = nbytes,
          .stream = current_stream_handle(target)};
}

void read_device(Device target, char* target_data, bool to_page_locked, const StorageRef& source,
                 const char* source_data, std::size_t nbytes) {
  const Announcement announcement(
      [&] { return describe_read(target, to_page_locked, source->device(), nbytes); });
  backend_of(source->device())
      .transfers.to_host(target_data, to_page_locked, source, source_data, nbytes);
  count_move(moved.device_to_host, nbytes);
}

/// Copies between devices of two kinds, which cannot access each other's memory.
void by_way_of_host(const StorageRef& target, std::size_t target_offset, const StorageRef& source,
                    std::size_t source_offset, std::size_t nbytes) {
  const StorageRef on_host = allocate(Device{}, nbytes);
  copy_bytes(on_host, 0, source, source_offset, nbytes);
  copy_bytes(target, target_offset, on_host, 0, nbytes);
}

}  // namespace

void copy_bytes(const StorageRef& target, std::size_t target_offset, const StorageRef& source,
                std::size_t source_offset, std::size_t nbytes) {
  require_inside(target, target_offset, nbytes, "the target");
  require_inside(source, source_offset, nbytes, "the source");
  // Even a copy of 0 bytes from a device that runs later waits for the work that produces them.
  if (nbytes == 0 && !capabilities_of(source->device()).runs_later) return;
  char* const target_data = target->data() + target_offset;
  const char* const source_data = source->data() + source_offset;
  const bool to_cpu = is_host(target->device());
  const bool from_cpu = is_host(source->device());
  if (to_cpu && from_cpu) {
    std::memmove(target_data, source_data, nbytes);
  } else if (from_cpu) {
    const Announcement announcement(
        [&] { return describe_upload(target->device(), source->device(), source.get(), nbytes); });
    backend_of(target->device())
        .transfers.from_host(target, target_data, source, source_data, nbytes);
    count_move(moved.host_to_device, nbytes);
  } else if (to_cpu) {
    read_device(target->device(), target_data, is_page_locked(*target), source, source_data,
                nbytes);
  } else if (target->device().kind == source->device().kind) {
    const auto copy = [&] {
      backend_of(target->device())
          .transfers.between(target, target_data, source, source_data, nbytes);
    };
    if (target->device() == source->device()) {
      copy();
    } else {
      const Announcement announcement(
          [&] { return describe_copy(target->device(), source->device(), nbytes); });
      copy();
    }
    count_move(moved.device_to_device, nbytes);
  } else {
    by_way_of_host(target, target_offset, source, source_offset, nbytes);
  }
}

bool Upload::is_possible(Device source, Device target) noexcept {
  return is_host(source) && backend_of(target).transfers.open_upload != nullptr;
}

Upload::Upload(const StorageRef& target, Device source, std::size_t nbytes)
    : target_(target),
      announcement_([&] { return describe_upload(target->device(), source, nullptr, nbytes); }),
      chunks_(backend_of(target->device()).transfers.open_upload(target)) {
  moved.count.fetch_add(1, std::memory_order_relaxed);
}

char* Upload::buffer(std::size_t nbytes) { return chunks_->buffer(nbytes); }

void Upload::send(std::size_t target_offset, std::size_t nbytes) {
  require_inside(target_, target_offset, nbytes, "the target");
  chunks_->send(target_->data() + target_offset, nbytes);
  moved.host_to_device.fetch_add(nbytes, std::memory_order_relaxed);
}

void read_bytes(void* target, const StorageRef& source, std::size_t source_offset,
                std::size_t nbytes) {
  require_inside(source, source_offset, nbytes, "the source");
  if (nbytes == 0 && !capabilities_of(source->device()).runs_later) return;
  const char* const source_data = source->data() + source_offset;
  if (is_host(source->device())) {
    std::memcpy(target, source_data, nbytes);
  } else {
    read_device(Device{}, static_cast<char*>(target), false, source, source_data, nbytes);
  }
}

TransferStatistics transfers() noexcept {
  return {moved.host_to_device.load(), moved.device_to_host.load(), moved.device_to_device.load(),
          moved.count.load()};
}

}  // namespace skerry
