// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/exported_memory.hpp"

#include <new>
#include <string>

#include "device/interchange.hpp"

namespace skerry::python {

namespace {

void name_with(ArrayNamer name_array, const NdArray& array) {
  if (name_array == nullptr || is_host(array.device()) || array.size() == 0) return;
  std::string text = std::string(name(array.dtype())) + " " + to_string(array.shape());
  if (!array.is_c_contiguous()) text += ", strides " + to_string(array.strides());
  const auto [begin, end] = extent(array.layout(), array.itemsize());
  name_array(array.memory()->data() + begin, static_cast<std::size_t>(end - begin), text.c_str());
}

}  // namespace

void note_export(const NdArray& array) {
  name_with(array_namer.load(std::memory_order_acquire), array);
}

void note_new_array(const NdArray& array) noexcept try {
  const Storage& memory = *array.memory();
  const bool is_view = memory.references() != 1;
  if (!is_view && memory.data() != nullptr)
    name_with(new_array_namer.load(std::memory_order_acquire), array);
} catch (const std::bad_alloc&) {
  return;  // reports do without the name
}

}  // namespace skerry::python
