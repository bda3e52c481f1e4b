// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>

#include "device/cuda/api.hpp"
#include "device/rehearsal/packed_blocks.hpp"

namespace skerry::rehearsal {

/// A block that was allocated; false if there is none.
struct MemoryBlock {
  void* data = nullptr;
  std::size_t nbytes = 0;
  explicit operator bool() const noexcept { return data != nullptr; }
};

/// Told what happens to the memory of devices, when it happens, from any thread; does the work that
/// changes it.
struct MemoryMonitor {
  void (*allocated)(void* data, std::size_t nbytes) noexcept;
  void (*fill)(void* data, int value, std::size_t nbytes) noexcept;
  void (*copy)(void* target, const void* source, std::size_t nbytes) noexcept;
  void (*execute_kernel)(void (*kernel)(const void* params), const void* params,
                         std::span<const cuda::KernelOperand> operands) noexcept;
  void (*freed)(void* data, std::size_t nbytes) noexcept;  ///< in the order of a stream
};

/// Null as long as nobody wants to know.
inline constinit std::atomic<const MemoryMonitor*> memory_watcher{nullptr};

/// So many bytes that were freed wait on each device before their place is given again, so that
/// late uses are noticed. None by default.
inline constinit std::atomic<std::size_t> bytes_in_quarantine{0};

/// Where a block lies in its pages, whose neighbours can't be touched.
enum class BlockPlacement : std::uint8_t {
  aligned,   ///< at the beginning, and what was freed can be touched until it is given again
  at_end,    ///< its last byte is the last one, whatever its alignment; nobody touches freed ones
  at_begin,  ///< its first byte is the first one; the same
};
inline constinit std::atomic<BlockPlacement> block_placement{BlockPlacement::aligned};

/// The memory of one device: host memory in an address range of its own, so that a pointer tells
/// its device. A block lies on its own pages with a page behind it that can't be touched, which
/// takes two of the mappings that the system grants a process (65,530 on most). So only the first
/// 16,382 blocks that live at a time have such guards, of all devices together; what is allocated
/// beyond them is packed, where writes past the end are found later.
class AddressRange {
 public:
  // 0x2000'0000'0000 is nobody's: outside of the mappings that Linux chooses by itself and of the
  // heaps of the sanitizers. A wish only; where the system gives another place, that is used.
  static constexpr std::uintptr_t first_wish = 0x2000'0000'0000;
  /// From one device's to the next.
  static constexpr std::size_t wished_stride = std::size_t{128} << 30;

  explicit AddressRange(int ordinal) noexcept : ordinal_(ordinal) {}

  /// A status; memory_allocation beyond `limit`.
  [[nodiscard]] int allocate(void** data, std::size_t nbytes, std::size_t limit) noexcept;
  /// First half of a free: the block may not be used by later work. False if no live block starts
  /// at `data`.
  [[nodiscard]] bool retire(void* data) noexcept;
  /// Second half, when the work before the free has run: poisons the block and makes it available.
  /// False if bytes behind its end were written.
  [[nodiscard]] bool reclaim(void* data) noexcept;
  /// Undoes retire().
  void restore(void* data) noexcept;
  /// Frees every block; no work uses any.
  void release_all() noexcept;
  /// Gives pages of free blocks back to the system.
  void trim() noexcept;

  /// Whether `data` points into this range at all, whatever is there.
  [[nodiscard]] bool contains(const void* data) const noexcept;
  /// Whether `nbytes` from `data` lie inside one block. Work that was submitted before a free runs
  /// before reclaim(), so `retired_too` is right for running work and wrong for new work.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes, bool retired_too) noexcept;
  /// The block, not retired, that `data` points into.
  [[nodiscard]] MemoryBlock find(const void* data) noexcept { return find(data, false); }
  /// The same for running work with `retired_too`.
  [[nodiscard]] MemoryBlock find(const void* data, bool retired_too) noexcept;
  /// The block, retired or not, that ends or begins closest to `data`, which lies in none.
  [[nodiscard]] MemoryBlock nearest(const void* data) noexcept;
  /// The block that `data` pointed into when it was freed, if it was one of the last and nobody got
  /// its place since.
  [[nodiscard]] MemoryBlock find_freed(const void* data) noexcept;

  [[nodiscard]] std::size_t live_blocks() noexcept;
  [[nodiscard]] std::size_t live_bytes() noexcept;

 private:
  struct Block {
    std::size_t nbytes;
    std::size_t span;  ///< with the page that guards it; 0 for a packed block
    bool retired = false;
  };

  [[nodiscard]] bool reserve(std::size_t limit) noexcept;
  [[nodiscard]] void* take_guarded(std::size_t nbytes);
  void free_place(void* data, std::size_t nbytes, std::size_t span) noexcept;
  void discard_freed(const void* data, std::size_t nbytes) noexcept;
  /// The places that were freed longest ago can be given again, until so many bytes wait.
  void end_quarantine(std::size_t max_bytes) noexcept;
  void add_free(std::uintptr_t start, std::size_t span);
  void trim_guarded() noexcept;

  const int ordinal_;
  std::mutex mutex_;
  // Set once, the extent last; contains() reads them without the lock.
  std::atomic<std::uintptr_t> base_{0};
  std::atomic<std::size_t> extent_{0};
  std::map<std::uintptr_t, Block> blocks_;
  std::map<std::uintptr_t, std::size_t> free_;
  std::size_t stale_guards_ = 0;  ///< at most so many are left in free_
  PackedBlocks packed_;
  std::size_t live_bytes_ = 0;
  std::array<MemoryBlock, 1024> freed_{};  ///< the last ones, in a ring
  std::size_t next_freed_ = 0;
  struct Quarantined {
    void* data;
    std::size_t nbytes;
    std::size_t span;
  };
  std::deque<Quarantined> waiting_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace skerry::rehearsal
