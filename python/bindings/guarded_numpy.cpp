// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Guarded memory for NumPy's arrays, through NumPy's allocation hook (NEP 49).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/errors.hpp"
#include "device/allocator.hpp"
#include "device/guard/heap.hpp"
#include "python/bindings/pybind.hpp"

namespace skerry::python {
namespace {

/// PyDataMem_Handler of version 1 (numpy/ndarraytypes.h).
struct NumpyHandler {
  char name[127];
  std::uint8_t version;
  struct {
    void* context;
    void* (*allocate)(void* context, std::size_t nbytes);
    void* (*allocate_zeros)(void* context, std::size_t count, std::size_t nbytes);
    void* (*resize)(void* context, void* data, std::size_t nbytes);
    void (*release)(void* context, void* data, std::size_t nbytes);
  } allocator;
};

void* allocate(void*, std::size_t nbytes) { return guard::allocate(nbytes); }

void* allocate_zeros(void*, std::size_t count, std::size_t nbytes) {
  std::size_t whole = 0;
  return __builtin_mul_overflow(count, nbytes, &whole) ? nullptr : guard::allocate_zeros(whole);
}

void* resize(void*, void* data, std::size_t nbytes) {
  if (data == nullptr) return guard::allocate(nbytes);
  void* const new_block = guard::allocate(nbytes);
  if (new_block == nullptr) return nullptr;
  std::memcpy(new_block, data, std::min(nbytes, guard::size_of(data)));
  guard::release(data);
  return new_block;
}

void release(void*, void* data, std::size_t) { guard::release(data); }

constinit NumpyHandler guarded_handler{
    "skerry_guarded", 1, {nullptr, allocate, allocate_zeros, resize, release}};

/// Calls PyDataMem_SetHandler, from the table of NumPy's C API. `capsule` is a handler, or null for
/// NumPy's own memory. Returns the previous handler.
py::object set_handler(PyObject* capsule) {
  constexpr std::size_t index = 304;  // numpy/_core/code_generators/numpy_api.py
  const py::object table = py::module_::import("numpy._core._multiarray_umath").attr("_ARRAY_API");
  void** const functions = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
  if (functions == nullptr) throw py::error_already_set();
  const auto set = reinterpret_cast<PyObject* (*)(PyObject*)>(functions[index]);
  PyObject* const previous_handler = set(capsule);
  if (previous_handler == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(previous_handler);
}

py::object guard_numpy_memory() {
  if (!guard::is_on()) {
    throw ValueError(std::string("guarded_numpy: SKERRY_ALLOCATOR is ") +
                     name(selected_allocator()) +
                     "; set it to guard or guard-front before skerry is imported");
  }
  return set_handler(py::capsule(&guarded_handler, "mem_handler").ptr());
}

}  // namespace

void add_guarded_numpy(py::module_& module) {
  module.def("guard_numpy_memory", guard_numpy_memory,
             "Allocate NumPy arrays in guarded memory in this contextvars context; returns the "
             "previous handler, for set_numpy_memory().");
  module.def(
      "set_numpy_memory", [](const py::object& handler) { set_handler(handler.ptr()); },
      py::arg("handler"), py::pos_only(), "Set the memory handler of NumPy's arrays.");
}

}  // namespace skerry::python
