// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/ndarray.hpp"
#include "core/storage.hpp"

namespace skerry::python {

/// Memory of an array that is exported to NumPy or a DLPack consumer, which may write to it during
/// this object's lifetime. Export the array that target_of() returns.
class ExportedMemory {
 public:
  explicit ExportedMemory(StorageRef memory) noexcept : memory_(std::move(memory)) {
    memory_->begin_export();
  }
  ExportedMemory(const ExportedMemory&) = delete;
  ExportedMemory& operator=(const ExportedMemory&) = delete;
  ~ExportedMemory() { memory_->end_export(); }

  [[nodiscard]] const StorageRef& storage() const noexcept { return memory_; }

 private:
  StorageRef memory_;
};

/// Notes that an array is exported, so that the emulated GPU's reports of kernels name it.
void note_export(const NdArray& array);
/// The same for an array that has just been created, unless it is a view of another one.
void note_new_array(const NdArray& array) noexcept;

}  // namespace skerry::python
