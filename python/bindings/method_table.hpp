// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"

namespace skerry::python {

/// A method call while it is translated into a call of the function.
struct MethodCall {
  const Arguments&
      arguments;           ///< bound to the parameters of the method; `arguments.self` is the array
  PyObject** values;       ///< by parameter of the function, the first of which is the array
  Object owned_values[3];  ///< references to objects created for `values`

  [[nodiscard]] const NdArray& array() const { return value_of(values[0]); }
  void put(int parameter, Object value) {
    values[parameter] = value.get();
    for (Object& slot : owned_values) {
      if (slot.get() != nullptr) continue;
      slot = std::move(value);
      return;
    }
  }
};

/// An array method with NumPy's signature, implemented by a function. Parameters map to those of
/// the same name (or meaning: ddof to correction); the result is stored into `out`; `prepare`
/// handles parameters that the function lacks.
struct MethodEntry {
  const char* name;
  const char* signature;
  const char* function;
  /// Changes the arguments, or returns the result itself. May throw.
  PyObject* (*prepare)(MethodCall& call) = nullptr;
  /// `prepare` is needed only if an argument is passed for a parameter that the function lacks.
  bool prepares_extras = false;
  /// True if these arguments, indexed by the function's parameters, need no `prepare`.
  bool (*needs_no_prepare)(PyObject* const* values) = nullptr;
};

/// A MethodEntry with its signature and parameter mapping, computed once at import.
class MethodAdapter {
 public:
  /// Empty until the import of the module fills it.
  constexpr MethodAdapter() = default;
  explicit MethodAdapter(const MethodEntry& entry);
  PyObject* operator()(PyObject* self, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) const;

 private:
  [[nodiscard]] PyObject* run(const Arguments& arguments, PyObject** values) const;
  [[nodiscard]] PyObject* prepare_and_run(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                          PyObject* keywords) const;

  const MethodEntry* entry_ = nullptr;
  Signature signature_;
  PyObject* (*function_)(const Arguments& arguments) = nullptr;
  const Signature* function_signature_ = nullptr;
  Signature named_signature_;  ///< of the function, with the names of the method for errors
  /// Maps the method's parameters to the function's, or to indices from max_parameters on if the
  /// function has no such parameter.
  int positions_[Signature::max_parameters]{};
  int out_ = -1;    ///< index of the parameter `out`, or -1
  int extras_ = 0;  ///< number of parameters that the function does not have
};

/// Returns a docstring of NumPy's signature, the function's summary and a reference to it.
[[nodiscard]] const char* document_method(const MethodEntry& entry);

/// Adds methods to an existing type.
void add_methods(PyTypeObject* type, PyMethodDef* definitions);

/// Adapters of a table's methods, filled at import.
template <const auto& Table>
constinit inline std::array<MethodAdapter, std::size(Table)> table_adapters{};

template <const auto& Table, std::size_t I>
PyObject* adapted_method(PyObject* self, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
  return table_adapters<Table>[I](self, args, count, keywords);
}

/// Returns the definitions of a table's methods, terminated by an empty one. Their functions must
/// be registered before.
template <const auto& Table>
PyMethodDef* method_definitions() {
  for (std::size_t i = 0; i < std::size(Table); ++i)
    table_adapters<Table>[i] = MethodAdapter(Table[i]);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((table_definitions<Table>[I] =
          method_definition<adapted_method<Table, I>>(Table[I].name, document_method(Table[I]))),
     ...);
  }(std::make_index_sequence<std::size(Table)>{});
  return table_definitions<Table>.data();
}

/// Add the methods that forward to functions, and NumPy's methods that have no function.
void add_function_methods(PyTypeObject* type);
void add_own_methods(PyTypeObject* type);
/// Adds attributes of other libraries that raise an AttributeError naming skerry's replacement.
void add_absent_attributes(PyTypeObject* type);
/// True if `name` is one of those attributes.
[[nodiscard]] bool is_absent_attribute(std::string_view name);

/// Calls a function by name with positional arguments.
[[nodiscard]] Object called(const char* function, std::initializer_list<PyObject*> args);
/// Returns `out=` as an Array. A NumPy array is one on cpu:0 that shares its memory. Throws
/// PythonError for other objects.
[[nodiscard]] Object output_argument(const char* name, PyObject* out);
/// Stores a result into `output`, which is `out=` as an Array, and returns `out`. Dtypes of one
/// kind are cast. Throws PythonError if the shape differs or the dtypes don't cast.
[[nodiscard]] PyObject* store_result(const char* name, const Object& result, const Object& output,
                                     PyObject* out);
/// Calls a function with bound arguments, of which lists and NumPy's arrays are converted. Throws
/// PythonError.
[[nodiscard]] Object call_bound(const Signature& signature, PyObject* (*function)(const Arguments&),
                                PyObject* self, PyObject* const* values);

}  // namespace skerry::python
