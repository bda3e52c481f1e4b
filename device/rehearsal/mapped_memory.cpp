// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/mapped_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "device/cuda/api.hpp"

namespace skerry::rehearsal {

namespace {

// An address hint beyond those of the devices' own ranges.
constexpr std::uintptr_t wish =
    AddressRange::first_wish + std::uintptr_t{max_devices} * AddressRange::wished_stride;

void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

constexpr bool is_whole(std::size_t nbytes) noexcept {
  return nbytes != 0 && nbytes % MappedMemory::granularity == 0;
}

constexpr int no_access = PROT_NONE;
constexpr int no_memory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

/// Physical memory: an anonymous file, since only files can be mapped at several addresses.
struct MappedMemory::Physical {
  Physical(int device_ordinal, std::size_t size, std::atomic<std::size_t>& live)
      : file(memfd_create("skerry", MFD_CLOEXEC)),
        ordinal(device_ordinal),
        nbytes(size),
        live_bytes(live) {
    live_bytes.fetch_add(nbytes);
  }
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical() {
    if (file >= 0) close(file);
    live_bytes.fetch_sub(nbytes);
  }
  [[nodiscard]] bool is_there() const noexcept {
    return file >= 0 && ftruncate(file, static_cast<off_t>(nbytes)) == 0;
  }

