// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/storage.hpp"

namespace skerry::python {

/// Memory of an array as NumPy, or a consumer of DLPack, has it: they may write there until this
/// goes. Export what target_of() gives.
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

}  // namespace skerry::python
