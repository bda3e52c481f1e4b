// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ndarray.hpp"
#include "core/storage.hpp"

namespace skerry {

enum class Access : std::uint8_t { read, write };

/// A storage that work accesses, and how: writes are ordered after all earlier uses, reads after
/// the last write. Constructible only by the functions below, so that launching a kernel requires
/// stating the access. Holds pointers.
class MemoryUse {
 public:
  MemoryUse() = default;  ///< to be assigned

  [[nodiscard]] Storage& memory() const noexcept { return *memory_; }
  [[nodiscard]] Access mode() const noexcept { return mode_; }
  /// Returns the array whose elements are accessed, exactly those; null if any byte may be.
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
MemoryUse reads(NdArray&&) = delete;  // would be destroyed before the launch
/// Also for memory that is read before it is written.
[[nodiscard]] inline MemoryUse writes(const StorageRef& memory) noexcept {
  return {memory.get(), nullptr, Access::write};
}
[[nodiscard]] inline MemoryUse writes(const NdArray& array) noexcept {
  return {array.memory().get(), &array, Access::write};
}
MemoryUse writes(NdArray&&) = delete;

}  // namespace skerry
