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

/// What counts as an array without being one. A numpy.ndarray is an array on cpu:0, whose memory is
/// shared; a list has no device, and is what asarray makes of it where no array says the device.
///
/// Who reads an argument and finds no array asks for the one that it becomes, and goes on with it.
/// So calls among arrays pay nothing for it.
namespace skerry::python {

[[nodiscard]] inline bool is_list_or_tuple(PyObject* object) noexcept {
  return PyList_Check(object) || PyTuple_Check(object);
}
/// A numpy.ndarray, a subclass of it, a list or a tuple.
[[nodiscard]] bool may_become_array(PyObject* object) noexcept;

/// The memory of a numpy.ndarray as an array on cpu:0. Throws DtypeError for what can't be shared:
/// another dtype, byte order or alignment, a subclass other than numpy.memmap.
[[nodiscard]] NdArray share_numpy_array(const char* argument, PyObject* object);

/// The arguments of one call, some of which become arrays. Those named indices, repeats or key hold
/// positions: a list there goes to the device of the call's arrays. So do a list that is
/// assigned and one that isin looks in.
class ConvertedArgs {
 public:
  /// `self`: an array among the arguments that is not passed again; may be null.
  explicit ConvertedArgs(PyObject* self) : self_(self) {}

  /// What the argument named value is assigned to: a list there takes its device and dtype.
  void assign_to(const NdArray& target) noexcept { target_ = &target; }
  void add(std::string name, PyObject* value);  ///< null: absent
  /// All that are bound to the signature of a call; `restore` gives it these back.
  void add(const Arguments& arguments);
  void restore(const Arguments& arguments) const noexcept;
  /// Puts arrays in the place of `object`, an argument or an item of one, and of the other items of
  /// the sequence it is in; returns that of `object`, borrowed, or null where it is neither. Throws
  /// DeviceMismatchError where a numpy.ndarray is beside arrays elsewhere, DtypeError for a list
  /// beside arrays.
  [[nodiscard]] PyObject* convert(PyObject* object);
  /// The same for each argument that may become an array.
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
  std::vector<NamedArray> arrays_;  ///< those that were given, NumPy's too
  bool looked_ = false;
};

/// The array that an argument, or an item of one, becomes: borrowed, and as long as the call. Null
/// where it becomes none. Throws as ConvertedArgs does.
[[nodiscard, gnu::cold]] PyObject* convert_argument(const Arguments& arguments, PyObject* object);

/// Gives arguments back as they were, without the arrays that they became.
[[gnu::cold]] void end_conversion(const Arguments& arguments) noexcept;

/// As `translate_exceptions`, of a call; what is to be an array and can be one becomes one.
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

/// What an operator returns for an operand that is neither an array nor a scalar: a numpy.ndarray
/// becomes an array, a list is refused, all else may know what to do itself.
[[nodiscard]] PyObject* operate_converted(const char* name, PyObject* left, PyObject* right,
                                          binaryfunc operation);

}  // namespace skerry::python
