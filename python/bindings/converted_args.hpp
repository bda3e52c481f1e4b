// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/ndarray.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/function_table.hpp"

/// Conversion of arguments that are not arrays. A numpy.ndarray becomes an array on cpu:0 that
/// shares its memory. A list has no device: it is converted as by asarray, if no argument is an
/// array.
///
/// Conversion is lazy: code that reads an argument and finds no array requests the converted one.
/// So calls with arrays only pay nothing.
namespace skerry::python {

[[nodiscard]] inline bool is_list_or_tuple(PyObject* object) noexcept {
  return PyList_Check(object) || PyTuple_Check(object);
}
/// True for a numpy.ndarray, a subclass of it, a list or a tuple.
[[nodiscard]] bool may_become_array(PyObject* object) noexcept;

/// Returns an array on cpu:0 that shares the memory of a numpy.ndarray. Throws TypeError if it
/// can't be shared: unsupported dtype, byte order or alignment, a subclass other than numpy.memmap.
[[nodiscard]] NdArray share_numpy_array(const char* argument, PyObject* object);

/// The arguments of one call, some of which become arrays. A list is converted on the device of the
/// call's arrays where it holds positions (the argument is named indices, repeats or key), is
/// assigned, or is x2 of isin.
class ConvertedArgs {
 public:
  /// `self`: an array among the arguments that is not passed again; may be null.
  explicit ConvertedArgs(PyObject* self) : self_(self) {}

  /// Sets the target of an assignment: a list passed as `value` takes its device and dtype.
  void assign_to(const NdArray& target) noexcept { target_ = &target; }
  void add(std::string name, PyObject* value);  ///< null: absent
  /// Adds all bound arguments of a call; `restore` undoes their conversion.
  void add(const Arguments& arguments);
  void restore(const Arguments& arguments) const noexcept;
  /// Converts `object`, an argument or an item of one, and the other items of its sequence. Returns
  /// the array of `object`, borrowed, or null if it is neither. Throws DeviceMismatchError for a
  /// numpy.ndarray with arrays on another device, TypeError for a list with arrays.
  [[nodiscard]] PyObject* convert(PyObject* object);
  /// Converts each argument that may become an array.
  void convert_all();
  /// Throws DeviceMismatchError unless all arrays, NumPy's too, are on one device.
  void require_one_device();
  [[nodiscard]] PyObject* const* values() const noexcept { return values_.data(); }

 private:
  void look_at_arrays();
  void look_at(const std::string& name, PyObject* value, int depth = 0);
  void require_own_on_one_device() const;
  [[noreturn]] void reject_devices() const;
  [[nodiscard]] Object array_of(const std::string& name, PyObject* object) const;
  [[nodiscard]] Object sequence_of(const std::string& name, PyObject* object, bool lists);
  void put(std::size_t index, Object array);

  struct NamedArray {
    std::string name;
    PyObject* value;
  };
  PyObject* self_;
  PyObject* const* original_values_ = nullptr;
  PyObject* const* original_rest_ = nullptr;
  const NdArray* target_ = nullptr;
  std::vector<std::string> names_;
  std::vector<PyObject*> values_;
  std::vector<Object> converted_values_;
  struct ConvertedObject {
    Object original;
    PyObject* array;  ///< in converted_values_, or in a list there
  };
  std::vector<ConvertedObject> converted_objects_;
  std::vector<NamedArray> arrays_;  ///< array arguments as passed, NumPy's included
  bool looked_ = false;
};

/// Returns the array that an argument, or an item of one, is converted to: borrowed, valid during
/// the call; null if it is not convertible. Throws like ConvertedArgs::convert.
[[nodiscard, gnu::cold]] PyObject* convert_argument(const Arguments& arguments, PyObject* object);

/// Restores the original arguments and frees the converted arrays.
[[gnu::cold]] void end_conversion(const Arguments& arguments) noexcept;

/// Calls `function` inside `translate_exceptions`, with conversion of arguments to arrays.
template <class Run>
PyObject* call_with_conversion(const Arguments& arguments, Run function) {
  PyObject* const result =
      translate_exceptions(arguments.signature->function(), [&] { return function(arguments); });
  if (arguments.converted_args != nullptr) [[unlikely]]
    end_conversion(arguments);
  if (result != nullptr) [[likely]]
    return result;
  return name_failed_call(arguments);
}

/// Like call_with_conversion, for a call with `out=`: stores the result into it and returns it.
[[nodiscard, gnu::cold]] PyObject* call_into_out(const Arguments& arguments,
                                                 PyObject* (*function)(const Arguments& arguments));

/// Calls a function with bound arguments. The result is stored into `out=`, if that is passed.
inline PyObject* call_bound(const Arguments& arguments,
                            PyObject* (*function)(const Arguments& arguments)) {
  const int out = arguments.signature->out();
  if (out >= 0 && arguments.has(out)) [[unlikely]]
    return call_into_out(arguments, function);
  return call_with_conversion(arguments, function);
}

/// Evaluates an operator with an operand that is neither an array nor a scalar: converts a
/// numpy.ndarray, rejects a list, and returns NotImplemented for other objects.
[[nodiscard]] PyObject* operate_converted(const char* name, PyObject* left, PyObject* right,
                                          binaryfunc operation);

}  // namespace skerry::python
