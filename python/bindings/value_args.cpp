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
#include "python/bindings/sequence_items.hpp"

namespace skerry::python {
namespace {

/// Returns the device of the first array of an argument, which may be a sequence of arrays.
std::optional<Device> first_device(PyObject* object) {
  if (object == nullptr) return std::nullopt;
  if (is_array(object)) return value_of(object).device();
  if (!PyTuple_Check(object) && !PyList_Check(object)) return std::nullopt;
  const SequenceItems items(object);
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    if (is_array(items[i])) return value_of(items[i]).device();
  }
  return std::nullopt;
}

/// Returns the device of the first array among the arguments other than `except`, if there is one.
std::optional<Device> first_device_of_call(const Arguments& arguments, int except) {
  for (int i = 0; i < arguments.signature->count(); ++i) {
    if (i == except) continue;
    if (const std::optional<Device> device = first_device(arguments[i])) return device;
  }
  for (Py_ssize_t i = 0; i < arguments.rest_count; ++i) {
    if (is_array(arguments.rest[i])) return value_of(arguments.rest[i]).device();
  }
  return std::nullopt;
}

/// Returns the device of a call: `device=`, else that of the first array among the other arguments,
/// else the default device.
Device device_of_call(const Arguments& arguments, int except) {
  const int named = arguments.signature->find("device");
  if (named >= 0 && named != except && arguments.has(named)) {
    return parse_device_argument(arguments[named]);
  }
  if (arguments.self != nullptr && is_array(arguments.self))
    return value_of(arguments.self).device();
  const std::optional<Device> device = first_device_of_call(arguments, except);
  return device ? *device : default_device();
}

const char* name_of(const Arguments& arguments, int parameter) {
  if (parameter < 0) return "an argument";
  return PyUnicode_AsUTF8(arguments.signature->name(parameter));
}

/// An argument, or an item of one with its own name.
struct ArgumentRef {
  const Arguments& arguments;
  int parameter;
  const char* own_name = nullptr;

  [[nodiscard]] std::string text() const {
    return own_name != nullptr ? own_name : name_of(arguments, parameter);
  }
};

[[noreturn]] void reject(const ArgumentRef& argument, const char* expected, PyObject* object) {
  throw TypeError(argument.text() + " must be " + expected + ", not " +
                  (is_array(object) ? describe(value_of(object)) : type_name(object)));
}

/// Converts a numpy.ndarray, even one of a single element, to an array; returns other objects
/// unchanged.
PyObject* convert_numpy_array(const ArgumentRef& argument, PyObject* object) {
  if (!is_numpy_array(object)) return object;
  if (PyObject* const array = convert_argument(argument.arguments, object)) return array;
  throw TypeError(argument.text() + " is a numpy.ndarray; convert it with skerry.asarray");
}

/// Slow path for objects that are not arrays. Out of line, so that the fast path needs no frame.
[[gnu::noinline, gnu::cold]] const NdArray& other_array_argument(const Arguments& arguments,
                                                                 int parameter) {
  PyObject* const object = arguments[parameter];
  if (PyObject* const array = convert_literal(arguments, parameter, object))
    return header_of(array);
  return require_array(name_of(arguments, parameter), object);
}

/// Slow path for operands that are not arrays.
[[gnu::noinline]] void other_operand_argument(const Arguments& arguments, int parameter,
                                              Operand& operand, Scalar& scalar_value) {
  PyObject* const object = arguments[parameter];
  const Parsed result = parse_scalar(object, scalar_value);
  if (result == Parsed::error) throw PythonError{};
  if (result == Parsed::yes) {
    operand.value = &scalar_value;
  } else if (PyObject* const array = convert_argument(arguments, object)) {
    operand.array = &header_of(array);
  } else {
    reject_operand(name_of(arguments, parameter), object);
  }
}

Object index_value(const ArgumentRef& argument, PyObject* object) {
  object = convert_numpy_array(argument, object);
  Object value = value_argument(argument.arguments, argument.parameter, object);
  if (!PyIndex_Check(value.get())) reject(argument, "an int", object);
  return value;
}

std::int64_t exact(const ArgumentRef& argument, PyObject* value) {
  const Object integer(PyNumber_Index(value));
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow == 0) return result;
  throw OverflowError(argument.text() + " does not fit int64");
}

/// Returns the items of a one-dimensional array of shape or axes, and of a range; null for others.
Object listed_integers(const ArgumentRef& argument, PyObject* object) {
  if (PyRange_Check(object)) return Object(PySequence_List(object));
  if (!is_array(object) && !is_numpy_array(object)) return Object();
  PyObject* const array = convert_numpy_array(argument, object);
  const NdArray& x = value_of(array);
  if (x.rank() != 1) return Object();
  require_device_match(argument.arguments, argument.parameter, x,
                       device_of_call(argument.arguments, argument.parameter));
  return Object(PyObject_CallMethod(array, "tolist", nullptr));
}

