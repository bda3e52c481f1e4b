// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>

#include "core/ndarray.hpp"

namespace skerry::python {

/// Requested dtype, device and copy behaviour of asarray and from_dlpack.
struct Conversion {
  std::optional<Dtype> type;
  std::optional<Device> device;
  std::optional<bool> copied;
};

/// Converts an array to the requested dtype and device. `is_copy`: the memory is already a private
/// copy, so copy=True makes no second one. Throws InterchangeError if copy=False forbids the
/// conversion.
[[nodiscard]] NdArray convert(const Conversion& conversion, NdArray array, bool is_copy);

/// The memory of a numpy.ndarray as an array on the CPU device `host_device`, or a copy if byte
/// order or alignment require one. Throws DtypeError for unsupported dtypes, masked arrays and
/// matrices.
struct NumpyMemory {
  NdArray array;
  bool is_copy = false;
};
[[nodiscard]] NumpyMemory take_numpy_array(const Conversion& conversion, PyObject* object,
                                           Device host_device);

/// Implements asarray. Returns a new reference.
[[nodiscard]] PyObject* as_array(const Conversion& conversion, PyObject* object);

}  // namespace skerry::python
