// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/ndarray.hpp"
#include "ops/call/operand.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/function_table.hpp"

/// Conversion of arguments that are not arrays. A numpy.ndarray becomes an array on cpu:0 that
/// shares its memory. A literal, which is a Python scalar or a list of numbers, has no device: it
/// becomes an array on the device of the arrays, or on the default device if there are none.
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

/// The arguments of one call, some of which become arrays. A literal has the dtype that its scalars
/// give with the call's arrays, unless it holds positions (the argument is named indices, repeats,
/// sorter or key), is a condition, or is assigned.
class ConvertedArgs {
 public:
  /// `self`: an array among the arguments that is not passed again; may be null.
  explicit ConvertedArgs(PyObject* self) : self_(self) {}

  /// Sets the target of an assignment: a list passed as `value` takes its device and dtype.
  void assign_to(const NdArray& target) noexcept { target_ = &target; }
  void add(std::string name, PyObject* value);  ///< null: absent
  /// Adds a value that is not converted; the arrays in it have a device.
  void add_context(std::string name, PyObject* value) { look_at(name, value); }
  /// Adds all bound arguments of a call; `restore` undoes their conversion.
  void add(const Arguments& arguments);
  void restore(const Arguments& arguments) const noexcept;
  /// Converts `object`, an argument or an item of one, and the other items of its sequence. Returns
  /// the array of `object`, borrowed, or null if it is neither. Throws DeviceMismatchError for a
  /// numpy.ndarray with arrays on another device.
  [[nodiscard]] PyObject* convert(PyObject* object) { return convert(object, 0, values_.size()); }
  /// The same for one of the arguments from index `first` up to `last`.
  [[nodiscard]] PyObject* convert(PyObject* object, std::size_t first, std::size_t last);
  /// Converts each argument that may become an array; Python scalars, too, if `scalars`.
  void convert_all(bool scalars = false);
  /// Completes the result of a comparison or search. For ints of a list that are out of range, its
  /// elements are those of `call`, which reads values(), with an int beyond all ranges.
  [[nodiscard]] PyObject* complete(PyObject* result, const std::function<PyObject*()>& call);
  /// Throws DeviceMismatchError unless all arrays, NumPy's too, are on one device.
  void require_one_device();
  [[nodiscard]] PyObject* const* values() const noexcept { return values_.data(); }
  /// Keeps an array as long as the call.
  const NdArray& keep(Object array);

 private:
  void look_at_arrays();
  void look_at(const std::string& name, PyObject* value, int depth = 0);
  void require_own_on_one_device() const;
  [[noreturn]] void reject_devices() const;
  [[nodiscard]] std::optional<Dtype> dtype_of_values() const;
  [[nodiscard]] Object array_of(const std::string& name, PyObject* object);
  [[nodiscard]] Object sequence_of(const std::string& name, PyObject* object, PyObject* requested);
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
  /// A list of which ints are out of range, on either side.
  struct OutOfRange {
    std::string name;
    std::optional<NdArray> above;
    std::optional<NdArray> below;
  };
  std::optional<OutOfRange> out_of_range_;
  std::vector<Object> copied_sequences_;  ///< keep what arrays_ refers to
  std::vector<NamedArray> arrays_;        ///< array arguments as passed, NumPy's included
  bool looked_ = false;
};

/// Returns the array that an argument, or an item of one, is converted to: borrowed, valid during
/// the call; null if it is not convertible. Throws like ConvertedArgs::convert.
[[nodiscard, gnu::cold]] PyObject* convert_argument(const Arguments& arguments, PyObject* object);
/// The same for the argument at `parameter`, or for an item of it, which may also be a scalar. For
/// parameter -1 `object` is one of `*args`.
[[nodiscard, gnu::cold]] PyObject* convert_literal(const Arguments& arguments, int parameter,
                                                   PyObject* object);
/// Returns which of several scalars without an array become 0-d arrays: NumPy's, which have a
/// dtype, or else the first one of the highest kind. The others then count as scalars beside
/// arrays.
[[nodiscard]] std::vector<std::size_t> placed_scalars(std::span<PyObject* const> scalars);
/// Converts a scalar to a 0-d array on the default device.
[[nodiscard]] Object placed_scalar(PyObject* scalar);
/// Replaces these scalars among operands, the arguments from index `first` on; none if an operand
/// is an array.
[[gnu::cold]] void place_scalars(const Arguments& arguments, std::span<Operand> operands,
                                 int first = 0);

/// Completes the result of a call whose arguments were converted, restores the original arguments
/// and frees the converted arrays.
[[nodiscard, gnu::cold]] PyObject* end_conversion(const Arguments& arguments, PyObject* result,
                                                  PyObject* (*function)(const Arguments&)) noexcept;

/// Calls `function` inside `translate_exceptions`, with conversion of arguments to arrays.
inline PyObject* call_with_conversion(const Arguments& arguments,
                                      PyObject* (*function)(const Arguments& arguments)) {
  PyObject* result =
      translate_exceptions(arguments.signature->function(), [&] { return function(arguments); });
  if (arguments.converted_args != nullptr) [[unlikely]]
    result = end_conversion(arguments, result, function);
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
/// numpy.ndarray or a list, and returns NotImplemented for other objects.
[[nodiscard]] PyObject* operate_converted(const char* name, PyObject* left, PyObject* right,
                                          binaryfunc operation);

}  // namespace skerry::python
