// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/random.hpp"

#include <string>

#include "core/errors.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Returns an int modulo 2^64. Throws PythonError for other objects.
std::uint64_t bits_of(PyObject* object) {
  const std::uint64_t bits = PyLong_AsUnsignedLongLongMask(object);
  if (bits == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) throw PythonError();
  return bits;
}

PhiloxState parse_stream(PyObject* object) {
  if (PyTuple_Check(object) == 0 || PyTuple_GET_SIZE(object) != 3) {
    throw TypeError("a state of a stream must be (key, position, tail)");
  }
  return {.key = bits_of(PyTuple_GET_ITEM(object, 0)),
          .position = bits_of(PyTuple_GET_ITEM(object, 1)),
          .tail = bits_of(PyTuple_GET_ITEM(object, 2))};
}

/// Parses a parameter: an array with one value for each element, or a scalar for all, stored as a
/// number and, for ints, also as bits.
void parse_parameter(PyObject* object, double& real, std::uint64_t& bits, const NdArray*& array) {
  if (is_array(object)) {
    array = &value_of(object);
  } else if (PyLong_Check(object) != 0) {
    bits = bits_of(object);
    real = PyLong_AsDouble(object);
    if (real == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
  } else {
    real = PyFloat_AsDouble(object);
    if (real == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
  }
}

PyObject* run_draw(const Arguments& arguments) {
  static_cast<void>(array_argument(arguments, 0));
  const NdArray& out = target_of(arguments[0]);
  // In the order of RandomMethod.
  const int method =
      choice(arguments, 1,
             {"bits", "uniform", "normal", "exponential", "integer", "integer_of_each", "gamma",
              "lognormal", "geometric", "poisson", "binomial"});
  const PhiloxState stream = parse_stream(arguments[2]);
  RandomArguments parameters;
  if (arguments.has(3))
    parse_parameter(arguments[3], parameters.a, parameters.low, parameters.a_each);
  if (arguments.has(4))
    parse_parameter(arguments[4], parameters.b, parameters.span, parameters.b_each);
  const NdArray* const base = arguments.has(5) ? &array_argument(arguments, 5) : nullptr;
  {
    const OperationScope scope("random");
    const WithoutGil working(out.size() > min_size_without_gil / 8);
    draw(out, static_cast<RandomMethod>(method), stream, parameters, base);
  }
  Py_RETURN_NONE;
}

PyObject* run_store_state(const Arguments& arguments) {
  static_cast<void>(array_argument(arguments, 0));
  const PhiloxState state = parse_stream(arguments[1]);
  const OperationScope scope("random");
  store_state(target_of(arguments[0]), state);
  Py_RETURN_NONE;
}

constexpr FunctionEntry random_functions[] = {
    {"draw", "(out, method, stream, a=None, b=None, base=None, /)",
     "Fill an array with random numbers of a stream (key, position, tail), whose position counts "
     "from the state in the array base. For skerry.random.",
     run_draw},
    {"store_random_state", "(out, state, /)",
     "Store the state of a stream (key, position, tail) in an array of three uint64. For "
     "skerry.random.",
     run_store_state},
};

}  // namespace

void add_random(PyObject* module) {
  add_functions<random_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
