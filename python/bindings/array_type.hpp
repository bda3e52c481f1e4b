// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>
#include <cxxabi.h>

#include <atomic>
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

/// The object of `skerry.Array`. `value` never changes while a reference is held, except that an
/// array created pending gets its memory, so it may be read without the GIL.
struct ArrayObject {
  PyObject_HEAD NdArray value;  ///< only the header while the array is pending
  /// Owned, and freed with the array: another thread may be looking at it. Null if the array was
  /// never pending.
  std::atomic<PendingValue*> pending;
  PyObject* weak_references;
  std::atomic<std::int64_t*> element_strides;  ///< allocated by element_strides()
  PyObject* reporter;  ///< if a Python object owns the memory: the array that reports it to the GC
};

extern PyTypeObject* array_type;

/// Creates the type and adds it to the module as Array. Throws PythonError.
void prepare_array_type(PyObject* module);

[[nodiscard]] inline bool is_array(PyObject* value) noexcept {
  return Py_TYPE(value) == array_type;
}
/// Returns the pending value of an array, or null if the array is already computed.
[[nodiscard]] inline PendingValue* pending_of(PyObject* array) noexcept {
  auto* const self = reinterpret_cast<ArrayObject*>(array);
  const PendingValue* const pending = self->pending.load(std::memory_order_acquire);
  return pending == nullptr || pending->is_delivered() ? nullptr : waiting_value(self);
}
/// Returns the array's metadata (shape, strides, dtype, device); a pending array has no memory.
[[nodiscard]] inline const NdArray& header_of(PyObject* array) noexcept {
  return reinterpret_cast<ArrayObject*>(array)->value;
}
/// Returns the device of an array, which may be pending in a recording of another thread.
[[nodiscard]] inline Device header_device(PyObject* array) noexcept {
  return header_of(array).shared_device();
}
/// Returns the array's value, computed first if it is pending. Throws PythonError.
[[nodiscard]] inline const NdArray& value_of(PyObject* array) {
  auto* const self = reinterpret_cast<ArrayObject*>(array);
  const PendingValue* const pending = self->pending.load(std::memory_order_acquire);
  if (pending != nullptr && !pending->is_delivered()) [[unlikely]]
    compute_value(self);
  return self->value;
}
/// Like value_of, for an array that is written in place or exported to code that may write to it:
/// first evaluates the pending arrays that read it.
[[nodiscard]] inline const NdArray& target_of(PyObject* array) {
  const NdArray& x = value_of(array);
  if (detail::active_recording != nullptr) [[unlikely]]
    evaluate_readers(x);
  return x;
}
/// Creates the Python object of an array.
[[nodiscard]] PyObject* wrap(NdArray&& value);
[[nodiscard]] PyObject* wrap(PendingArray&& array);
/// Creates the Python object of the array that `make` returns; `make` runs without the GIL if
/// `worth_it`. Constructs the value in place: moving it costs a tenth of a one-element call.
template <class Make>
[[nodiscard]] PyObject* wrap_result(bool worth_it, Make make);
[[nodiscard]] PyObject* wrap_all(std::vector<NdArray>&& values);  ///< a tuple

/// Creates a `collections.namedtuple` class for functions with several results: "UniqueResult",
/// "values counts". Never freed. Throws PythonError.
[[nodiscard]] PyObject* named_tuple_type(const char* module, const char* name, const char* fields);
/// Creates an instance whose items are the arrays.
[[nodiscard]] PyObject* named_tuple(PyObject* type, std::vector<NdArray>&& arrays);

/// Returns the strides in elements, as DLPack requires; valid as long as the object.
[[nodiscard]] std::int64_t* element_strides(PyObject* array);

/// Returns the value of an Array. Throws a TypeError that names `argument` for other objects.
[[nodiscard]] const NdArray& require_array(const char* argument, PyObject* object);

/// Returns the items of a tuple. Throws PythonError for any other object.
[[nodiscard]] std::span<PyObject* const> items_of(PyObject* tuple);
[[nodiscard]] bool are_arrays_of_one_device(std::span<PyObject* const> values) noexcept;
/// True if all are arrays of one device and dtype, as the arguments of most calls are.
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
/// Throws the TypeError for an object that is neither.
[[noreturn]] void reject_operand(const char* argument, PyObject* object);
/// Like parse_operand, but calls reject_operand for an object that is neither.
void require_operand(PyObject* object, Operand& operand, Scalar& scalar_value);

/// True if arrays of more than one element differ in shape.
[[nodiscard]] bool shapes_differ(std::span<const Operand> operands) noexcept;
/// True if the call may run long enough to release the GIL. Where operands broadcast, the product
/// of their sizes bounds the size of the result.
[[nodiscard]] inline bool takes_long(std::span<const Operand> operands) noexcept {
  std::int64_t product = 1;
  for (const Operand& operand : operands) {
    if (operand.array == nullptr) continue;
    const std::int64_t size = operand.array->size();
    if (size > min_size_without_gil) return true;
    product *= size;  // at most three operands, so below 2^48
  }
  return product > min_size_without_gil && shapes_differ(operands);
}

/// Converts a shape or strides to a tuple of ints.
[[nodiscard]] Object tuple_of(const Dims& values);

/// Returns a view of a complex array's real or imaginary parts; read-only zeros for a real one.
[[nodiscard]] NdArray part_of(const NdArray& x, bool imaginary);

/// Reads the element of an array of size 1 from its device.
[[nodiscard]] Element read_element(const NdArray& array);

/// Converts a 0-d array to a Python scalar. For other ranks throws a TypeError that ends with
/// `remedy`.
[[nodiscard]] Object scalar_of(PyObject* array, const char* remedy = "");

// The steps of wrap_result: allocate an object without a value; finish it once `value` is
// constructed; or discard it.
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
    throw;  // the interpreter is shutting down and ends this thread, which does not hold the GIL
  } catch (...) {
    drop_object(self);
    throw;
  }
  return finish_object(self);
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}
extern PyType_Slot number_slots[];
/// The number slots of `@` and `@=`.
PyObject* multiply_matrices(PyObject* left, PyObject* right);
PyObject* multiply_matrices_in_place(PyObject* self, PyObject* other);
extern PyType_Slot indexing_slots[];
/// The slot `tp_iter`. prepare_iterator_type() creates the type of the iterators.
[[nodiscard]] PyObject* iterate(PyObject* self);
void prepare_iterator_type();
/// Attributes of NumPy's and CuPy's arrays; appended to those of the type.
extern PyGetSetDef numpy_attributes[];
void prepare_data_type();
[[nodiscard]] PyMethodDef* array_methods();
[[nodiscard]] PyObject* represent(PyObject* self);
/// Adds __cuda_array_interface__ as a builtin property: cuDF checks the descriptor's type.
void add_interchange(PyTypeObject* type);
/// Adds __dlpack_c_exchange_api__.
void add_exchange_table(PyTypeObject* type);
/// Creates the interned names and constants used to call DLPack producers.
void prepare_protocol();

}  // namespace skerry::python
