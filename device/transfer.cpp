// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/transfer.hpp"

#include <atomic>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/memory.hpp"

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
  throw ValueError(std::string("copy_bytes: ") + name + " has " + std::to_string(block->nbytes()) +
                   " bytes, asked for " + std::to_string(nbytes) + " from " +
                   std::to_string(offset));
}

void read_device(char* to, bool to_page_locked, const StorageRef& source, const char* from,
                 std::size_t nbytes) {
  backend_of(source->where()).transfers.to_host(to, to_page_locked, source, from, nbytes);
  count_move(moved.device_to_host, nbytes);
}

/// Between devices of two kinds, neither of which knows the other's memory.
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
  // To read no bytes from a device that runs later is to wait for what they are a result of.
  if (nbytes == 0 && !capabilities_of(source->where()).runs_later) return;
  char* const to = target->data() + target_offset;
  const char* const from = source->data() + source_offset;
  const bool to_cpu = is_host(target->where());
  const bool from_cpu = is_host(source->where());
  if (to_cpu && from_cpu) {
    std::memmove(to, from, nbytes);
  } else if (from_cpu) {
    backend_of(target->where()).transfers.from_host(target, to, source, from, nbytes);
    count_move(moved.host_to_device, nbytes);
  } else if (to_cpu) {
    read_device(to, target->page_locked(), source, from, nbytes);
  } else if (target->where().kind == source->where().kind) {
    backend_of(target->where()).transfers.between(target, to, source, from, nbytes);
    count_move(moved.device_to_device, nbytes);
  } else {
    by_way_of_host(target, target_offset, source, source_offset, nbytes);
  }
}

Upload::Upload(const StorageRef& target)
    : target_(target), pieces_(backend_of(target->where()).transfers.open_upload(target)) {
  moved.count.fetch_add(1, std::memory_order_relaxed);
}

char* Upload::buffer(std::size_t nbytes) { return pieces_->buffer(nbytes); }

void Upload::send(std::size_t target_offset, std::size_t nbytes) {
  require_inside(target_, target_offset, nbytes, "the target");
  pieces_->send(target_->data() + target_offset, nbytes);
  moved.host_to_device.fetch_add(nbytes, std::memory_order_relaxed);
}

void read_bytes(void* target, const StorageRef& source, std::size_t source_offset,
                std::size_t nbytes) {
  require_inside(source, source_offset, nbytes, "the source");
  if (nbytes == 0 && !capabilities_of(source->where()).runs_later) return;
  const char* const from = source->data() + source_offset;
  if (is_host(source->where())) {
    std::memcpy(target, from, nbytes);
  } else {
    read_device(static_cast<char*>(target), false, source, from, nbytes);
  }
}

TransferStatistics transfers() noexcept {
  return {moved.host_to_device.load(), moved.device_to_host.load(), moved.device_to_device.load(),
          moved.count.load()};
}

}  // namespace skerry
