// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/foreign.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "core/checked.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/memory.hpp"
#include "python/bindings/array_type.hpp"

namespace skerry::python {
namespace {

/// Larger than any address space, yet safe from overflow when multiplied.
constexpr std::int64_t max_stride = std::int64_t{1} << 48;

[[noreturn]] void reject_extent() {
  throw InterchangeError(
      "the strides of the foreign array span more bytes "
      "than the address space has");
}

ByteRange span_of(const Dims& shape, const Dims& strides, std::int64_t width) {
  ByteRange range{0, width};
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return {};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto step = checked_multiply(shape[axis] - 1, strides[axis]);
    if (!step) reject_extent();
    std::int64_t& end = *step < 0 ? range.first : range.last;
    const auto moved = checked_add(end, *step);
    if (!moved) reject_extent();
    end = *moved;
  }
  if (!checked_subtract(range.last, range.first)) reject_extent();
  return range;
}

void release_buffer(void* owner) noexcept {
  const WithGil gil_guard;
  if (!gil_guard) return;
  auto* buffer = static_cast<Py_buffer*>(owner);
  PyBuffer_Release(buffer);
  delete buffer;
}

/// Returns the dtype of a struct-module format in native byte order.
std::optional<Dtype> dtype_of_format(const char* format, Py_ssize_t width) {
  if (format == nullptr) return Dtype::uint8;
  std::string text(format);
  if (!text.empty() && (text[0] == '@' || text[0] == '=' || text[0] == '<' || text[0] == '|')) {
    text.erase(0, 1);
  }
  if (text == "?") return Dtype::bool_;
  std::string typestr = width == 1 ? "|" : "<";
  if (text.size() == 1 && std::string("bhilqn").find(text) != std::string::npos) {
    typestr += 'i';
  } else if (text.size() == 1 && std::string("BHILQN").find(text) != std::string::npos) {
    typestr += 'u';
  } else if (text == "e" || text == "f" || text == "d") {
    typestr += 'f';
  } else if (text == "Zf" || text == "Zd") {
    typestr += 'c';
  } else {
    return std::nullopt;
  }
  return parse_typestr(typestr + std::to_string(width));
}

bool is_aligned(const Py_buffer& buffer, std::int64_t alignment) {
  if (buffer.len == 0) return true;
  if (reinterpret_cast<std::uintptr_t>(buffer.buf) % static_cast<std::uintptr_t>(alignment) != 0) {
    return false;
  }
  for (int axis = 0; axis < buffer.ndim; ++axis) {
    if (buffer.strides != nullptr && buffer.shape[axis] > 1 &&
        buffer.strides[axis] % alignment != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

void drop_reference(void* object) noexcept {
  if (const WithGil gil_guard; gil_guard) Py_DECREF(static_cast<PyObject*>(object));
}

PyObject* python_owner(const ForeignOwnership& ownership) noexcept {
  if (ownership.release == drop_reference) return static_cast<PyObject*>(ownership.owner);
  if (ownership.release == release_buffer) return static_cast<Py_buffer*>(ownership.owner)->obj;
  return nullptr;
}

ByteRange check_layout(const void* data, Layout& layout, std::int64_t width) {
  check_shape(layout.shape.span(), width);
  const ByteRange range = span_of(layout.shape, layout.strides, width);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (static_cast<std::uint64_t>(-range.first) > address ||
      address > UINT64_MAX - static_cast<std::uint64_t>(range.last)) {
    reject_extent();
  }
  // Strides of unused axes may be arbitrary, but views still multiply them: avoid overflow.
  for (int axis = 0; axis < layout.rank(); ++axis) {
    std::int64_t& stride = layout.strides[axis];
    const bool unused = layout.shape[axis] == 1 || range.first == range.last;
    if (unused && (stride > max_stride || stride < -max_stride)) stride = 0;
  }
  layout.offset = -range.first;
  return range;
}

void check_extent(const void* data, ByteRange range, const PointerInfo& attributes) {
  if (attributes.allocation_bytes == 0) return;
  const auto inside = reinterpret_cast<std::uintptr_t>(data) -
                      reinterpret_cast<std::uintptr_t>(attributes.allocation);
  const auto below = static_cast<std::uintptr_t>(-range.first);
  const auto above = static_cast<std::uintptr_t>(range.last);
  if (below <= inside && inside <= attributes.allocation_bytes &&
      above <= attributes.allocation_bytes - inside) {
    return;
  }
  throw InterchangeError(
      "the elements reach from byte " + std::to_string(range.first) + " to byte " +
      std::to_string(range.last) + " around the pointer, beyond its allocation of " +
      std::to_string(attributes.allocation_bytes) +
      " bytes; shape or strides are wrong (a broadcast axis whose stride 0 was lost?)");
}

NdArray adopt_view(Device device, void* data, Dims shape, Dims strides, Dtype type, bool read_only,
                   void* owner, void (*release)(void* owner) noexcept) {
  try {
    Layout layout{.shape = std::move(shape), .strides = std::move(strides)};
    const ByteRange range = check_layout(data, layout, itemsize(type));
    StorageRef memory = adopt(device, static_cast<char*>(data) + range.first, range.nbytes(),
                              read_only, owner, release);
    return {std::move(memory), std::move(layout), type, read_only};
  } catch (...) {
    release(owner);
    throw;
  }
}

NdArray rehome(NdArray array, Device device) {
  auto owner = std::make_unique<NdArray>(std::move(array));
  const StorageRef& memory = owner->memory();
  const Layout layout = owner->layout();
  const Dtype type = owner->dtype();
  const bool read_only = owner->read_only();
  StorageRef renamed = adopt(
      device, memory->data(), memory->nbytes(), read_only, owner.get(),
      [](void* owned_array) noexcept { delete static_cast<NdArray*>(owned_array); },
      is_pinned(*memory));
  static_cast<void>(owner.release());
  return {std::move(renamed), layout, type, read_only};
}

std::optional<NdArray> from_buffer(PyObject* object, Device device) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object, buffer.get(), PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  Py_buffer* view = buffer.get();
  const std::optional<Dtype> type = dtype_of_format(view->format, view->itemsize);
  if (!type || !is_aligned(*view, info(*type).alignment)) {
    PyBuffer_Release(view);
    return std::nullopt;
  }
  // ctypes leaves strides null even if PyBUF_STRIDES is requested.
  Dims shape(view->ndim);
  std::copy_n(view->shape, view->ndim, shape.begin());
  Dims strides = c_layout(shape, view->itemsize).strides;
  if (view->strides != nullptr) std::copy_n(view->strides, view->ndim, strides.begin());
  return adopt_view(device, view->buf, std::move(shape), std::move(strides), *type,
                    view->readonly != 0, buffer.release(), release_buffer);
}

}  // namespace skerry::python
