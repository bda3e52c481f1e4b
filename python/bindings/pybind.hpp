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

/// An int argument; out of int64: clamped. Throws DtypeError that names the parameter.
[[nodiscard]] std::int64_t index_argument(const char* parameter, PyObject* object);

/// Sets `__all__` of a module to the names of what users import from `module_name`.
void list_public_names(const py::module_& module, const char* module_name);

/// For all types and functions that pybind11 made for the module: no object exists without its
/// value, inspect.signature reads the parameters, and wrong arguments give an error in this
/// package's words. Called when the module has all of them.
void finish_bindings(const py::module_& module);

/// Adds Device, Stream, Event and the functions about devices and memory.
void add_devices(py::module_& module);
/// Adds the part of it that is about streams.
void add_streams(py::module_& module);
/// Adds what tests and tools ask: the tables, and the injection of failures.
void add_diagnostics(py::module_& module);
void add_guarded_numpy(py::module_& module);

}  // namespace skerry::python
