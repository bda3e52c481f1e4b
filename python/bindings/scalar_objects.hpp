// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstring>
#include <type_traits>

#include "core/scalar.hpp"
#include "ops/math/concepts.hpp"

namespace skerry::python {

/// Converts the element of type T at `source` to a Python scalar; null with an error set on
/// failure.
template <class T>
[[nodiscard]] PyObject* to_python(const char* source) {
  Element item;
  std::memcpy(item.bytes, source, sizeof(T));
  const T value = item.as<T>();
  if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(value);
  } else if constexpr (ops::real_floating<T>) {
    return PyFloat_FromDouble(value);
  } else if constexpr (ops::complex_floating<T>) {
    return PyComplex_FromDoubles(value.re, value.im);
  } else if constexpr (std::is_unsigned_v<T>) {
    return PyLong_FromUnsignedLongLong(value);
  } else {
    return PyLong_FromLongLong(value);
  }
}

}  // namespace skerry::python
