// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"

namespace skerry::python {

/// A call of a method on its way to the function.
struct MethodCall {
  const Arguments&
      arguments;           ///< bound to the parameters of the method; `arguments.self` is the array
  PyObject** values;       ///< by parameters of the function, of which the first is the array
  Object owned_values[3];  ///< what was made for `values`

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

/// A method of arrays that is a function of them, by NumPy's signature. Parameters go to those of
/// the same name (or meaning: ddof is correction); `out` is stored into; what the function lacks is
/// `prepare`'s.
struct MethodEntry {
  const char* name;
  const char* signature;
  const char* function;
  /// Changes the arguments, or gives the result itself. May throw.
  PyObject* (*prepare)(MethodCall& call) = nullptr;
  /// Only where there is an argument that the function has no parameter for.
  bool prepares_extras = false;
  /// Whether there is nothing to prepare for arguments that are the function's, by its parameters.
  bool (*needs_no_prepare)(PyObject* const* values) = nullptr;
};

/// A MethodEntry, with all that does not change from call to call.
class MethodAdapter {
 public:
  /// Of no method: what it is before the import fills it.
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
  /// For arguments: in the function, or behind all of its own, where it has no such parameter.
  int positions_[Signature::max_parameters]{};
  int out_ = -1;    ///< the parameter, or -1
  int extras_ = 0;  ///< parameters that the function has not
};

/// NumPy's signature, the function's summary, and where to read on.
[[nodiscard]] const char* document_method(const MethodEntry& entry);

/// Adds methods to a type that is made already.
void add_methods(PyTypeObject* type, PyMethodDef* definitions);

/// The plans of a table's methods, filled at import.
template <const auto& Table>
constinit inline std::array<MethodAdapter, std::size(Table)> table_adapters{};

template <const auto& Table, std::size_t I>
PyObject* adapted_method(PyObject* self, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
  return table_adapters<Table>[I](self, args, count, keywords);
}

/// Definitions of a table's methods, with a closing one that is empty. The functions are there.
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

/// Adds those that are functions, and those that are none but NumPy's all the same.
void add_function_methods(PyTypeObject* type);
void add_own_methods(PyTypeObject* type);
/// Adds what says, in an AttributeError, what there is in place of attributes of other libraries.
void add_absent_attributes(PyTypeObject* type);
/// Whether that is the name of one of those.
[[nodiscard]] bool is_absent_attribute(std::string_view name);

/// Stores a result into `out=`, which has its dtype, shape and device. Throws DtypeError,
/// ValueError.
[[nodiscard]] PyObject* store_result(Object result, PyObject* out);
/// The list, tuple or int as an array on a device; an array, or what is none of these, as it is.
[[nodiscard]] Object array_of_items(PyObject* object, Device device);

}  // namespace skerry::python
