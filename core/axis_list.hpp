// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/dims.hpp"

namespace skerry {

/// The axes along which `Arrays` arrays are traversed together, before they become parameters of a
/// kernel. After order(), axis 0 varies fastest. The only code that orders and coalesces axes.
template <int Arrays>
class AxisList {
 public:
  struct Axis {
    std::int64_t extent;
    std::int64_t strides[Arrays];  ///< bytes
  };

  /// Appends an axis as the slowest one; axes of one element are dropped.
  void add(std::int64_t extent, const std::int64_t (&strides)[Arrays]) noexcept {
    if (extent < 2) return;
    Axis& added = axes_[size_++];
    added.extent = extent;
    std::copy_n(strides, Arrays, added.strides);
  }

  /// Sorts by |stride| of the first array, ties by the second, and so on. Insertion sort: stable,
  /// and a single pass for the usual, sorted input.
  void order() noexcept {
    for (int i = 1; i < size_; ++i) {
      if (!is_faster(axes_[i], axes_[i - 1])) continue;
      const Axis moved = axes_[i];
      int position = i;
      do {
        axes_[position] = axes_[position - 1];
        --position;
      } while (position > 0 && is_faster(moved, axes_[position - 1]));
      axes_[position] = moved;
    }
  }

  /// Reverses axes with a negative stride of the first array. `data` are the addresses of element 0
  /// of each array; null addresses stay null.
  void flip_negative(char** data) noexcept {
    for (int i = 0; i < size_; ++i) {
      Axis& axis = axes_[i];
      if (axis.strides[0] >= 0) continue;
      for (int k = 0; k < Arrays; ++k) {
        if (data[k] != nullptr) data[k] += (axis.extent - 1) * axis.strides[k];
        axis.strides[k] = -axis.strides[k];
      }
    }
  }

  /// Merges adjacent axes that one stride per array can traverse as a single axis.
  void coalesce() noexcept {
    if (size_ < 2) return;
    int last = 0;
    for (int i = 1; i < size_; ++i) {
      if (continues(axes_[last], axes_[i])) {
        axes_[last].extent *= axes_[i].extent;
      } else if (++last != i) {
        axes_[last] = axes_[i];
      }
    }
    size_ = last + 1;
  }

  /// Writes the axes to the fields of a kernel's parameters, with one stride array per array.
  /// Returns false, writing nothing, if there are more than `max_axes`.
  template <class... Strides>
  [[nodiscard]] bool write(int max_axes, std::int32_t& rank, std::int64_t* shape,
                           Strides*... strides) const noexcept {
    static_assert(sizeof...(Strides) == Arrays);
    if (size_ > max_axes) return false;
    rank = size_;
    for (int i = 0; i < size_; ++i) {
      shape[i] = axes_[i].extent;
      const std::int64_t* axis_strides = axes_[i].strides;
      ((strides[i] = *axis_strides++), ...);
    }
    return true;
  }

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const Axis& operator[](int i) const noexcept { return axes_[i]; }

 private:
  static bool is_faster(const Axis& a, const Axis& b) noexcept {
    for (int k = 0; k < Arrays; ++k) {
      const std::int64_t step_a = std::abs(a.strides[k]);
      const std::int64_t step_b = std::abs(b.strides[k]);
      if (step_a != step_b) return step_a < step_b;
    }
    return false;
  }
  static bool continues(const Axis& fast, const Axis& slow) noexcept {
    for (int k = 0; k < Arrays; ++k) {
      std::int64_t past_end = 0;
      if (__builtin_mul_overflow(fast.strides[k], fast.extent, &past_end)) return false;
      if (slow.strides[k] != past_end) return false;
    }
    return true;
  }

  int size_ = 0;
  Axis axes_[max_rank];  // uninitialized: up to 2.5 KB, mostly unused
};

}  // namespace skerry
