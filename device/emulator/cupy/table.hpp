// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "device/emulator/cupy/python_call.hpp"

// The table of functions. Each is what Cython makes of a `cpdef` function: after its parameters an
// int, which is 0, then its optional arguments. Failures are an exception and a value that Cython
// checks for it.

namespace skerry::emulation::cupy {

/// One function, with its signature as Cython writes it into a module's table.
struct Entry {
  std::string name;
  std::string signature;
  void* address;
};

/// Optional arguments of a Cython function that has one.
template <class T>
struct OptionalArgument {
  int count;
  T value;
};
template <class T>
T value_of(const OptionalArgument<T>* optional, T default_value) {
  return optional != nullptr && optional->count > 0 ? optional->value : default_value;
}

/// Instances of CuPy's classes.
struct PointerAttributesObject;
struct MemPoolPropsObject;

template <class T>
inline constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<PyObject*> = "PyObject *";
template <>
inline constexpr const char* type_name<int> = "int";
template <>
inline constexpr const char* type_name<unsigned> = "unsigned int";
template <>
inline constexpr const char* type_name<std::intptr_t> = "intptr_t";
template <>
inline constexpr const char* type_name<std::size_t> = "size_t";
template <>
inline constexpr const char* type_name<float> = "float";
template <>
inline constexpr const char* type_name<PointerAttributesObject*> =
    "struct __pyx_obj_13cupy_backends_4cuda_3api_7runtime_PointerAttributes *";
template <>
inline constexpr const char* type_name<MemPoolPropsObject*> =
    "struct __pyx_obj_13cupy_backends_4cuda_3api_7runtime_MemPoolProps *";

/// Converts an argument of Cython's function to a parameter of CUDA's: addresses and handles are
/// integers in one and pointers in the other.
template <class Parameter, class Argument>
Parameter as_parameter(Argument argument) {
  if constexpr (std::is_pointer_v<Parameter>) {
    return reinterpret_cast<Parameter>(argument);
  } else {
    return static_cast<Parameter>(argument);
  }
}

/// Cython's function for one of CUDA's that returns only a status (`PyObject*`, None), or whose
/// first parameter is its result. `failed` is the value that Cython expects together with an
/// exception.
template <class Signature, auto function, auto failed>
struct Adapter;
template <class... Arguments, class... Parameters, int (*function)(Parameters...), auto failed>
struct Adapter<PyObject*(Arguments...), function, failed> {
  static PyObject* run(Arguments... arguments, int) {
    return none_or_error(call(function, as_parameter<Parameters>(arguments)...));
  }
};
template <class Result, class... Arguments, class Output, class... Parameters,
          int (*function)(Output*, Parameters...), auto failed>
  requires(!std::is_same_v<Result, PyObject*>)
struct Adapter<Result(Arguments...), function, failed> {
  static Result run(Arguments... arguments, int) {
    Output output{};
    const int status = call(function, &output, as_parameter<Parameters>(arguments)...);
    if (!is_success(status)) return static_cast<Result>(failed);
    return as_integer<Result>(output);
  }

 private:
  template <class T>
  static T as_integer(Output output) {
    if constexpr (std::is_pointer_v<Output>) {
      return reinterpret_cast<T>(output);
    } else {
      return static_cast<T>(output);
    }
  }
};

template <class Result>
inline constexpr int usual_failure = std::is_same_v<Result, int> ? -1 : 0;

template <class Signature>
struct Row;
template <class Result, class... Arguments>
struct Row<Result(Arguments...)> {
  template <auto function, auto failed = usual_failure<Result>>
  static Entry adapt(const char* name) {
    return entry(name, &Adapter<Result(Arguments...), function, failed>::run);
  }
  /// For a function that is written for CuPy.
  static Entry entry(const char* name, Result (*function)(Arguments..., int)) {
    std::string signature =
        std::string(type_name<Result>) + (std::is_pointer_v<Result> ? "(" : " (");
    ((signature += std::string(type_name<Arguments>) + ", "), ...);
    return {name, signature + "int __pyx_skip_dispatch)", reinterpret_cast<void*>(function)};
  }
  template <class T>
  static Entry entry_with_option(const char* name, Result (*function)(Arguments..., int,
                                                                      const OptionalArgument<T>*)) {
    Entry result = entry(name, nullptr);
    result.signature.insert(
        result.signature.size() - 1,
        std::string(", struct __pyx_opt_args_13cupy_backends_4cuda_3api_7runtime_") + name +
            " *__pyx_optional_args");
    result.address = reinterpret_cast<void*>(function);
    return result;
  }
};

}  // namespace skerry::emulation::cupy
