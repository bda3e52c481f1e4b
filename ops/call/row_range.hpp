// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

struct RowReduction;

/// Some rows of a reduction, for who calls its host form directly: they are reduced on this thread,
/// each as if all were. Never launched: its pointers may be into what the caller has made.
struct RowRange {
  const RowReduction& whole;
  const char* input;  ///< where row 0 is, or would be
  char* output;       ///< likewise
  std::int64_t first_row;
  std::int64_t rows;
};

/// What the parameters of a kernel that reduces rows begin with. To have it reduce a range, its
/// host form is given a copy of this alone.
struct RowReduction {
  InputPointer<char> input;  ///< row 0 is there
  OutputPointer<char> output;
  const RowRange* range = nullptr;  ///< null: all rows, on as many threads as there are
};

/// A kernel that reduces rows, whatever its parameters go on with.
class RowKernel {
 public:
  RowKernel() = default;  ///< none
  template <std::derived_from<RowReduction> Params>
  explicit RowKernel(const Kernel<Params>& kernel) noexcept : kernel_(&kernel.untyped()) {}

  SKERRY_INLINE explicit operator bool() const noexcept { return kernel_ != nullptr; }
  /// Has the host form reduce the range of `header`.
  SKERRY_INLINE void reduce_range(const RowReduction& header) const { kernel_->host(&header); }
  /// As of Kernel.
  [[nodiscard]] const AnyKernel& untyped() const noexcept { return *kernel_; }

 private:
  const AnyKernel* kernel_ = nullptr;
};

}  // namespace skerry
