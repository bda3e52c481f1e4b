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
/// kernel has to say which it is. Keeps pointers.
class memory_use {
 public:
  memory_use() = default;  ///< one to be assigned

  [[nodiscard]] storage& memory() const noexcept { return *memory_; }
  [[nodiscard]] access mode() const noexcept { return mode_; }
  /// The array whose elements are touched, all and nothing else; null if any byte may be.
  [[nodiscard]] const ndarray* array() const noexcept { return array_; }

 private:
  friend memory_use reads(const storage_ref& memory) noexcept;
  friend memory_use reads(const ndarray& array) noexcept;
  friend memory_use writes(const storage_ref& memory) noexcept;
  friend memory_use writes(const ndarray& array) noexcept;
  memory_use(storage* memory, const ndarray* array, access mode) noexcept
      : memory_(memory), array_(array), mode_(mode) {}

  storage* memory_;
  const ndarray* array_;
  access mode_;
};

[[nodiscard]] inline memory_use reads(const storage_ref& memory) noexcept {
  return {memory.get(), nullptr, access::read};
}
[[nodiscard]] inline memory_use reads(const ndarray& array) noexcept {
  return {array.memory().get(), &array, access::read};
}
memory_use reads(ndarray&&) = delete;  // gone before the launch
/// Also of memory that is read before it is written.
[[nodiscard]] inline memory_use writes(const storage_ref& memory) noexcept {
  return {memory.get(), nullptr, access::write};
}
[[nodiscard]] inline memory_use writes(const ndarray& array) noexcept {
  return {array.memory().get(), &array, access::write};
}
memory_use writes(ndarray&&) = delete;

}  // namespace skerry
