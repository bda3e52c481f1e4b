// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/value_args.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "device/cpu/info.hpp"
#include "device/memory_pressure.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/device_args.hpp"

namespace skerry::python {
namespace {

/// The first array of an argument, which may be a sequence of them.
const NdArray* first_array(PyObject* from) {
  if (from == nullptr) return nullptr;
  if (is_array(from)) return &value_of(from);
  if (!PyTuple_Check(from) && !PyList_Check(from)) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(from); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(from, i);
    if (is_array(item)) return &value_of(item);
  }
  return nullptr;
}

/// Where a call works: `device=`, or where the first array is among its other arguments, or where
/// creation functions go.
Device device_of_call(const Arguments& with, int except) {
  const int named = with.takes->find("device");
  if (named >= 0 && named != except && with.has(named)) {
    return parse_device_argument(with.takes->function(), with[named]);
  }
  if (with.self != nullptr && is_array(with.self)) return value_of(with.self).device();
  for (int i = 0; i < with.takes->count(); ++i) {
    if (i == except) continue;
    if (const NdArray* found = first_array(with[i])) return found->device();
  }
  for (Py_ssize_t i = 0; i < with.rest_count; ++i) {
    if (is_array(with.rest[i])) return value_of(with.rest[i]).device();
  }
  return default_device();
}

const char* name_of(const Arguments& with, int parameter) {
  if (parameter < 0) return "an argument";
  return PyUnicode_AsUTF8(with.takes->name(parameter));
}

/// An argument, or an item of one that has a name of its own.
struct ArgumentRef {
  const Arguments& with;
  int parameter;
  const char* own_name = nullptr;

  [[nodiscard]] std::string text() const {
    return std::string(with.takes->function()) + ": " +
           (own_name != nullptr ? own_name : name_of(with, parameter));
  }
};

[[noreturn]] void reject(const ArgumentRef& argument, const char* expected, PyObject* from) {
  throw DtypeError(argument.text() + " must be " + expected + ", not " +
                   (is_array(from) ? describe(value_of(from)) : type_name(from)));
}

/// NumPy's arrays are arrays, also where one element is a value.
void require_converted(const ArgumentRef& argument, PyObject* from) {
  if (!is_numpy_array(from)) return;
  throw NotAnArray(argument.text() + " is a numpy.ndarray; convert it with skerry.asarray", from);
}

Object index_value(const ArgumentRef& argument, PyObject* from) {
  require_converted(argument, from);
  Object value = value_argument(argument.with, argument.parameter, from);
  if (!PyIndex_Check(value.get())) reject(argument, "an int", from);
  return value;
}

std::int64_t exact(const ArgumentRef& argument, PyObject* value) {
  const Object integer(PyNumber_Index(value));
  int overflow = 0;
  const long long found = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow == 0) return found;
  throw OverflowError(argument.text() + " does not fit 64 bits");
}

template <class Read>
std::vector<std::int64_t> each_integer(const ArgumentRef& argument, PyObject* from, Read&& read) {
  if (PyIndex_Check(from)) return {read(index_value(argument, from).get())};
  if (!PyTuple_Check(from) && !PyList_Check(from)) {
    reject(argument, "an int or a tuple of ints", from);
  }
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(from)));
  // An item's __index__ may run code that shrinks a list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(from); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(from, i);
    if (PyLong_CheckExact(item)) {
      values.push_back(read(item));
      continue;
    }
    const Object kept = Object::borrow(item);
    values.push_back(read(index_value(argument, item).get()));
  }
  return values;
}

}  // namespace

void require_on(const Arguments& with, int parameter, const NdArray& x, Device here) {
  if (x.device() == here) return;
  reject_elsewhere(with.takes->function(), name_of(with, parameter), x, here);
}

void reject_elsewhere(const char* function, const char* parameter, const NdArray& x, Device here) {
  throw DeviceMismatchError(std::string(function) + ": " + parameter + " is " + describe(x) +
                                ", the call works on " + to_string(here) +
                                "; nothing crosses devices unasked: move it with to_device(\"" +
                                to_string(here) + "\"), or read it with item()",
                            {here, x.device()});
}

const NdArray& array_argument(const Arguments& with, int parameter) {
  if (is_array(with[parameter])) return value_of(with[parameter]);
  return require_array(with.takes->function(), name_of(with, parameter), with[parameter]);
}

