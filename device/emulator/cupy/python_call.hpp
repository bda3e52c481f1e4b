// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <cstddef>

#include "device/emulator/driver/entry_points.hpp"
#include "device/emulator/runtime/entry_points.hpp"

// Calls of CUDA's functions on behalf of CuPy, and Python's exceptions for their statuses.

namespace skerry::emulation::driver::runtime {

#define SKERRY_RUNTIME(name, function, ...) \
  int function(__VA_ARGS__) __asm__("skerry_" #name) __attribute__((visibility("default")));
#include "device/emulator/driver/runtime_calls.inc"
#undef SKERRY_RUNTIME

}  // namespace skerry::emulation::driver::runtime

namespace skerry::emulation::cupy {

namespace runtime = driver::runtime;

/// What CuPy's module and the package skerry_emulator provide.
struct PythonObjects {
  PyObject* make_error = nullptr;         ///< returns a CUDARuntimeError for a status
  PyObject* make_attributes = nullptr;    ///< the class PointerAttributes
  PyObject* device_properties = nullptr;  ///< returns a dict for a device's number
  PyObject* launch_generator = nullptr;   ///< launches a kernel of cupy.random.Generator
  std::size_t object_nbytes = 0;          ///< where the members of a Cython class begin
};
PythonObjects& python_objects();

/// Calls a function of CUDA without the GIL: other threads may need it before the function returns.
template <class... Parameters, class... Arguments>
int call(int (*function)(Parameters...), Arguments... arguments) {
  PyThreadState* const thread = PyEval_SaveThread();
  const int status = function(arguments...);
  PyEval_RestoreThread(thread);
  return status;
}

/// Returns true for success. Otherwise sets Python's exception and clears CUDA's last error.
bool is_success(int status);

/// Returns a new reference to None, or null with Python's exception set.
PyObject* none_or_error(int status);

}  // namespace skerry::emulation::cupy