template <class Read>
std::vector<std::int64_t> each_integer(const ArgumentRef& argument, PyObject* object, Read&& read) {
  Object items;
  if (!PyLong_Check(object) && !PyTuple_Check(object) && !PyList_Check(object)) {
    items = listed_integers(argument, object);
    if (items.get() != nullptr) object = items.get();
  }
  if (PyIndex_Check(object)) return {read(index_value(argument, object).get())};
  if (!PyTuple_Check(object) && !PyList_Check(object)) {
    reject(argument, "an int or a tuple of ints", object);
  }
  std::vector<std::int64_t> values;
  const SequenceItems objects(object);
  values.reserve(static_cast<std::size_t>(objects.size()));
  // An item's __index__ may run code that shrinks a list.
  for (Py_ssize_t i = 0; i < objects.size(); ++i) {
    PyObject* const item = objects[i];
    if (PyLong_CheckExact(item)) {
      values.push_back(read(item));
      continue;
    }
    const Object reference = Object::borrow(item);
    values.push_back(read(index_value(argument, item).get()));
  }
  return values;
}

/// Compares a str with an option; options of one letter, such as order='C', match in either case.
bool is_option(PyObject* object, const char* option) {
  if (!PyUnicode_Check(object)) return false;
  if (PyUnicode_CompareWithASCIIString(object, option) == 0) return true;
  const bool has_one_character = option[1] == '\0' && PyUnicode_GET_LENGTH(object) == 1;
  return has_one_character &&
         Py_UNICODE_TOUPPER(PyUnicode_READ_CHAR(object, 0)) == Py_UCS4(option[0]);
}

}  // namespace

void require_device_match(const Arguments& arguments, int parameter, const NdArray& x,
                          Device expected_device) {
  if (x.device() == expected_device) return;
  reject_device_mismatch(name_of(arguments, parameter), x, expected_device);
}

void require_device_of_call(const Arguments& arguments, int parameter, const NdArray& x) {
  if (const std::optional<Device> device = first_device_of_call(arguments, parameter)) {
    require_device_match(arguments, parameter, x, *device);
  }
}

void reject_device_mismatch(const char* parameter, const NdArray& x, Device expected_device) {
  throw DeviceMismatchError(std::string(parameter) + " is " + describe(x) +
                                ", but the call runs on " + to_string(expected_device) +
                                "; arrays are never copied implicitly: use to_device(\"" +
                                to_string(expected_device) + "\") or item()",
                            {expected_device, x.device()});
}

const NdArray& array_argument(const Arguments& arguments, int parameter) {
  PyObject* const object = arguments[parameter];
  if (is_array(object)) [[likely]]
    return value_of(object);
  return other_array_argument(arguments, parameter);
}

void operand_argument(const Arguments& arguments, int parameter, Operand& operand,
                      Scalar& scalar_value) {
  PyObject* const object = arguments[parameter];
  if (is_array(object)) [[likely]] {
    operand.array = &value_of(object);
  } else {
    other_operand_argument(arguments, parameter, operand, scalar_value);
  }
}

std::vector<NdArray> require_arrays(const Arguments& arguments, int parameter,
                                    std::span<PyObject* const> objects) {
  std::vector<NdArray> arrays;
  arrays.reserve(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    PyObject* const object = objects[i];
    if (is_array(object)) {
      arrays.push_back(value_of(object));
    } else if (PyObject* const array = convert_literal(arguments, parameter, object)) {
      arrays.push_back(header_of(array));
      // Conversion may run code that shrinks the list, so continue with the arguments' copy of it.
      if (parameter >= 0 && is_list_or_tuple(arguments[parameter])) {
        objects = items_of_sequence(arguments[parameter]);
      }
    } else {
      const std::string name = "arrays[" + std::to_string(i) + "]";
      arrays.push_back(require_array(name.c_str(), object));
    }
  }
  return arrays;
}

Object value_argument(const Arguments& arguments, int parameter, PyObject* object) {
  if (!is_array(object)) return Object::borrow(object);
  const NdArray& x = value_of(object);
  require_device_match(arguments, parameter, x, device_of_call(arguments, parameter));
  if (x.size() != 1) reject({arguments, parameter}, "a scalar", object);
  return Object(to_python(read_element(x), x.dtype()));
}

