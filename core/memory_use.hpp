// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "core/storage.hpp"

namespace skerry {

enum class access : std::uint8_t { read, write };

/// A storage that a piece of work touches, and how: what is written comes after all earlier uses,
/// what is read after the last write. Made by the functions below only, so that who launches a
/// kernel has to say which it is. Keeps a pointer.
class memory_use {
 public:
  memory_use() = default;  ///< one to be assigned

  [[nodiscard]] storage& memory() const noexcept { return *memory_; }
  [[nodiscard]] access mode() const noexcept { return mode_; }

 private:
  friend memory_use reads(const storage_ref& memory) noexcept;
  friend memory_use writes(const storage_ref& memory) noexcept;
  memory_use(storage* memory, access mode) noexcept : memory_(memory), mode_(mode) {}

  storage* memory_;
  access mode_;
};

[[nodiscard]] inline memory_use reads(const storage_ref& memory) noexcept {
  return {memory.get(), access::read};
}
[[nodiscard]] inline memory_use reads(const ndarray& array) noexcept {
  return reads(array.memory());
}
/// Also of memory that is read before it is written.
[[nodiscard]] inline memory_use writes(const storage_ref& memory) noexcept {
  return {memory.get(), access::write};
}
[[nodiscard]] inline memory_use writes(const ndarray& array) noexcept {
  return writes(array.memory());
}

}  // namespace skerry
