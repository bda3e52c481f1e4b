// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "core/layout.hpp"
#include "core/storage.hpp"

namespace skerry {

/// An array: a view of a shared storage. A value type; copying it shares the memory, as a Python
/// reference would.
class ndarray {
 public:
  ndarray() = default;
  ndarray(storage_ref memory, layout where, dtype type, bool read_only = false)
      : storage_(std::move(memory)),
        layout_(std::move(where)),
        dtype_(type),
        read_only_(read_only || storage_->read_only()) {}
  /// All of `memory` in C order. In place: a layout on its way here would be moved twice, a third
  /// of the time of a small call.
  ndarray(storage_ref memory, const dims& shape, skerry::dtype type)
      : storage_(std::move(memory)), dtype_(type), read_only_(storage_->read_only()) {
    layout_.shape = shape;
    layout_.strides = shape;
    std::int64_t stride = skerry::itemsize(type);
    std::int64_t* const strides = layout_.strides.data();
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      strides[axis] = stride;
      if (shape[axis] > 1) stride *= shape[axis];
    }
  }

  [[nodiscard]] skerry::dtype dtype() const noexcept { return dtype_; }
  [[nodiscard]] skerry::device device() const noexcept { return storage_->where(); }
  [[nodiscard]] const skerry::layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const dims& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const dims& strides() const noexcept { return layout_.strides; }
  [[nodiscard]] int rank() const noexcept { return layout_.rank(); }
  [[nodiscard]] std::int64_t size() const noexcept { return layout_.size(); }
  [[nodiscard]] std::int64_t itemsize() const noexcept { return skerry::itemsize(dtype_); }
  [[nodiscard]] std::int64_t nbytes() const noexcept { return size() * itemsize(); }
  [[nodiscard]] bool read_only() const noexcept { return read_only_; }
  [[nodiscard]] bool is_c_contiguous() const noexcept {
    return skerry::is_c_contiguous(layout_, itemsize());
  }
  /// Address of element [0, …, 0], in the address space of the device.
  [[nodiscard]] char* data() const noexcept { return storage_->data() + layout_.offset; }
  [[nodiscard]] const storage_ref& memory() const noexcept { return storage_; }

  /// The same memory through another layout.
  [[nodiscard]] ndarray view(skerry::layout where) const {
    return {storage_, std::move(where), dtype_, read_only_};
  }
  [[nodiscard]] ndarray read_only_view() const { return {storage_, layout_, dtype_, true}; }

 private:
  storage_ref storage_;
  skerry::layout layout_;
  skerry::dtype dtype_ = skerry::dtype::float64;
  bool read_only_ = false;
};

/// `float32 (3, 4) on cuda:0`: an operand as error messages name it.
[[nodiscard]] std::string describe(const ndarray& array);

/// True if the two may share a byte. Conservative: exact for equal layouts and for disjoint ranges,
/// else "maybe".
[[nodiscard]] bool may_overlap(const ndarray& a, const ndarray& b) noexcept;
/// Same memory, shape, strides and dtype: element i of one is element i of the other.
[[nodiscard]] bool same_elements(const ndarray& a, const ndarray& b) noexcept;

}  // namespace skerry
