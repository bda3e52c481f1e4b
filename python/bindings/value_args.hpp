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

/// Arguments that are values: sizes, axes, flags, numbers. By one rule: a Python scalar has no
/// device; a 0-d Array counts as its element where it is on the device that the call works on.
/// All throw DeviceMismatchError for one elsewhere, and DtypeError that names the parameter.
namespace skerry::python {

/// Throws unless `x`, an argument of that call, is on `expected_device`.
void require_device_match(const Arguments& arguments, int parameter, const NdArray& x,
                          Device expected_device);
[[noreturn]] void reject_device_mismatch(const char* parameter, const NdArray& x,
                                         Device expected_device);

/// An array, or what becomes one (converted_args.hpp). Throws DtypeError for all else.
[[nodiscard]] const NdArray& array_argument(const Arguments& arguments, int parameter);
/// The object of the array.
[[nodiscard]] inline PyObject* array_object(const Arguments& arguments, int parameter) {
  static_cast<void>(array_argument(arguments, parameter));
  return arguments[parameter];
}
/// The same, or a Python scalar.
void operand_argument(const Arguments& arguments, int parameter, Operand& operand,
                      Scalar& scalar_value);

/// The arrays of `objects`, which messages call arrays[0], arrays[1] and so on: the items
/// of an argument; parameter -1 for `*args`.
[[nodiscard]] std::vector<NdArray> require_arrays(const Arguments& arguments, int parameter,
                                                  std::span<PyObject* const> objects);
/// Those of `*arrays`.
[[nodiscard]] inline std::vector<NdArray> rest_arrays(const Arguments& arguments) {
  return require_arrays(arguments, -1, arguments.rest_span());
}
/// The items of a list or a tuple.
[[nodiscard]] inline std::span<PyObject* const> items_of_sequence(PyObject* sequence) {
  return {PySequence_Fast_ITEMS(sequence),
          static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence))};
}

/// The Python scalar of `object`, which is the argument, or an item of it.
[[nodiscard]] Object value_argument(const Arguments& arguments, int parameter, PyObject* object);

/// An int; out of int64: clamped.
[[nodiscard]] std::int64_t integer(const Arguments& arguments, int parameter);
[[nodiscard]] std::int64_t integer(const Arguments& arguments, int parameter,
                                   std::int64_t default_value);
/// None is as good as absent.
[[nodiscard]] std::optional<std::int64_t> optional_integer(const Arguments& arguments,
                                                           int parameter);
/// An int where clamping would give it another meaning. Throws OverflowError.
[[nodiscard]] std::int64_t exact_integer(const Arguments& arguments, int parameter);

/// One int, a tuple or list of them.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& arguments, int parameter);
[[nodiscard]] std::vector<std::int64_t> exact_integers(const Arguments& arguments, int parameter);
/// The same of an item of the argument, called `name` unless null; parameter -1 for one of `*args`.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& arguments, int parameter,
                                                 const char* name, PyObject* object);

[[nodiscard]] bool boolean_argument(const Arguments& arguments, int parameter);
[[nodiscard]] inline bool boolean(const Arguments& arguments, int parameter, bool default_value) {
  return arguments[parameter] == nullptr ? default_value : boolean_argument(arguments, parameter);
}
[[nodiscard]] std::optional<bool> optional_boolean(const Arguments& arguments, int parameter);
/// Which of `choices` a str is; the first where the argument is absent. Throws ValueError that
/// lists them.
[[nodiscard]] int choice(const Arguments& arguments, int parameter,
                         std::initializer_list<const char*> choices);
/// Refuses, before the first is made, more Python objects than the machine has memory for. Throws
/// OutOfMemoryError.
void require_memory_for_objects(double count, double nbytes_each);
/// What an array object takes at least, in a list of them.
inline constexpr double nbytes_of_array = 256;
/// An int or a float.
[[nodiscard]] double number(const Arguments& arguments, int parameter);

}  // namespace skerry::python
