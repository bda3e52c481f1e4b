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

/// An allocated block; converts to false if empty.
struct MemoryBlock {
  void* data = nullptr;
  std::size_t nbytes = 0;
  explicit operator bool() const noexcept { return data != nullptr; }
};

/// Performs and observes operations on device memory, on any thread.
struct MemoryMonitor {
  void (*allocated)(void* data, std::size_t nbytes) noexcept;
  void (*fill)(void* data, int value, std::size_t nbytes) noexcept;
  void (*copy)(void* target, const void* source, std::size_t nbytes) noexcept;
  void (*execute_kernel)(void (*kernel)(const void* params), const void* params,
                         std::span<const cuda::KernelOperand> operands) noexcept;
  void (*freed)(void* data, std::size_t nbytes) noexcept;  ///< in stream order
};

/// Ends the export of a block's memory to other processes. Defined in ipc.cpp.
void discard_shared(void* data) noexcept;

/// Null without a monitor.
inline constinit std::atomic<const MemoryMonitor*> memory_watcher{nullptr};

/// Called with each new block, on any thread; null by default.
inline constinit std::atomic<void (*)(void* data, std::size_t nbytes) noexcept> allocation_observer{
    nullptr};

/// Freed bytes that each device keeps in quarantine before reuse, so that late uses are detected; 0
/// by default.
inline constinit std::atomic<std::size_t> bytes_in_quarantine{0};

/// Position of a block within its pages, which have inaccessible neighbors.
enum class BlockPlacement : std::uint8_t {
  aligned,   ///< at the start; freed blocks stay accessible until reused
  at_end,    ///< ends with its last page, whatever its alignment; freed blocks are inaccessible
  at_begin,  ///< begins with its first page; freed blocks are inaccessible
};
inline constinit std::atomic<BlockPlacement> block_placement{BlockPlacement::aligned};

/// The memory of one device: host memory in its own address range, so that a pointer identifies its
/// device. A block has its own pages and an inaccessible guard page after them, which takes two of
/// the mappings that the system allows a process (65,530 on most). So only the first 16,382 live
/// blocks of all devices have guards; further blocks are packed, and writes past their end are
/// found later.
class AddressRange {
 public:
  // 0x2000'0000'0000 is unused: outside of the mappings that Linux places itself and of the
  // sanitizers' heaps. Only a hint; if the system chooses another place, that is used.
  static constexpr std::uintptr_t first_wish = 0x2000'0000'0000;
  /// Distance between the hints of two devices.
  static constexpr std::size_t wished_stride = std::size_t{128} << 30;

  explicit AddressRange(int ordinal) noexcept : ordinal_(ordinal) {}

  /// Allocates a block. Returns a status: memory_allocation if the total would exceed `limit`.
  [[nodiscard]] int allocate(void** data, std::size_t nbytes, std::size_t limit) noexcept;
  /// First half of a free: later work may not use the block. False if no live block starts at
  /// `data`.
  [[nodiscard]] bool retire(void* data) noexcept;
  /// Second half, after the work before the free has run: poisons the block and makes it available.
  /// False if bytes past its end were written.
  [[nodiscard]] bool reclaim(void* data) noexcept;
  /// Undoes retire().
  void restore(void* data) noexcept;
  /// Replaces the pages of a block, which no work uses, by those of a file. False if there is no
  /// such block, or it shares its pages with others.
  [[nodiscard]] bool share(void* data, int file, std::size_t page_bytes) noexcept;
  /// Adds a block of another process, in the pages of a file and `padding` bytes after the first
  /// one. It is not counted in live_bytes(). Returns a status.
  [[nodiscard]] int open_shared(void** data, std::size_t nbytes, std::size_t padding, int file,
                                std::size_t limit) noexcept;
  /// Frees all blocks; no work may use them.
  void release_all() noexcept;
  /// Returns pages of free blocks to the system.
  void trim() noexcept;

  /// True if `data` points into this range, allocated or not.
  [[nodiscard]] bool contains(const void* data) const noexcept;
  /// True if `nbytes` from `data` are inside one block. Work submitted before a free runs before
  /// reclaim(), so `retired_too` is right for running work and wrong for new work.
  [[nodiscard]] bool covers(const void* data, std::size_t nbytes, bool retired_too) noexcept;
  /// Returns the block, not retired, that contains `data`.
  [[nodiscard]] MemoryBlock find(const void* data) noexcept { return find(data, false); }
  /// The same for running work with `retired_too`.
  [[nodiscard]] MemoryBlock find(const void* data, bool retired_too) noexcept;
  /// Returns the block, retired or not, that ends or begins closest to `data`, which is in no
  /// block.
  [[nodiscard]] MemoryBlock nearest(const void* data) noexcept;
  /// Returns the freed block that contained `data`, if it is among the last freed and its place has
  /// not been reused.
  [[nodiscard]] MemoryBlock find_freed(const void* data) noexcept;

  [[nodiscard]] std::size_t live_blocks() noexcept;
  [[nodiscard]] std::size_t live_bytes() noexcept;

 private:
  /// Whose pages a block has: anonymous ones, those of a file that other processes open, or those
  /// of another process.
  enum class Pages : std::uint8_t { anonymous, exported, opened };
  struct Block {
    std::size_t nbytes;
    std::size_t span;  ///< including the guard page; 0 for a packed block
    bool retired = false;
    Pages pages = Pages::anonymous;
  };

  [[nodiscard]] bool reserve(std::size_t limit) noexcept;
  [[nodiscard]] void* take_guarded(std::size_t nbytes);
  void end_pages(void* data, const Block& block) noexcept;
  void free_place(void* data, std::size_t nbytes, std::size_t span) noexcept;
  void discard_freed(const void* data, std::size_t nbytes) noexcept;
  /// Releases the oldest quarantined blocks for reuse until at most `max_bytes` are in quarantine.
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
  std::size_t stale_guards_ = 0;  ///< upper bound of the guards in free_
  PackedBlocks packed_;
  std::size_t live_bytes_ = 0;
  std::array<MemoryBlock, 1024> freed_{};  ///< the last freed blocks, a ring buffer
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
