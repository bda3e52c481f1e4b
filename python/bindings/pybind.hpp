// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>

namespace skerry::python {

namespace py = pybind11;

/// Defines a function that users import from `skerry`.
template <class Function, class... Extra>
void define_public(py::module_& module, const char* name, Function&& function,
                   const Extra&... extra) {
  module.def(name, std::forward<Function>(function), extra...);
  module.attr(name).attr("__module__") = "skerry";
}

/// Converts an int argument, clamped to int64. Throws a TypeError that names the parameter.
[[nodiscard]] std::int64_t index_argument(const char* parameter, PyObject* object);

/// Sets `__all__` of a module to the public names of `module_name`.
void list_public_names(const py::module_& module, const char* module_name);

/// Adapts all types and functions that pybind11 defined in the module: no object exists without its
/// C++ value, inspect.signature shows the parameters, and wrong arguments raise errors in skerry's
/// format. Call it after everything is defined.
void finish_bindings(const py::module_& module);

/// Adds Device, Stream, Event and the functions about devices and memory.
void add_devices(py::module_& module);
/// Adds the stream functions; called by add_devices.
void add_streams(py::module_& module);
/// Adds introspection for tests and tools: the operation tables and fault injection.
void add_diagnostics(py::module_& module);
/// Adds the trace behind `skerry.memory_snapshot`.
void add_memory_trace(py::module_& module);
/// Adds the ledgers behind `skerry.guard`.
void add_ledgers(py::module_& module);
/// Adds the graphs behind `skerry.capture`.
void add_graphs(py::module_& module);
/// Adds what `skerry.ipc_handle` and `skerry.open_ipc` need.
void add_ipc(py::module_& module);
/// Adds the records behind `skerry.profile`.
void add_profiles(py::module_& module);
void add_guarded_numpy(py::module_& module);
/// Adds the functions behind `skerry.set_allocator` and `skerry.cuda_allocator_functions`.
void add_allocators(py::module_& module);

}  // namespace skerry::python
