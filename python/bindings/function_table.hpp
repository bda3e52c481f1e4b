// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "python/bindings/errors.hpp"
#include "python/bindings/noted.hpp"

namespace skerry::python {

/// The parameters of a function, parsed from the text that is also its `__text_signature__`, so
/// that inspect.signature shows exactly what is accepted.
class Signature {
 public:
  static constexpr int max_parameters = 10;
  /// Entries of an array that positions refer to. 128 bytes: GCC clears more by `rep stos`, which
  /// costs a call of a method 14 ns.
  static constexpr int max_positions = 16;

  /// Empty until the import of the module fills it.
  constexpr Signature() = default;
  /// `text` as in "(x, /, *, axis=None)"; a leading "$self" is skipped.
  Signature(const char* function, const char* text);

  /// Stores each argument at the index of its parameter in `bound` (max_parameters entries; null
  /// for absent arguments). Returns the number of trailing arguments that belong to `*args`, or -1
  /// with a TypeError set.
  Py_ssize_t bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                  PyObject** bound) const;
  /// The same, but stores parameter i at bound[positions[i]]; `bound` has max_positions entries.
  Py_ssize_t bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** bound,
                  const int* positions) const;

  [[nodiscard]] const char* function() const noexcept { return function_; }
  [[nodiscard]] int count() const noexcept { return count_; }
  /// Returns the index of the parameter `out=None`, or -1. call_bound() stores the result there.
  [[nodiscard]] int out() const noexcept { return out_; }
  [[nodiscard]] PyObject* name(int parameter) const noexcept { return parameters_[parameter].name; }
  /// Returns the index of the parameter of that name, or of NumPy's name for it, or -1.
  [[nodiscard]] int find(const char* name) const;
  /// True if arguments may be converted to arrays: in functions (call_with_conversion), not
  /// methods.
  [[nodiscard]] bool allows_conversion() const noexcept { return allows_conversion_; }
  [[nodiscard]] Signature without_conversion() const;
  /// Returns this signature for a function that stores its result into `out=` itself.
  [[nodiscard]] Signature without_out() const;
  /// Returns this signature with the function's name and the parameters' names of a method, whose
  /// parameter i is parameter positions[i] here, if that is below max_parameters.
  [[nodiscard]] Signature named_like(const Signature& method, const int* positions) const;

 private:
  struct Parameter {
    PyObject* name;
    bool required;
  };
  [[nodiscard]] int find(PyObject* name) const;
  [[nodiscard]] int find_numpy_name(PyObject* name) const;
  void reject_count(PyObject* const* args, Py_ssize_t count) const;
  template <class Positions>
  bool bind_keywords(PyObject* const* values, PyObject* keywords, PyObject** bound,
                     Positions positions) const;
  template <class Positions>
  Py_ssize_t bind_positions(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                            PyObject** bound, Positions positions) const;

  const char* function_ = nullptr;
  Parameter parameters_[max_parameters]{};
  int count_ = 0;
  int positional_only_ = 0;
  int positional_ = 0;
  int required_end_ = 0;  ///< all parameters from here on are optional
  int out_ = -1;
  bool takes_rest_ = false;
  bool allows_conversion_ = true;
};

class ConvertedArgs;

/// The arguments of one call, bound to the parameters of its signature. Conversion replaces
/// arguments in `values` or `rest` with arrays.
struct Arguments {
  PyObject* self;
  mutable PyObject* const* values;  ///< by parameter; null if absent
  mutable PyObject* const* rest;
  Py_ssize_t rest_count;
  const Signature* signature;
  mutable ConvertedArgs* converted_args = nullptr;  ///< owned by call_with_conversion

  PyObject* operator[](int parameter) const { return values[parameter]; }
  [[nodiscard]] std::span<PyObject* const> rest_span() const {
    return {rest, static_cast<std::size_t>(rest_count)};
  }
  /// True if the argument was passed and is not None.
  [[nodiscard]] bool has(int parameter) const {
    return values[parameter] != nullptr && values[parameter] != Py_None;
  }
};

/// A docstring by sections, which get NumPy's headings; null sections are omitted.
struct DocSections {
  const char* summary;
  const char* details = nullptr;
  const char* parameters[3] = {};
  const char* returns = nullptr;
  const char* raises = nullptr;
  const char* example = nullptr;  ///< runs after `import skerry as sk`
};

/// A docstring, whole or by sections.
struct Docstring {
  constexpr Docstring(const char* text) : whole(text) {}  // NOLINT(google-explicit-constructor)
  constexpr Docstring(const DocSections& doc_sections)    // NOLINT(google-explicit-constructor)
      : sections(&doc_sections) {}
  const char* whole = nullptr;
  const DocSections* sections = nullptr;
};

