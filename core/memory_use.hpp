// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "core/storage.hpp"

namespace skerry {

enum class Access : std::uint8_t { read, write };

/// One storage that a kernel or copy accesses, and the access mode. A write is ordered after all
/// earlier uses, a read after the last write. Created only by reads() and writes(), so that every
/// launch must declare its accesses. Non-owning.
class MemoryUse {
 public:
  MemoryUse() = default;  ///< uninitialized; assign before use

  [[nodiscard]] Storage& memory() const noexcept { return *memory_; }
  [[nodiscard]] Access mode() const noexcept { return mode_; }
  /// Returns the array whose elements are the only bytes accessed; null if any byte of the storage
  /// may be.
  [[nodiscard]] const NdArray* array() const noexcept { return array_; }

 private:
  friend MemoryUse reads(const StorageRef& memory) noexcept;
  friend MemoryUse reads(const NdArray& array) noexcept;
  friend MemoryUse writes(const StorageRef& memory) noexcept;
  friend MemoryUse writes(const NdArray& array) noexcept;
  MemoryUse(Storage* memory, const NdArray* array, Access mode) noexcept
      : memory_(memory), array_(array), mode_(mode) {}

  Storage* memory_;
  const NdArray* array_;
  Access mode_;
};

[[nodiscard]] inline MemoryUse reads(const StorageRef& memory) noexcept {
  return {memory.get(), nullptr, Access::read};
}
[[nodiscard]] inline MemoryUse reads(const NdArray& array) noexcept {
  return {array.memory().get(), &array, Access::read};
}
MemoryUse reads(NdArray&&) = delete;  // the use would outlive the temporary
/// Declares a write, or a read followed by a write.
[[nodiscard]] inline MemoryUse writes(const StorageRef& memory) noexcept {
  return {memory.get(), nullptr, Access::write};
}
[[nodiscard]] inline MemoryUse writes(const NdArray& array) noexcept {
  return {array.memory().get(), &array, Access::write};
}
MemoryUse writes(NdArray&&) = delete;

}  // namespace skerry
