// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"
#include "ops/call/operand.hpp"
#include "python/bindings/function_table.hpp"

/// Arguments that are values: sizes, axes, flags, numbers. A Python scalar has no device; a
/// one-element Array is converted to a scalar if it is on the device of the call. All functions
/// throw DeviceMismatchError for an array on another device, and TypeErrors that name the
/// parameter.
namespace skerry::python {

/// Throws DeviceMismatchError unless `x`, an argument of the call, is on `expected_device`.
void require_device_match(const Arguments& arguments, int parameter, const NdArray& x,
                          Device expected_device);
/// Throws DeviceMismatchError unless `x`, an argument of the call, is on the device of the first
/// array among the other arguments, if there is one.
void require_device_of_call(const Arguments& arguments, int parameter, const NdArray& x);
[[noreturn]] void reject_device_mismatch(const char* parameter, const NdArray& x,
                                         Device expected_device);

/// Returns an array argument, converted if necessary (converted_args.hpp). Throws TypeError for
/// other objects.
[[nodiscard]] const NdArray& array_argument(const Arguments& arguments, int parameter);
/// Like array_argument, but returns the Python object.
[[nodiscard]] inline PyObject* array_object(const Arguments& arguments, int parameter) {
  static_cast<void>(array_argument(arguments, parameter));
  return arguments[parameter];
}
/// Like array_argument, but also accepts a Python scalar.
void operand_argument(const Arguments& arguments, int parameter, Operand& operand,
                      Scalar& scalar_value);

/// Converts `objects` to arrays. They are the items of an argument or, for parameter -1, `*args`.
/// Messages name them arrays[0], arrays[1] and so on.
[[nodiscard]] std::vector<NdArray> require_arrays(const Arguments& arguments, int parameter,
                                                  std::span<PyObject* const> objects);
/// Returns the arrays of `*arrays`.
[[nodiscard]] inline std::vector<NdArray> rest_arrays(const Arguments& arguments) {
  return require_arrays(arguments, -1, arguments.rest_span());
}
/// Returns the items of a list or a tuple.
[[nodiscard]] inline std::span<PyObject* const> items_of_sequence(PyObject* sequence) {
  return {PySequence_Fast_ITEMS(sequence),
          static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence))};
}

/// Converts a one-element array to a Python scalar; returns other objects unchanged. `object` is
/// the argument or an item of it.
[[nodiscard]] Object value_argument(const Arguments& arguments, int parameter, PyObject* object);

/// Returns an int, clamped to int64.
[[nodiscard]] std::int64_t integer(const Arguments& arguments, int parameter);
[[nodiscard]] std::int64_t integer(const Arguments& arguments, int parameter,
                                   std::int64_t default_value);
/// Empty if the argument is None or absent.
[[nodiscard]] std::optional<std::int64_t> optional_integer(const Arguments& arguments,
                                                           int parameter);
/// Like `integer`, but throws OverflowError instead of clamping.
[[nodiscard]] std::int64_t exact_integer(const Arguments& arguments, int parameter);

/// Returns one int, or a tuple or list of ints.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& arguments, int parameter);
[[nodiscard]] std::vector<std::int64_t> exact_integers(const Arguments& arguments, int parameter);
/// Like `integers`, for `object`, an item of the argument or, for parameter -1, of `*args`.
/// Messages use `name` unless it is null.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& arguments, int parameter,
                                                 const char* name, PyObject* object);

[[nodiscard]] bool boolean_argument(const Arguments& arguments, int parameter);
[[nodiscard]] inline bool boolean(const Arguments& arguments, int parameter, bool default_value) {
  return arguments[parameter] == nullptr ? default_value : boolean_argument(arguments, parameter);
}
[[nodiscard]] std::optional<bool> optional_boolean(const Arguments& arguments, int parameter);
/// Returns the index of a str in `choices`; 0 if the argument is absent. One-letter choices match
/// in either case. Throws a ValueError that lists the choices.
[[nodiscard]] int choice(const Arguments& arguments, int parameter,
                         std::initializer_list<const char*> choices);
/// Returns whether NumPy's rule `casting` allows the cast.
[[nodiscard]] bool can_cast(Dtype source, Dtype destination, PyObject* casting);
/// Throws DtypeError unless NumPy's rule `casting`, an argument that may be null, allows the cast.
void require_cast(Dtype source, Dtype destination, PyObject* casting);
/// Checks the name of a sorting algorithm of NumPy's, which has no effect.
void check_sort_kind(const Arguments& arguments, int parameter);
/// Throws OutOfMemoryError if the machine has too little memory for that many Python objects.
void require_memory_for_objects(double count, double nbytes_each);
/// Minimum bytes of an array object in a list.
inline constexpr double nbytes_of_array = 256;
/// Returns an int or a float.
[[nodiscard]] double number(const Arguments& arguments, int parameter);

}  // namespace skerry::python
