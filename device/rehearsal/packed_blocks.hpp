// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace skerry::rehearsal {

/// Places for blocks side by side on the same pages, so that one mapping of the process serves for
/// any number of them. Behind each block lies a red zone: a write past the end is found when the
/// block is freed, not when it happens; a read past the end is not found. Its owner locks.
class PackedBlocks {
 public:
  /// Addresses that are reserved, without access.
  void use(std::uintptr_t first, std::size_t extent) noexcept;

  /// Null if there is no room for `nbytes`. The red zone is written.
  [[nodiscard]] void* take(std::size_t nbytes);
  /// Whether the red zone behind a block of `nbytes` is as take() left it.
  [[nodiscard]] static bool is_intact(const void* data, std::size_t nbytes) noexcept;
  /// For blocks of as many bytes: they are cut no smaller, and made no larger until all are back.
  void give_back(void* data, std::size_t nbytes) noexcept;
  /// Gives the pages to the system if no block is out.
  void trim() noexcept;

 private:
  [[nodiscard]] bool map_up_to(std::uintptr_t end) noexcept;

  std::uintptr_t first_ = 0;
  std::uintptr_t end_ = 0;
  std::uintptr_t next_ = 0;        ///< never handed out since all were back
  std::uintptr_t mapped_end_ = 0;  ///< with access up to here
  std::size_t out_ = 0;
  std::map<std::size_t, std::vector<std::uintptr_t>> free_;  ///< by span
};

}  // namespace skerry::rehearsal
