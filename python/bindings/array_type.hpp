// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <optional>
#include <vector>

#include "core/ndarray.hpp"
#include "ops/operand.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/scalar_args.hpp"

namespace skerry::python {

/// A `skerry.Array`. `value` never changes while the object lives, so it may be read without the
/// GIL by whoever holds a reference.
struct array_object {
  PyObject_HEAD ndarray value;
  PyObject* weak_references;
  std::int64_t* element_strides;  ///< made by element_strides()
  PyObject* reporter;  ///< of memory that a Python object owns: the array that reports the owner
};

extern PyTypeObject* array_type;

/// Makes the type and adds it to the module as Array; throws python_error.
void prepare_array_type(PyObject* module);

[[nodiscard]] inline bool is_array(PyObject* what) noexcept { return Py_TYPE(what) == array_type; }
[[nodiscard]] inline const ndarray& value_of(PyObject* array) noexcept {
  return reinterpret_cast<array_object*>(array)->value;
}
/// A new Python object for an array.
[[nodiscard]] PyObject* wrap(ndarray&& value);
[[nodiscard]] PyObject* wrap_all(std::vector<ndarray>&& values);  ///< a tuple

/// Strides in elements, as DLPack counts; they live as long as the object does.
[[nodiscard]] std::int64_t* element_strides(PyObject* array);

/// Throws dtype_error that names `op` and `argument` unless it is an Array.
[[nodiscard]] const ndarray& require_array(const char* op, const char* argument, PyObject* from);

/// Reads an argument of an operation: an Array or a Python scalar.
[[nodiscard]] inline parsed parse_operand(PyObject* from, operand& to, scalar& room) noexcept {
  if (is_array(from)) {
    to.array = &value_of(from);
    return parsed::yes;
  }
  const parsed result = parse_scalar(from, room);
  if (result == parsed::yes) to.value = &room;
  return result;
}
/// Throws dtype_error where it is neither.
void require_operand(const char* op, PyObject* from, operand& to, scalar& room);

/// The tuple of these ints: a shape, or strides.
[[nodiscard]] object tuple_of(const dims& values);

/// The element of an array of size 1, read from its device.
[[nodiscard]] element read_element(const ndarray& from);

// The slots, by file.
template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}
extern PyType_Slot number_slots[];
extern PyType_Slot indexing_slots[];
/// Adds __cuda_array_interface__ as a real property: cuDF asks for the type of the descriptor.
void add_interchange(PyTypeObject* type);
/// Adds __dlpack_c_exchange_api__.
void add_exchange_table(PyTypeObject* type);

}  // namespace skerry::python
