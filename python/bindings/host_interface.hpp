// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include "core/ndarray.hpp"

namespace skerry::python {

/// True if the host can access the array's memory by its address: memory of a CPU device, or
/// managed memory.
[[nodiscard]] bool is_host_accessible(const NdArray& array) noexcept;
/// Waits until the host may access memory that it can access.
void make_ready_on_host(const NdArray& array);

/// NumPy's PyArrayInterface, an ABI: the structure behind the capsule of `__array_struct__`.
struct ArrayStruct {
  int two = 2;
  int rank = 0;
  char kind = 0;
  int itemsize = 0;
  int flags = 0;
  Py_ssize_t* shape = nullptr;
  Py_ssize_t* strides = nullptr;
  void* data = nullptr;
  PyObject* dtype = nullptr;
};
inline constexpr int flag_aligned = 0x100;
inline constexpr int flag_native_order = 0x200;
inline constexpr int flag_writeable = 0x400;
inline constexpr int flag_has_dtype = 0x800;

// NumPy's view of an array that the host can access. The buffer protocol is not supported: its slot
// belongs to the type, so torch.asarray would use it for arrays on any device, fail for those on a
// GPU, and read those on a CPU as float32 bytes whatever their dtype. Without it PyTorch, mpi4py
// and others fall back to DLPack.

/// Implements `__array__(dtype, copy)`: a view where possible. Throws TypeError for an array that
/// the host can't access.
[[nodiscard]] PyObject* to_numpy(PyObject* self, PyObject* dtype, PyObject* copied);
/// Implements `__bytes__`: the elements in C order. Without the method, bytes() would convert each
/// element to one byte.
[[nodiscard]] PyObject* to_bytes(PyObject* self);
/// Adds `__array_struct__` and `__array_interface__`.
void add_host_interface(PyTypeObject* type);

/// Adds `__array_ufunc__`, `__array_function__` (NEP 13, NEP 18) and `__array_priority__`.
void add_numpy_protocols(PyObject* module, PyTypeObject* type);

}  // namespace skerry::python
