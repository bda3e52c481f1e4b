// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace skerry::rehearsal {

/// Allocates blocks next to each other on shared pages, so that one mapping of the process serves
/// any number of them. A red zone follows each block: a write past the end is detected when the
/// block is freed, not when it happens; a read past the end is not detected. Not thread-safe: the
/// owner locks.
class PackedBlocks {
 public:
  /// Sets the range: reserved, inaccessible addresses.
  void use(std::uintptr_t first, std::size_t extent) noexcept;

  /// Returns a block with its red zone filled; null if there is no space.
  [[nodiscard]] void* take(std::size_t nbytes);
  /// True if the red zone after a block of `nbytes` is as take() left it.
  [[nodiscard]] static bool is_intact(const void* data, std::size_t nbytes) noexcept;
  /// Frees a block for later blocks of the same span: blocks are neither split nor merged until all
  /// are returned.
  void give_back(void* data, std::size_t nbytes) noexcept;
  /// Returns the pages to the system if no block is in use.
  void trim() noexcept;

 private:
  [[nodiscard]] bool map_up_to(std::uintptr_t end) noexcept;

  std::uintptr_t first_ = 0;
  std::uintptr_t end_ = 0;
  std::uintptr_t next_ = 0;        ///< start of the part not yet handed out
  std::uintptr_t mapped_end_ = 0;  ///< end of the accessible pages
  std::size_t out_ = 0;
  std::map<std::size_t, std::vector<std::uintptr_t>> free_;  ///< by span
};

}  // namespace skerry::rehearsal