std::int64_t integer(const Arguments& arguments, int parameter) {
  if (PyLong_CheckExact(arguments[parameter])) return clamped_integer(arguments[parameter]);
  return clamped_integer(index_value({arguments, parameter}, arguments[parameter]).get());
}
std::int64_t integer(const Arguments& arguments, int parameter, std::int64_t default_value) {
  return arguments[parameter] == nullptr ? default_value : integer(arguments, parameter);
}
std::optional<std::int64_t> optional_integer(const Arguments& arguments, int parameter) {
  if (!arguments.has(parameter)) return std::nullopt;
  return integer(arguments, parameter);
}
std::int64_t exact_integer(const Arguments& arguments, int parameter) {
  const ArgumentRef argument{arguments, parameter};
  return exact(argument, index_value(argument, arguments[parameter]).get());
}

std::vector<std::int64_t> integers(const Arguments& arguments, int parameter, const char* name,
                                   PyObject* object) {
  return each_integer({arguments, parameter, name}, object, clamped_integer);
}
std::vector<std::int64_t> integers(const Arguments& arguments, int parameter) {
  if (PyLong_CheckExact(arguments[parameter])) return {clamped_integer(arguments[parameter])};
  return integers(arguments, parameter, nullptr, arguments[parameter]);
}
std::vector<std::int64_t> exact_integers(const Arguments& arguments, int parameter) {
  const ArgumentRef argument{arguments, parameter};
  return each_integer(argument, arguments[parameter],
                      [&](PyObject* value) { return exact(argument, value); });
}

bool boolean_argument(const Arguments& arguments, int parameter) {
  if (PyBool_Check(arguments[parameter])) return arguments[parameter] == Py_True;
  PyObject* const object = convert_numpy_array({arguments, parameter}, arguments[parameter]);
  return boolean(value_argument(arguments, parameter, object).get(), false);
}
std::optional<bool> optional_boolean(const Arguments& arguments, int parameter) {
  if (!arguments.has(parameter)) return std::nullopt;
  return boolean(arguments, parameter, false);
}

int choice(const Arguments& arguments, int parameter, std::initializer_list<const char*> choices) {
  PyObject* const object = arguments[parameter];
  if (object == nullptr) return 0;
  std::string choices_text;
  int position = 0;
  for (const char* option : choices) {
    if (is_option(object, option)) return position;
    choices_text += std::string(position++ == 0 ? "'" : " or '") + option + "'";
  }
  throw ValueError(ArgumentRef{arguments, parameter}.text() + " must be " + choices_text +
                   ", not " + shown(object));
}

bool can_cast(Dtype source, Dtype destination, PyObject* casting) {
  const Object module(PyImport_ImportModule("skerry._data_types"));
  const Object allowed(PyObject_CallMethod(module.get(), "can_cast", "OOO", dtype_object(source),
                                           dtype_object(destination), casting));
  return allowed.get() == Py_True;
}

void require_cast(Dtype source, Dtype destination, PyObject* casting) {
  if (casting == nullptr || can_cast(source, destination, casting)) return;
  throw DtypeError(std::string(name(source)) + " does not cast to " + name(destination) +
                   " with casting=" + shown(casting) + "; use casting='unsafe'");
}

void check_sort_kind(const Arguments& arguments, int parameter) {
  if (!arguments.has(parameter)) return;
  // NumPy takes abbreviations.
  for (const char* kind : {"quick", "merge", "heap"}) {
    PyObject* const object = arguments[parameter];
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, kind) == 0) return;
  }
  static_cast<void>(choice(arguments, parameter, {"quicksort", "mergesort", "heapsort", "stable"}));
}

double number(const Arguments& arguments, int parameter) {
  if (PyFloat_CheckExact(arguments[parameter])) return PyFloat_AS_DOUBLE(arguments[parameter]);
  PyObject* const argument = convert_numpy_array({arguments, parameter}, arguments[parameter]);
  const Object object = value_argument(arguments, parameter, argument);
  const PyNumberMethods* methods = Py_TYPE(object.get())->tp_as_number;
  const bool is_real = methods != nullptr && (methods->nb_float || methods->nb_index);
  Scalar read;
  if (!is_real ||
      (parse_scalar(object.get(), read) == Parsed::yes && read.kind == ScalarKind::complex)) {
    reject({arguments, parameter}, "an int or a float", argument);
  }
  const double value = PyFloat_AsDouble(object.get());
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError{};
  return value;
}

void require_memory_for_objects(double count, double nbytes_each) {
  constexpr double always_there = 0x1p28;  // bytes: avoids querying the system for most calls
  if (count * nbytes_each <= always_there) return;
  if (count * nbytes_each <= static_cast<double>(cpu::total_memory())) return;
  const auto nbytes = static_cast<std::size_t>(std::min(count * nbytes_each, 0x1p62));
  throw OutOfMemoryError("the objects of the result need at least " + byte_text(nbytes) +
                             ", but this machine has " + byte_text(cpu::total_memory()) +
                             "; request fewer",
                         Device{}, nbytes);
}

}  // namespace skerry::python
