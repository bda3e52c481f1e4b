// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/rehearsal/mapped_memory.hpp"

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

// Behind what the devices' own ranges wish for.
constexpr std::uintptr_t wish =
    AddressRange::first_wish + std::uintptr_t{most_devices} * AddressRange::wished_stride;

void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }
std::uintptr_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

constexpr bool is_whole(std::size_t nbytes) noexcept {
  return nbytes != 0 && nbytes % MappedMemory::granularity == 0;
}

constexpr int no_access = PROT_NONE;
constexpr int no_memory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

/// A file without a name, as only files can be mapped at several addresses.
struct MappedMemory::Physical {
  Physical(int of, std::size_t size, std::atomic<std::size_t>& live)
      : file(memfd_create("skerry", MFD_CLOEXEC)), ordinal(of), nbytes(size), live_bytes(live) {
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
  const std::size_t room = nbytes + unit;
  if (room < nbytes) return cuda::memory_allocation;
  const std::unique_lock lock(mutex_);
  const std::uintptr_t place =
      reserved_.empty() ? wish : reserved_.rbegin()->first + reserved_.rbegin()->second;
  void* const got = mmap(pointer(place), room, no_access, no_memory, -1, 0);
  if (got == MAP_FAILED) return cuda::memory_allocation;
  const std::uintptr_t begin = (address(got) + unit - 1) / unit * unit;
  if (const std::size_t before = begin - address(got); before != 0) munmap(got, before);
  munmap(pointer(begin + nbytes), address(got) + room - begin - nbytes);
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
  const auto found = reserved_.find(address(data));
  if (found == reserved_.end() || found->second != nbytes) return cuda::invalid_value;
  const auto inside = mapped_.lower_bound(address(data));
  if (inside != mapped_.end() && inside->first - address(data) < nbytes) return cuda::invalid_value;
  munmap(data, nbytes);
  reserved_.erase(found);
  return cuda::success;
}

int MappedMemory::create(std::uint64_t* handle, int ordinal, std::size_t nbytes,
                         std::size_t limit) noexcept try {
  if (!is_whole(nbytes)) return cuda::invalid_value;
  if (nbytes > limit) return cuda::memory_allocation;
  auto fresh =
      std::make_shared<Physical>(ordinal, nbytes, live_bytes_[static_cast<std::size_t>(ordinal)]);
  if (!fresh->is_there()) return cuda::memory_allocation;
  const std::unique_lock lock(mutex_);
  fresh->handle = next_handle_++;
  *handle = fresh->handle;
  handles_.emplace(*handle, HandleUses{std::move(fresh), 1});
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::retain(std::uint64_t* handle, const void* data) noexcept try {
  const std::unique_lock lock(mutex_);
  const Mapping* const found = find_mapping(data);
  if (found == nullptr) return cuda::invalid_value;
  HandleUses& uses = handles_[found->memory->handle];
  uses.memory = found->memory;
  ++uses.count;
  *handle = found->memory->handle;
  return cuda::success;
} catch (const std::bad_alloc&) {
  return cuda::memory_allocation;
}

int MappedMemory::release(std::uint64_t handle) noexcept {
  const std::unique_lock lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return cuda::invalid_value;
  if (--found->second.count == 0) handles_.erase(found);
  return cuda::success;
}

int MappedMemory::map(void* data, std::size_t nbytes, std::uint64_t handle) noexcept try {
  const std::unique_lock lock(mutex_);
  const auto found = handles_.find(handle);
  if (found == handles_.end() || !is_whole(nbytes)) return cuda::invalid_value;
  const std::shared_ptr<Physical>& memory = found->second.memory;
  const std::uintptr_t begin = address(data);
  if (nbytes > memory->nbytes || begin % granularity != 0) return cuda::invalid_value;
  if (!is_reserved(begin, nbytes)) return cuda::invalid_value;
  const auto after = mapped_.lower_bound(begin);
  if (after != mapped_.end() && after->first - begin < nbytes) return cuda::invalid_value;
  if (find_mapping(data) != nullptr) return cuda::invalid_value;
  const auto [fresh, is_new] = mapped_.emplace(begin, Mapping{nbytes, memory, {}});
  static_cast<void>(is_new);
  const int flags = MAP_SHARED | MAP_FIXED;
  if (mmap(data, nbytes, PROT_READ | PROT_WRITE, flags, memory->file, 0) == MAP_FAILED) {
    mapped_.erase(fresh);
    return cuda::memory_allocation;
  }
  if (const MemoryWatch* const watch = memory_watcher.load()) watch->allocated(data, nbytes);
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
  for (auto each = first; each != last; ++each) {
    each->second.readers.set(static_cast<std::size_t>(reader), may);
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
  const Mapping* const found = find_mapping(data);
  return found != nullptr ? found->memory->ordinal : -1;
}

int MappedMemory::owner_of(std::uint64_t handle) const noexcept {
  const std::shared_lock lock(mutex_);
  const auto found = handles_.find(handle);
  return found != handles_.end() ? found->second.memory->ordinal : -1;
}

bool MappedMemory::covers(const void* data, std::size_t nbytes) const noexcept {
  const std::shared_lock lock(mutex_);
  std::uintptr_t at = address(data);
  const std::uintptr_t end = at + nbytes;
  do {
    std::uintptr_t begin = 0;
    const Mapping* const found = find_mapping(pointer(at), &begin);
    if (found == nullptr || found->readers.none()) return false;
    at = begin + found->nbytes;
  } while (at < end);
  return true;
}

MemoryBlock MappedMemory::find(const void* data) const noexcept {
  const std::shared_lock lock(mutex_);
  std::uintptr_t begin = 0;
  const Mapping* const found = find_mapping(data, &begin);
  return found != nullptr ? MemoryBlock{pointer(begin), found->nbytes} : MemoryBlock{};
}

bool MappedMemory::may_access(int reader, const void* data) const noexcept {
  const std::shared_lock lock(mutex_);
  const Mapping* const found = find_mapping(data);
  return found != nullptr && found->readers[static_cast<std::size_t>(reader)];
}

const MappedMemory::Mapping* MappedMemory::find_mapping(const void* data,
                                                        std::uintptr_t* begin) const noexcept {
  const auto after = mapped_.upper_bound(address(data));
  if (after == mapped_.begin()) return nullptr;
  const auto& [start, found] = *std::prev(after);
  if (address(data) - start >= found.nbytes) return nullptr;
  if (begin != nullptr) *begin = start;
  return &found;
}

bool MappedMemory::is_reserved(std::uintptr_t begin, std::size_t nbytes) const noexcept {
  const auto after = reserved_.upper_bound(begin);
  if (after == reserved_.begin()) return false;
  const auto& [start, size] = *std::prev(after);
  const std::uintptr_t offset = begin - start;
  return offset < size && nbytes <= size - offset;
}

std::pair<MappedMemory::mappings::iterator, MappedMemory::mappings::iterator> MappedMemory::filling(
    const void* data, std::size_t nbytes) noexcept {
  const std::pair none{mapped_.end(), mapped_.end()};
  const auto first = mapped_.find(address(data));
  auto last = first;
  std::uintptr_t at = address(data);
  const std::uintptr_t end = at + nbytes;
  while (at < end) {
    if (last == mapped_.end() || last->first != at) return none;
    at += last->second.nbytes;
    ++last;
  }
  return at == end && nbytes != 0 ? std::pair{first, last} : none;
}

}  // namespace skerry::rehearsal
