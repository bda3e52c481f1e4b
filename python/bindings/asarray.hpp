// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"

namespace skerry::python {

/// What asarray and from_dlpack are asked to make of an object.
struct Conversion {
  std::optional<Dtype> type;
  std::optional<Device> device;
  std::optional<bool> copied;
};

/// An array with the dtype and on the device that are asked for. `is_copy`: nobody else has this
/// memory, so that it need not be copied again. Throws InterchangeError where copy=False forbids
/// what is needed.
[[nodiscard]] NdArray convert(const Conversion& conversion, NdArray array, bool is_copy);

/// The memory of a numpy.ndarray under the name of the CPU device `host_device`, or a copy on it,
/// where byte order or alignment ask for one. Throws DtypeError for what has no dtype here, and for
/// masked arrays and matrices.
struct NumpyMemory {
  NdArray array;
  bool is_copy = false;
};
[[nodiscard]] NumpyMemory take_numpy_array(const Conversion& conversion, PyObject* object,
                                           Device host_device);

/// What asarray does: a new reference.
[[nodiscard]] PyObject* as_array(const Conversion& conversion, PyObject* object);

}  // namespace skerry::python
