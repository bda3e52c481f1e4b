// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "core/ndarray.hpp"
#include "python/bindings/function_table.hpp"

/// Arguments that are values: sizes, axes, flags, numbers. By one rule: a Python scalar has no
/// device; a 0-d Array counts as its element where it is on the device that the call works on.
/// All throw DeviceMismatchError for one elsewhere, and DtypeError that names the parameter.
namespace skerry::python {

/// Throws unless `x`, an argument of that call, is on `here`.
void require_on(const Arguments& with, int parameter, const NdArray& x, Device here);
[[noreturn]] void reject_elsewhere(const char* function, const char* parameter, const NdArray& x,
                                   Device here);

[[nodiscard]] const NdArray& array_argument(const Arguments& with, int parameter);

/// The arrays of `from`, which messages call arrays[0], arrays[1] and so on.
[[nodiscard]] std::vector<NdArray> require_arrays(const char* op, std::span<PyObject* const> from);
/// Those of `*arrays`.
[[nodiscard]] inline std::vector<NdArray> rest_arrays(const Arguments& with) {
  return require_arrays(with.takes->function(),
                        {with.rest, static_cast<std::size_t>(with.rest_count)});
}

/// The Python scalar of `from`, which is the argument, or an item of it.
[[nodiscard]] Object value_argument(const Arguments& with, int parameter, PyObject* from);

/// An int; out of int64: clamped.
[[nodiscard]] std::int64_t integer(const Arguments& with, int parameter);
[[nodiscard]] std::int64_t integer(const Arguments& with, int parameter, std::int64_t absent);
/// None is as good as absent.
[[nodiscard]] std::optional<std::int64_t> optional_integer(const Arguments& with, int parameter);
/// An int where clamping would give it another meaning. Throws OverflowError.
[[nodiscard]] std::int64_t exact_integer(const Arguments& with, int parameter);

/// One int, a tuple or list of them.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& with, int parameter);
[[nodiscard]] std::vector<std::int64_t> exact_integers(const Arguments& with, int parameter);
/// The same of an item of the argument, called `name` unless null; parameter -1 for one of `*args`.
[[nodiscard]] std::vector<std::int64_t> integers(const Arguments& with, int parameter,
                                                 const char* name, PyObject* from);

[[nodiscard]] bool truth_of_argument(const Arguments& with, int parameter);
[[nodiscard]] inline bool truth(const Arguments& with, int parameter, bool absent) {
  return with[parameter] == nullptr ? absent : truth_of_argument(with, parameter);
}
[[nodiscard]] std::optional<bool> optional_truth(const Arguments& with, int parameter);
/// Which of `choices` a str is; the first where the argument is absent. Throws ValueError that
/// lists them.
[[nodiscard]] int choice(const Arguments& with, int parameter,
                         std::initializer_list<const char*> choices);
/// Refuses, before the first is made, more Python objects than the machine has memory for. Throws
/// OutOfMemoryError.
void require_objects(const char* op, double count, double nbytes_each);
/// What an array object takes at least, in a list of them.
inline constexpr double nbytes_of_array = 256;
/// An int or a float.
[[nodiscard]] double number(const Arguments& with, int parameter);

}  // namespace skerry::python