std::vector<NdArray> require_arrays(const char* op, std::span<PyObject* const> from) {
  std::vector<NdArray> arrays;
  arrays.reserve(from.size());
  for (PyObject* each : from) {
    if (is_array(each)) {
      arrays.push_back(value_of(each));
      continue;
    }
    const std::string name = "arrays[" + std::to_string(arrays.size()) + "]";
    arrays.push_back(require_array(op, name.c_str(), each));
  }
  return arrays;
}

Object value_argument(const Arguments& with, int parameter, PyObject* from) {
  if (!is_array(from)) return Object::borrow(from);
  const NdArray& x = value_of(from);
  require_on(with, parameter, x, device_of_call(with, parameter));
  if (x.size() != 1) reject({with, parameter}, "a scalar", from);
  return Object(to_python(read_element(x), x.dtype()));
}

std::int64_t integer(const Arguments& with, int parameter) {
  if (PyLong_CheckExact(with[parameter])) return clamped_integer(with[parameter]);
  return clamped_integer(index_value({with, parameter}, with[parameter]).get());
}
std::int64_t integer(const Arguments& with, int parameter, std::int64_t absent) {
  return with[parameter] == nullptr ? absent : integer(with, parameter);
}
std::optional<std::int64_t> optional_integer(const Arguments& with, int parameter) {
  if (!with.has(parameter)) return std::nullopt;
  return integer(with, parameter);
}
std::int64_t exact_integer(const Arguments& with, int parameter) {
  const ArgumentRef argument{with, parameter};
  return exact(argument, index_value(argument, with[parameter]).get());
}

std::vector<std::int64_t> integers(const Arguments& with, int parameter, const char* name,
                                   PyObject* from) {
  return each_integer({with, parameter, name}, from, clamped_integer);
}
std::vector<std::int64_t> integers(const Arguments& with, int parameter) {
  if (PyLong_CheckExact(with[parameter])) return {clamped_integer(with[parameter])};
  return integers(with, parameter, nullptr, with[parameter]);
}
std::vector<std::int64_t> exact_integers(const Arguments& with, int parameter) {
  const ArgumentRef argument{with, parameter};
  return each_integer(argument, with[parameter],
                      [&](PyObject* value) { return exact(argument, value); });
}

bool truth_of_argument(const Arguments& with, int parameter) {
  if (PyBool_Check(with[parameter])) return with[parameter] == Py_True;
  require_converted({with, parameter}, with[parameter]);
  return truth(value_argument(with, parameter, with[parameter]).get(), false);
}
std::optional<bool> optional_truth(const Arguments& with, int parameter) {
  if (!with.has(parameter)) return std::nullopt;
  return truth(with, parameter, false);
}

int choice(const Arguments& with, int parameter, std::initializer_list<const char*> choices) {
  PyObject* const from = with[parameter];
  if (from == nullptr) return 0;
  std::string known;
  int position = 0;
  for (const char* each : choices) {
    if (PyUnicode_Check(from) && PyUnicode_CompareWithASCIIString(from, each) == 0) return position;
    known += std::string(position++ == 0 ? "'" : " or '") + each + "'";
  }
  throw ValueError(ArgumentRef{with, parameter}.text() + " must be " + known + ", not " +
                   shown(from));
}

double number(const Arguments& with, int parameter) {
  if (PyFloat_CheckExact(with[parameter])) return PyFloat_AS_DOUBLE(with[parameter]);
  require_converted({with, parameter}, with[parameter]);
  const Object from = value_argument(with, parameter, with[parameter]);
  const PyNumberMethods* methods = Py_TYPE(from.get())->tp_as_number;
  const bool is_real = methods != nullptr && (methods->nb_float || methods->nb_index);
  Scalar read;
  if (!is_real ||
      (parse_scalar(from.get(), read) == Parsed::yes && read.kind == ScalarKind::complex)) {
    reject({with, parameter}, "an int or a float", with[parameter]);
  }
  const double value = PyFloat_AsDouble(from.get());
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
  return value;
}

void require_objects(const char* op, double count, double nbytes_each) {
  constexpr double always_there = 0x1p28;  // bytes: the system is not asked for the ordinary call
  if (count * nbytes_each <= always_there) return;
  if (count * nbytes_each <= static_cast<double>(cpu::total_memory())) return;
  const auto nbytes = static_cast<std::size_t>(std::min(count * nbytes_each, 0x1p62));
  throw OutOfMemoryError(std::string(op) + ": the objects of the result take " + byte_text(nbytes) +
                             " or more, and this machine has " + byte_text(cpu::total_memory()) +
                             "; ask for fewer",
                         Device{}, nbytes);
}

}  // namespace skerry::python