struct FunctionEntry {
  const char* name;
  const char* signature;
  Docstring doc;
  PyObject* (*implementation)(const Arguments& arguments);  ///< may throw
  /// Fast path for calls so short that binding the arguments would dominate. Tried first if all
  /// arguments are positional; returns null if it does not apply. Never throws or sets an error.
  PyObject* (*fast_path)(PyObject* const* args, Py_ssize_t count) = nullptr;
  bool stores_out = false;  ///< the implementation stores the result into `out=` itself
};

/// Returns "name(signature)\n--\n\ndoc", from which Python derives `__text_signature__` and
/// `__doc__`. Never freed.
[[nodiscard]] const char* make_docstring(const char* name, const char* signature,
                                         const std::string& doc);
/// Returns a copy that is never freed.
[[nodiscard]] const char* copy_text(const std::string& text);
/// Returns the text of a docstring. Appends `chapter` of the standard as its source, unless that is
/// null or the text names a source.
[[nodiscard]] std::string docstring_text(const Docstring& doc, const char* chapter);

PyObject* call_entry(const Signature& signature, const FunctionEntry& entry, PyObject* self,
                     PyObject* const* args, Py_ssize_t count, PyObject* keywords);

/// A function that array methods call with bound arguments.
struct RegisteredFunction {
  const char* name;
  Signature signature;
  PyObject* (*implementation)(const Arguments& arguments);  ///< may throw
  const char* doc;
};
void register_function(RegisteredFunction function);
/// Throws std::logic_error if no function has that name.
[[nodiscard]] const RegisteredFunction& find_function(std::string_view name);

using fast_function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
[[nodiscard]] PyMethodDef make_definition(const char* name, fast_function function,
                                          const char* doc);
template <fast_function Function>
[[nodiscard]] PyMethodDef method_definition(const char* name, const char* doc) {
  return make_definition(name, with_call_note<Function>(name), doc);
}
/// Module of functions that are not public.
inline constexpr const char* private_module = "skerry._core";
/// Adds a builtin function whose `__module__` is `module_name`, the module that users import.
void add_function(PyObject* module, PyMethodDef* definition, const char* module_name = "skerry");

/// Signatures and method definitions of a table's functions; the definitions end with an empty one.
/// Filled at import.
template <const auto& Table>
constinit inline std::array<Signature, std::size(Table)> table_signatures{};
template <const auto& Table>
constinit inline std::array<PyMethodDef, std::size(Table) + 1> table_definitions{};

template <const auto& Table>
void prepare_signatures() {
  for (std::size_t i = 0; i < std::size(Table); ++i) {
    const Signature signature(Table[i].name, Table[i].signature);
    table_signatures<Table>[i] = Table[i].stores_out ? signature.without_out() : signature;
  }
}

template <const auto& Table, std::size_t I>
const Signature& entry_signature() {
  return table_signatures<Table>[I];
}

template <const auto& Table, std::size_t I>
PyObject* entry_function(PyObject* self, PyObject* const* args, Py_ssize_t count,
                         PyObject* keywords) {
  if constexpr (Table[I].fast_path != nullptr) {
    PyObject* const result = keywords == nullptr ? Table[I].fast_path(args, count) : nullptr;
    if (result != nullptr) return result;
  }
  return call_entry(entry_signature<Table, I>(), Table[I], self, args, count, keywords);
}

/// Returns the definitions of a table's functions, terminated by an empty one.
template <const auto& Table>
PyMethodDef* definitions(const char* chapter = nullptr) {
  prepare_signatures<Table>();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((table_definitions<Table>[I] = method_definition<entry_function<Table, I>>(
          Table[I].name, make_docstring(Table[I].name, Table[I].signature,
                                        docstring_text(Table[I].doc, chapter)))),
     ...);
  }(std::make_index_sequence<std::size(Table)>{});
  return table_definitions<Table>.data();
}

template <const auto& Table>
void add_functions(PyObject* module, const char* chapter, const char* module_name = "skerry") {
  PyMethodDef* const method_definitions = definitions<Table>(chapter);
  for (PyMethodDef* definition = method_definitions; definition->ml_name != nullptr; ++definition) {
    add_function(module, definition, module_name);
  }
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (register_function({Table[I].name, table_signatures<Table>[I], Table[I].implementation,
                        method_definitions[I].ml_doc}),
     ...);
  }(std::make_index_sequence<std::size(Table)>{});
}

}  // namespace skerry::python
