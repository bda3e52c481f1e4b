// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "ops/call/kernel.hpp"

namespace skerry {

struct RowReduction;

/// A range of rows of a reduction, for direct calls of its host form: it is reduced on the calling
/// thread, with the same results as in a reduction of all rows. Never launched, so its pointers may
/// be to temporaries of the caller.
struct RowRange {
  const RowReduction& whole;
  const char* input;  ///< address of row 0, which may be outside of the memory
  char* output;       ///< the same
  std::int64_t first_row;
  std::int64_t rows;
};

/// Base of the parameters of a kernel that reduces rows. To reduce a range, pass the host form a
/// copy of this base alone.
struct RowReduction {
  InputPointer<char> input;  ///< address of row 0
  OutputPointer<char> output;
  const RowRange* range = nullptr;  ///< null: all rows, on all threads
};

/// A kernel that reduces rows, whatever the type of its parameters.
class RowKernel {
 public:
  RowKernel() = default;  ///< empty
  template <std::derived_from<RowReduction> Params>
  explicit RowKernel(const Kernel<Params>& kernel) noexcept : kernel_(&kernel.untyped()) {}

  SKERRY_INLINE explicit operator bool() const noexcept { return kernel_ != nullptr; }
  /// Reduces the range of `header` with the host form.
  SKERRY_INLINE void reduce_range(const RowReduction& header) const { kernel_->host(&header); }
  /// See Kernel::untyped().
  [[nodiscard]] const AnyKernel& untyped() const noexcept { return *kernel_; }

 private:
  const AnyKernel* kernel_ = nullptr;
};

}  // namespace skerry
