// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// The functions of cupy.random._generator_api that launch kernels of CuPy's wheel. CuPy's module
// exports them and calls them through the dynamic linker, which finds these first, as this library
// is loaded globally. Each calls the package skerry_emulator.

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/emulator/cupy/python_call.hpp"

namespace {

using std::intptr_t;

/// Calls `launch(name, generator, count, *arguments)`. An exception stays set: Python finds it when
/// CuPy's function returns.
template <class... Arguments>
void launch(const char* name, int generator, intptr_t count, Arguments... arguments) {
  std::array<PyObject*, sizeof...(arguments) + 3> objects{
      PyUnicode_FromString(name), PyLong_FromLong(generator), PyLong_FromSsize_t(count),
      PyLong_FromUnsignedLongLong(static_cast<std::uint64_t>(arguments))...};
  PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(objects.size()));
  Py_ssize_t index = 0;
  for (PyObject* const object : objects) PyTuple_SetItem(tuple, index++, object);
  Py_DecRef(PyObject_CallObject(skerry::emulation::cupy::python_objects().launch_generator, tuple));
  Py_DecRef(tuple);
}

}  // namespace

#define SKERRY_GENERATOR __attribute__((visibility("default")))

SKERRY_GENERATOR void init_curand_generator(int generator, intptr_t state, std::uint64_t seed,
                                            intptr_t size, intptr_t) {
  launch("init_curand", generator, size, state, seed, size);
}

#define SKERRY_DISTRIBUTION(name, parameters, ...)                                           \
  SKERRY_GENERATOR void name(int generator, intptr_t state, intptr_t count, intptr_t output, \
                             intptr_t size, intptr_t SKERRY_LIST parameters) {               \
    launch(#name, generator, count, state, count, output, size __VA_OPT__(, ) __VA_ARGS__);  \
  }
#define SKERRY_LIST(...) __VA_OPT__(, ) __VA_ARGS__
SKERRY_DISTRIBUTION(raw, ())
SKERRY_DISTRIBUTION(random_uniform, ())
SKERRY_DISTRIBUTION(random_uniform_float, ())
SKERRY_DISTRIBUTION(interval_32, (std::uint32_t maximum, std::uint32_t mask), maximum, mask)
SKERRY_DISTRIBUTION(interval_64, (std::uint64_t maximum, std::uint64_t mask), maximum, mask)
SKERRY_DISTRIBUTION(exponential, ())
SKERRY_DISTRIBUTION(beta, (intptr_t a, intptr_t b), a, b)
SKERRY_DISTRIBUTION(geometric, (intptr_t p), p)
SKERRY_DISTRIBUTION(hypergeometric, (intptr_t good, intptr_t bad, intptr_t sample), good, bad,
                    sample)
SKERRY_DISTRIBUTION(logseries, (intptr_t p), p)
SKERRY_DISTRIBUTION(poisson, (intptr_t rate), rate)
SKERRY_DISTRIBUTION(standard_normal, ())
SKERRY_DISTRIBUTION(standard_normal_float, ())
SKERRY_DISTRIBUTION(standard_gamma, (intptr_t shape), shape)
SKERRY_DISTRIBUTION(binomial, (intptr_t n, intptr_t p, intptr_t states), n, p, states)
#undef SKERRY_LIST
#undef SKERRY_DISTRIBUTION
#undef SKERRY_GENERATOR
