// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cpu/blocks.hpp"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

#include "device/guard/heap.hpp"
#include "device/host_pages.hpp"

namespace skerry::cpu {

namespace {

#if defined(__SANITIZE_ADDRESS__)

// Uses the sanitizer's allocator, which detects accesses past the end.
char* map_large(std::size_t nbytes) noexcept {
  const std::size_t whole = (nbytes + huge_page - 1) / huge_page * huge_page;
  return static_cast<char*>(std::aligned_alloc(huge_page, whole));
}
void unmap_large(char* data, std::size_t) noexcept { std::free(data); }

#else

/// Maps one huge page more than needed and unmaps the unaligned ends. aligned_alloc is not used:
/// malloc may keep freed blocks of this size, which trim() could then not return to the system.
char* map_large(std::size_t nbytes) noexcept {
  const std::size_t span = nbytes + huge_page;
  void* mapped = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(mapped);
  const std::size_t over = reinterpret_cast<std::uintptr_t>(start) % huge_page;
  const std::size_t leading_bytes = over == 0 ? 0 : huge_page - over;
  if (leading_bytes != 0) munmap(start, leading_bytes);
  if (leading_bytes != huge_page) munmap(start + leading_bytes + nbytes, huge_page - leading_bytes);
  return start + leading_bytes;
}
void unmap_large(char* data, std::size_t nbytes) noexcept { munmap(data, nbytes); }

#endif

FreeBlock* acquire_guarded(std::size_t capacity, std::size_t nbytes) noexcept {
  void* memory = std::aligned_alloc(alignment, header_bytes);
  if (memory == nullptr) return nullptr;
  void* data = nbytes == 0 ? nullptr : guard::allocate(nbytes);
  if (data == nullptr && nbytes != 0) {
    std::free(memory);
    return nullptr;
  }
  return new (memory) FreeBlock{nullptr, static_cast<char*>(data), capacity, nbytes};
}

}  // namespace

// Uses malloc, not operator new: under AddressSanitizer, operator new aborts when memory runs out,
// while malloc returns null.
FreeBlock* acquire_block(std::size_t capacity, std::size_t nbytes) noexcept {
  if (guard::is_on()) return acquire_guarded(capacity, nbytes);
  const bool large = capacity > min_large_bytes;
  void* memory = std::aligned_alloc(alignment, header_bytes + (large ? 0 : capacity));
  if (memory == nullptr) return nullptr;
  if (!large)
    return new (memory)
        FreeBlock{nullptr, static_cast<char*>(memory) + header_bytes, capacity, capacity};
  char* data = map_large(capacity);
  if (data == nullptr) {
    std::free(memory);
    return nullptr;
  }
  madvise(data, capacity, MADV_HUGEPAGE);
  return new (memory) FreeBlock{nullptr, data, capacity, capacity};
}

void free_system_block(FreeBlock* block) noexcept {
  if (block->page_locked && !unlock_pages(block->data, block->extent)) return;
  if (guard::is_on()) {
    guard::release(block->data);
  } else if (block->capacity > min_large_bytes) {
    unmap_large(block->data, block->capacity);
  }
  std::free(block);
}

}  // namespace skerry::cpu
