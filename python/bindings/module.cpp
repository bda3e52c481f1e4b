// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>

#include "device/memory.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/sealed_types.hpp"

namespace {

/// Garbage may hold arrays: the last but one resort when memory runs out.
void collect_garbage() noexcept {
  const skerry::python::with_gil held;
  if (!held) return;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyGC_Collect();
  PyErr_Restore(type, value, trace);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  using namespace skerry::python;
  try {
    prepare_errors();
    prepare_scalars();
    prepare_array_type(module.ptr());
    add_devices(module.ptr());
    add_functions(module.ptr());
    add_creation(module.ptr());
    add_cuda_interface(module.ptr());
    add_fft(module.ptr());
    add_joining(module.ptr());
    add_take(module.ptr());
    add_sorting(module.ptr());
    add_linalg(module.ptr());
    add_scans(module.ptr());
    add_sets(module.ptr());
    add_diagnostics(module.ptr());
    seal_types(module.ptr());
    module.attr("__version__") = SKERRY_VERSION;
  } catch (const python_error&) {
    throw pybind11::error_already_set();
  }
  skerry::set_garbage_collector(collect_garbage);
}
