// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"

namespace skerry::python {

/// What asarray and from_dlpack are asked to make of an object.
struct conversion {
  const char* op;
  std::optional<dtype> type;
  std::optional<device> where;
  std::optional<bool> copied;
};

/// An array with the dtype and on the device that are asked for. `fresh`: nobody else has this
/// memory, so that it need not be copied again. Throws interchange_error where copy=False forbids
/// what is needed.
[[nodiscard]] ndarray convert(const conversion& wanted, ndarray from, bool fresh);

/// The memory of a numpy.ndarray under the name of the CPU device `home`, or a copy on it, where
/// byte order or alignment ask for one. Throws dtype_error for what has no dtype here, and for
/// masked arrays and matrices.
struct numpy_memory {
  ndarray array;
  bool fresh = false;
};
[[nodiscard]] numpy_memory take_numpy_array(const conversion& wanted, PyObject* from, device home);

/// What asarray does: a new reference.
[[nodiscard]] PyObject* as_array(const conversion& wanted, PyObject* from);

}  // namespace skerry::python
