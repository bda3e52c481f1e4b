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

/// An array: a view of a shared storage. A value type; copies share the memory, like Python
/// references.
class NdArray {
 public:
  NdArray() = default;
  NdArray(StorageRef memory, Layout layout, Dtype type, bool read_only = false)
      : storage_(std::move(memory)),
        layout_(std::move(layout)),
        dtype_(type),
        read_only_(read_only || storage_->read_only()) {}
  /// An array of all of `memory` in C order. Builds the layout in place: moving one here twice took
  /// a third of the time of a small call.
  NdArray(StorageRef memory, const Dims& shape, skerry::Dtype type)
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

  [[nodiscard]] skerry::Dtype dtype() const noexcept { return dtype_; }
  [[nodiscard]] skerry::Device device() const noexcept { return storage_->device(); }
  /// The same, but another thread may be in set_memory().
  [[nodiscard]] skerry::Device shared_device() const noexcept {
    return storage_.get_shared()->device();
  }
  [[nodiscard]] const skerry::Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const Dims& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const Dims& strides() const noexcept { return layout_.strides; }
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
  [[nodiscard]] const StorageRef& memory() const noexcept { return storage_; }

  /// Returns an array of the same memory with another layout.
  [[nodiscard]] NdArray view(skerry::Layout layout) const {
    return {storage_, std::move(layout), dtype_, read_only_};
  }
  /// Gives the array, which had no memory yet, memory of the same device. Other threads may read
  /// its dtype, shape, strides and shared_device() meanwhile.
  void set_memory(StorageRef memory) noexcept {
    static_cast<void>(storage_.replace(std::move(memory)));
  }
  [[nodiscard]] NdArray read_only_view() const { return {storage_, layout_, dtype_, true}; }

 private:
  StorageRef storage_;
  skerry::Layout layout_;
  skerry::Dtype dtype_ = skerry::Dtype::float64;
  bool read_only_ = false;
};

/// Describes an operand for error messages: `float32 (3, 4) on cuda:0`.
[[nodiscard]] std::string describe(const NdArray& array);

/// True if the two may share a byte. Conservative: exact for equal layouts and for disjoint ranges,
/// otherwise possibly a false positive.
[[nodiscard]] bool may_overlap(const NdArray& a, const NdArray& b) noexcept;
/// True for the same memory, shape, strides and dtype: element i of one is element i of the other.
[[nodiscard]] bool same_elements(const NdArray& a, const NdArray& b) noexcept;

}  // namespace skerry