  const int file;
  const int ordinal;
  const std::size_t nbytes;
  std::uint64_t handle = 0;
  std::atomic<std::size_t>& live_bytes;
};

int MappedMemory::reserve(void** data, std::size_t nbytes, std::size_t alignment) noexcept try {
  if (!is_whole(nbytes) || (alignment & (alignment - 1)) != 0) return cuda::invalid_value;
  const std::size_t unit = std::max(alignment, granularity);
  const std::size_t span = nbytes + unit;
  if (span < nbytes) return cuda::memory_allocation;
  const std::unique_lock lock(mutex_);
  const std::uintptr_t hint =
      reserved_.empty() ? wish : reserved_.rbegin()->first + reserved_.rbegin()->second;
  void* const got = mmap(pointer(hint), span, no_access, no_memory, -1, 0);
  if (got == MAP_FAILED) return cuda::memory_allocation;
  const std::uintptr_t begin = (address(got) + unit - 1) / unit * unit;
  if (const std::size_t leading_bytes = begin - address(got); leading_bytes != 0)
    munmap(got, leading_bytes);
  munmap(pointer(begin + nbytes), address(got) + span - begin - nbytes);
  try {
    reserved_.emplace(begin, nbytes);
  } catch (...) {
    munmap(pointer(begin), nbytes);
    throw;
  }
  is_used_.store(true);
  *data = pointer(begin);
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::free_addresses(void* data, std::size_t nbytes) noexcept {
  const std::unique_lock lock(mutex_);
  const auto range = reserved_.find(address(data));
  if (range == reserved_.end() || range->second != nbytes) return cuda::invalid_value;
  const auto inside = mapped_.lower_bound(address(data));
  if (inside != mapped_.end() && inside->first - address(data) < nbytes) return cuda::invalid_value;
  munmap(data, nbytes);
  reserved_.erase(range);
  return cuda::success;
}

int MappedMemory::create(std::uint64_t* handle, int ordinal, std::size_t nbytes,
                         std::size_t limit) noexcept try {
  if (!is_whole(nbytes)) return cuda::invalid_value;
  if (nbytes > limit) return cuda::memory_allocation;
  auto physical =
      std::make_shared<Physical>(ordinal, nbytes, live_bytes_[static_cast<std::size_t>(ordinal)]);
  if (!physical->is_there()) return cuda::memory_allocation;
  const std::unique_lock lock(mutex_);
  physical->handle = next_handle_++;
  *handle = physical->handle;
  handles_.emplace(*handle, HandleUses{std::move(physical), 1});
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::retain(std::uint64_t* handle, const void* data) noexcept try {
  const std::unique_lock lock(mutex_);
  const Mapping* const mapping = find_mapping(data);
  if (mapping == nullptr) return cuda::invalid_value;
  HandleUses& uses = handles_[mapping->memory->handle];
  uses.memory = mapping->memory;
  ++uses.count;
  *handle = mapping->memory->handle;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::release(std::uint64_t handle) noexcept {
  const std::unique_lock lock(mutex_);
  const auto entry = handles_.find(handle);
  if (entry == handles_.end()) return cuda::invalid_value;
  if (--entry->second.count == 0) handles_.erase(entry);
  return cuda::success;
}

int MappedMemory::map(void* data, std::size_t nbytes, std::uint64_t handle) noexcept try {
  const std::unique_lock lock(mutex_);
  const auto entry = handles_.find(handle);
  if (entry == handles_.end() || !is_whole(nbytes)) return cuda::invalid_value;
  const std::shared_ptr<Physical>& memory = entry->second.memory;
  const std::uintptr_t begin = address(data);
  if (nbytes > memory->nbytes || begin % granularity != 0) return cuda::invalid_value;
  if (!is_reserved(begin, nbytes)) return cuda::invalid_value;
  const auto next_mapping = mapped_.lower_bound(begin);
  if (next_mapping != mapped_.end() && next_mapping->first - begin < nbytes)
    return cuda::invalid_value;
  if (find_mapping(data) != nullptr) return cuda::invalid_value;
  const auto [new_mapping, is_new] = mapped_.emplace(begin, Mapping{nbytes, memory, {}});
  static_cast<void>(is_new);
  const int flags = MAP_SHARED | MAP_FIXED;
  if (mmap(data, nbytes, PROT_READ | PROT_WRITE, flags, memory->file, 0) == MAP_FAILED) {
    mapped_.erase(new_mapping);
    return cuda::memory_allocation;
  }
  if (const MemoryMonitor* const monitor = memory_watcher.load()) monitor->allocated(data, nbytes);
  if (const auto observe = allocation_observer.load()) observe(data, nbytes);
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::unmap(void* data, std::size_t nbytes) noexcept {
  const std::unique_lock lock(mutex_);
  const auto [first, last] = filling(data, nbytes);
  if (first == last) return cuda::invalid_value;
  // The addresses stay reserved.
  mmap(data, nbytes, no_access, no_memory | MAP_FIXED, -1, 0);
  mapped_.erase(first, last);
  return cuda::success;
}

int MappedMemory::set_access(void* data, std::size_t nbytes, int reader, bool may) noexcept {
  const std::unique_lock lock(mutex_);
  const auto [first, last] = filling(data, nbytes);
  if (first == last) return cuda::invalid_value;
  for (auto mapping = first; mapping != last; ++mapping) {
    mapping->second.readers.set(static_cast<std::size_t>(reader), may);
  }
  return cuda::success;
}

bool MappedMemory::contains(const void* data) const noexcept {
  if (!is_used_.load(std::memory_order_acquire)) return false;
  const std::shared_lock lock(mutex_);
  return is_reserved(address(data), 1);
}

int MappedMemory::owner(const void* data) const noexcept {
  if (!is_used_.load(std::memory_order_acquire)) return -1;
  const std::shared_lock lock(mutex_);
  const Mapping* const mapping = find_mapping(data);
  return mapping != nullptr ? mapping->memory->ordinal : -1;
}

int MappedMemory::owner_of(std::uint64_t handle) const noexcept {
  const std::shared_lock lock(mutex_);
  const auto entry = handles_.find(handle);
  return entry != handles_.end() ? entry->second.memory->ordinal : -1;
}

bool MappedMemory::covers(const void* data, std::size_t nbytes) const noexcept {
  const std::shared_lock lock(mutex_);
  std::uintptr_t position = address(data);
  const std::uintptr_t end = position + nbytes;
  do {
    std::uintptr_t begin = 0;
    const Mapping* const mapping = find_mapping(pointer(position), &begin);
    if (mapping == nullptr || mapping->readers.none()) return false;
    position = begin + mapping->nbytes;
  } while (position < end);
  return true;
}

MemoryBlock MappedMemory::find(const void* data) const noexcept {
  const std::shared_lock lock(mutex_);
  std::uintptr_t begin = 0;
  const Mapping* const mapping = find_mapping(data, &begin);
  return mapping != nullptr ? MemoryBlock{pointer(begin), mapping->nbytes} : MemoryBlock{};
}

bool MappedMemory::may_access(int reader, const void* data) const noexcept {
  const std::shared_lock lock(mutex_);
  const Mapping* const mapping = find_mapping(data);
  return mapping != nullptr && mapping->readers[static_cast<std::size_t>(reader)];
}

const MappedMemory::Mapping* MappedMemory::find_mapping(const void* data,
                                                        std::uintptr_t* begin) const noexcept {
  const auto next_mapping = mapped_.upper_bound(address(data));
  if (next_mapping == mapped_.begin()) return nullptr;
  const auto& [start, mapping] = *std::prev(next_mapping);
  if (address(data) - start >= mapping.nbytes) return nullptr;
  if (begin != nullptr) *begin = start;
  return &mapping;
}

bool MappedMemory::is_reserved(std::uintptr_t begin, std::size_t nbytes) const noexcept {
  const auto next_range = reserved_.upper_bound(begin);
  if (next_range == reserved_.begin()) return false;
  const auto& [start, size] = *std::prev(next_range);
  const std::uintptr_t offset = begin - start;
  return offset < size && nbytes <= size - offset;
}

std::pair<MappedMemory::mappings::iterator, MappedMemory::mappings::iterator> MappedMemory::filling(
    const void* data, std::size_t nbytes) noexcept {
  const std::pair none{mapped_.end(), mapped_.end()};
  const auto first = mapped_.find(address(data));
  auto last = first;
  std::uintptr_t position = address(data);
  const std::uintptr_t end = position + nbytes;
  while (position < end) {
    if (last == mapped_.end() || last->first != position) return none;
    position += last->second.nbytes;
    ++last;
  }
  return position == end && nbytes != 0 ? std::pair{first, last} : none;
}

}  // namespace skerry::rehearsal
