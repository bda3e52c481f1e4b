// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/cupy/host_calls.hpp"

namespace skerry::emulation::cupy {

namespace {

/// Calls a function of Python with a tuple of arguments, from a thread of a stream.
void call_with(PyObject* function, PyObject* arguments) {
  PyObject* const result = PyObject_CallObject(function, arguments);
  if (result == nullptr) {
    PyErr_WriteUnraisable(function);
  } else {
    Py_DecRef(result);
  }
}

/// `call_data` is a tuple of a function and of its arguments, which this call releases.
void run_call(void* call_data) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* const call = static_cast<PyObject*>(call_data);
  call_with(PyTuple_GetItem(call, 0), PyTuple_GetItem(call, 1));
  Py_DecRef(call);
  PyGILState_Release(state);
}

void run_unmanaged_call(void* call_data) {
  const PyGILState_STATE state = PyGILState_Ensure();
  auto* const pair = static_cast<PyObject*>(call_data);
  PyObject* const arguments = PyTuple_GetSlice(pair, 1, 2);
  call_with(PyTuple_GetItem(pair, 0), arguments);
  Py_DecRef(arguments);
  PyGILState_Release(state);
}

PyObject* enqueue(std::intptr_t stream, PyObject* call_data) {
  if (call_data == nullptr) return nullptr;
  const int status = call(runtime::launch_on_host, reinterpret_cast<void*>(stream), &run_call,
                          static_cast<void*>(call_data));
  if (status != 0) Py_DecRef(call_data);
  return none_or_error(status);
}

}  // namespace

PyObject* stream_add_callback(std::intptr_t stream, PyObject* function, std::intptr_t argument, int,
                              const OptionalArgument<unsigned>*) {
  return enqueue(stream, Py_BuildValue("O(nin)", function, stream, 0, argument));
}

PyObject* launch_host_function(std::intptr_t stream, PyObject* function, std::intptr_t argument,
                               int) {
  return enqueue(stream, Py_BuildValue("O(n)", function, argument));
}

PyObject* launch_unmanaged_host_function(std::intptr_t stream, PyObject* pair, int) {
  return none_or_error(call(runtime::launch_on_host, reinterpret_cast<void*>(stream),
                            &run_unmanaged_call, static_cast<void*>(pair)));
}

}  // namespace skerry::emulation::cupy
