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

/// An int modulo 2^64. Throws DtypeError for what is none.
std::uint64_t bits_of(PyObject* from) {
  const std::uint64_t bits = PyLong_AsUnsignedLongLongMask(from);
  if (bits == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) throw PythonError();
  return bits;
}

RandomStream parse_stream(PyObject* from) {
  if (PyTuple_Check(from) == 0 || PyTuple_GET_SIZE(from) != 3) {
    throw DtypeError("random: stream must be (key, position, tail)");
  }
  return {.key = bits_of(PyTuple_GET_ITEM(from, 0)),
          .position = bits_of(PyTuple_GET_ITEM(from, 1)),
          .tail = bits_of(PyTuple_GET_ITEM(from, 2))};
}

/// A parameter that all elements share, as a number or, for integers, as bits.
void parse_parameter(PyObject* from, double& real, std::uint64_t& bits, const NdArray*& each) {
  if (is_array(from)) {
    each = &value_of(from);
  } else if (PyLong_Check(from) != 0) {
    bits = bits_of(from);
    real = PyLong_AsDouble(from);
    if (real == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
  } else {
    real = PyFloat_AsDouble(from);
    if (real == -1.0 && PyErr_Occurred() != nullptr) throw PythonError();
  }
}

PyObject* run_draw(const Arguments& with) {
  const NdArray& out = array_argument(with, 0);
  // In the order of RandomMethod.
  const int method =
      choice(with, 1,
             {"bits", "uniform", "normal", "exponential", "integer", "integer_of_each", "gamma",
              "lognormal", "geometric", "poisson", "binomial"});
  const RandomStream from = parse_stream(with[2]);
  RandomArguments parameters;
  if (with.has(3)) parse_parameter(with[3], parameters.a, parameters.low, parameters.a_each);
  if (with.has(4)) parse_parameter(with[4], parameters.b, parameters.span, parameters.b_each);
  {
    const WithoutGil working(out.size() > long_work / 8);
    draw(out, static_cast<RandomMethod>(method), from, parameters);
  }
  Py_RETURN_NONE;
}

constexpr FunctionEntry random_functions[] = {
    {"draw", "(out, method, stream, a=None, b=None, /)",
     "Fills an array with random numbers of a stream (key, position, tail): skerry.random.",
     run_draw},
};

}  // namespace

void add_random(PyObject* module) {
  add_functions<random_functions>(module, nullptr, private_home);
}

}  // namespace skerry::python
