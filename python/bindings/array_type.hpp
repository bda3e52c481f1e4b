// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>
#include <cxxabi.h>

#include <new>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/pending.hpp"
#include "python/bindings/scalar_args.hpp"

namespace skerry::python {

/// A `skerry.Array`: it has its value, or one that is pending. From when it is there, `value` never
/// changes, so it may be read without the GIL by whoever holds a reference.
struct ArrayObject {
  PyObject_HEAD NdArray value;  ///< the header while it is pending
  PendingValue* pending;        ///< owned; null where `value` is there
  PyObject* weak_references;
  std::int64_t* element_strides;  ///< made by element_strides()
  PyObject* reporter;  ///< of memory that a Python object owns: the array that reports the owner
};

extern PyTypeObject* array_type;

/// Makes the type and adds it to the module as Array; throws PythonError.
void prepare_array_type(PyObject* module);

[[nodiscard]] inline bool is_array(PyObject* value) noexcept {
  return Py_TYPE(value) == array_type;
}
/// That of an array, null where it has its value.
[[nodiscard]] inline PendingValue* pending_of(PyObject* array) noexcept {
  auto* const self = reinterpret_cast<ArrayObject*>(array);
  return self->pending == nullptr ? nullptr : waiting_value(self);
}
/// What an array is, its memory aside: of a pending one there is none.
[[nodiscard]] inline const NdArray& header_of(PyObject* array) noexcept {
  return reinterpret_cast<ArrayObject*>(array)->value;
}
/// Computes it where it is pending. Throws PythonError.
[[nodiscard]] inline const NdArray& value_of(PyObject* array) {
  auto* const self = reinterpret_cast<ArrayObject*>(array);
  if (self->pending != nullptr) [[unlikely]]
    compute_value(self);
  return self->value;
}
/// The same of an array that is written in place, or given to others who may write to it: what is
/// recorded and reads it is computed before.
[[nodiscard]] inline const NdArray& target_of(PyObject* array) {
  const NdArray& x = value_of(array);
  if (detail::active_recording != nullptr) [[unlikely]]
    evaluate_readers(x);
  return x;
}
/// A new Python object for an array.
[[nodiscard]] PyObject* wrap(NdArray&& value);
[[nodiscard]] PyObject* wrap(PendingArray&& array);
/// The same for the array that `make` returns, which runs without the GIL if that is worth it. In
/// place: to move a result of one element costs a tenth of the call that made it.
template <class Make>
[[nodiscard]] PyObject* wrap_result(bool worth_it, Make make);
[[nodiscard]] PyObject* wrap_all(std::vector<NdArray>&& values);  ///< a tuple

/// A class of `collections.namedtuple`, as functions with several results return: "UniqueResult",
/// "values counts". Never freed. Throws PythonError.
[[nodiscard]] PyObject* named_tuple_type(const char* module, const char* name, const char* fields);
/// An instance whose items are the arrays.
[[nodiscard]] PyObject* named_tuple(PyObject* type, std::vector<NdArray>&& arrays);

/// Strides in elements, as DLPack counts; they live as long as the object does.
[[nodiscard]] std::int64_t* element_strides(PyObject* array);

/// Throws DtypeError that names `argument` unless it is an Array.
[[nodiscard]] const NdArray& require_array(const char* argument, PyObject* object);

/// The items of a tuple. Throws PythonError for anything else.
[[nodiscard]] std::span<PyObject* const> items_of(PyObject* tuple);
[[nodiscard]] bool are_arrays_of_one_device(std::span<PyObject* const> values) noexcept;
/// Whether all are arrays of one device and dtype: the arguments of most calls.
[[nodiscard]] bool agree(std::span<PyObject* const> values) noexcept;

/// Reads an argument of an operation: an Array or a Python scalar.
[[nodiscard]] inline Parsed parse_operand(PyObject* object, Operand& operand,
                                          Scalar& scalar_value) {
  if (is_array(object)) {
    operand.array = &value_of(object);
    return Parsed::yes;
  }
  const Parsed result = parse_scalar(object, scalar_value);
  if (result == Parsed::yes) operand.value = &scalar_value;
  return result;
}
/// Throws DtypeError that says so.
[[noreturn]] void reject_operand(const char* argument, PyObject* object);
/// Throws it where it is neither.
void require_operand(PyObject* object, Operand& operand, Scalar& scalar_value);

/// Whether arrays of more than one element differ in shape.
[[nodiscard]] bool shapes_differ(std::span<const Operand> operands) noexcept;
/// Whether a call takes long: at most the product of the sizes, where operands broadcast.
[[nodiscard]] inline bool takes_long(std::span<const Operand> operands) noexcept {
  std::int64_t product = 1;
  for (const Operand& operand : operands) {
    if (operand.array == nullptr) continue;
    const std::int64_t size = operand.array->size();
    if (size > min_size_without_gil) return true;
    product *= size;  // of three at most: 2^48
  }
  return product > min_size_without_gil && shapes_differ(operands);
}

/// The tuple of these ints: a shape, or strides.
[[nodiscard]] Object tuple_of(const Dims& values);

/// The element of an array of size 1, read from its device.
[[nodiscard]] Element read_element(const NdArray& array);

/// The element of a 0-d array as a Python scalar. Throws DtypeError, which ends with `remedy`, for
/// others.
[[nodiscard]] Object scalar_of(PyObject* array, const char* remedy = "");

/// The steps of wrap_result: an object without a value, its end with one and without.
[[nodiscard]] ArrayObject* new_object();
PyObject* finish_object(ArrayObject* self) noexcept;
void drop_object(ArrayObject* self) noexcept;

template <class Make>
PyObject* wrap_result(bool worth_it, Make make) {
  ArrayObject* const self = new_object();
  try {
    const WithoutGil working(worth_it);
    new (&self->value) NdArray(make());
  } catch (abi::__forced_unwind&) {
    throw;  // the thread ends at the end of the process, and does not hold the GIL
  } catch (...) {
    drop_object(self);
    throw;
  }
  return finish_object(self);
}

// The slots, by file.
template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}
extern PyType_Slot number_slots[];
/// Those of `@` and `@=`, which are among the number slots.
PyObject* multiply_matrices(PyObject* left, PyObject* right);
PyObject* multiply_matrices_in_place(PyObject* self, PyObject* other);
extern PyType_Slot indexing_slots[];
[[nodiscard]] PyMethodDef* array_methods();
[[nodiscard]] PyObject* represent(PyObject* self);
/// Adds __cuda_array_interface__ as a real property: cuDF asks for the type of the descriptor.
void add_interchange(PyTypeObject* type);
/// Adds __dlpack_c_exchange_api__.
void add_exchange_table(PyTypeObject* type);
/// Makes the names and constants by which producers of DLPack are called.
void prepare_protocol();

}  // namespace skerry::python
