// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/exported_memory.hpp"

#include <string>

#include "device/interchange.hpp"

namespace skerry::python {

void note_export(const NdArray& array) {
  const ArrayNamer name_array = array_namer.load(std::memory_order_acquire);
  if (name_array == nullptr || is_host(array.device()) || array.size() == 0) return;
  std::string text = std::string(name(array.dtype())) + " " + to_string(array.shape());
  if (!array.is_c_contiguous()) text += ", strides " + to_string(array.strides());
  const auto [begin, end] = extent(array.layout(), array.itemsize());
  name_array(array.memory()->data() + begin, static_cast<std::size_t>(end - begin), text.c_str());
}

}  // namespace skerry::python
