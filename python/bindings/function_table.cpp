// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/function_table.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>

#include "python/bindings/call_sites.hpp"
#include "python/bindings/converted_args.hpp"

namespace skerry::python {
namespace {

/// Never freed: methods may still read it during process exit.
const auto function_registry = new std::deque<RegisteredFunction>;

/// Names of NumPy's parameters, and the standard's names of the same parameters. Both are accepted
/// by keyword, also for parameters that are positional-only in the standard.
constexpr struct {
  const char* numpy;
  const char* standard;
} numpy_names[] = {
    {"a", "x"},
    {"a", "x1"},
    {"a", "obj"},
    {"a_max", "max"},
    {"a_min", "min"},
    {"array", "x"},
    {"arr", "x"},
    {"arrays", "arrays"},
    {"A", "x"},
    {"b", "x2"},
    {"element", "x1"},
    {"m", "x"},
    {"M", "n_cols"},
    {"N", "n_rows"},
    {"other", "x2"},
    {"prototype", "x"},
    {"reps", "repetitions"},
    {"test_elements", "x2"},
    {"v", "x2"},
    {"val", "x"},
};

bool holds_ints_only(PyObject* tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (!PyLong_CheckExact(PyTuple_GET_ITEM(tuple, i))) return false;
  }
  return true;
}

/// Formats an argument for the call shown in an error message: its repr if short, else "...".
std::string short_form(PyObject* object) {
  constexpr std::size_t max_length = 24;
  const bool is_short = PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
                        PyBool_Check(object) || PyUnicode_CheckExact(object) || object == Py_None ||
                        (PyTuple_CheckExact(object) && holds_ints_only(object));
  PyObject* const text = is_short ? PyObject_Repr(object) : nullptr;
  const char* const read = text != nullptr ? PyUnicode_AsUTF8(text) : nullptr;
  const std::string shown = read != nullptr ? read : "...";
  Py_XDECREF(text);
  PyErr_Clear();
  return shown.size() <= max_length ? shown : "...";
}

/// Maps a parameter to the index of its argument in `bound`.
struct IdentityPositions {
  static constexpr int count = Signature::max_parameters;
  int operator[](int parameter) const { return parameter; }
};
struct MappedPositions {
  static constexpr int count = Signature::max_positions;
  const int* positions;
  int operator[](int parameter) const { return positions[parameter]; }
};

}  // namespace

void register_function(RegisteredFunction function) { function_registry->push_back(function); }

const RegisteredFunction& find_function(std::string_view name) {
  for (const RegisteredFunction& function : *function_registry) {
    if (function.name == name) return function;
  }
  throw std::logic_error("no function " + std::string(name));
}

Signature::Signature(const char* function, const char* text) : function_(function) {
  std::string_view left(text);
  left = left.substr(1, left.rfind(')') - 1);
  bool keyword_only = false;
  while (!left.empty()) {
    const std::size_t comma = left.find(", ");
    const std::string_view token = left.substr(0, comma);
    left = comma == std::string_view::npos ? "" : left.substr(comma + 2);
    if (token[0] == '$') continue;
    if (token == "/") {
      positional_only_ = count_;
    } else if (token[0] == '*') {
      takes_rest_ = token.size() > 1;
      keyword_only = true;
    } else {
      const std::size_t equals = token.find('=');
      const std::string name(token.substr(0, equals));
      parameters_[count_++] = {PyUnicode_InternFromString(name.c_str()),
                               equals == std::string_view::npos};
      if (!keyword_only) positional_ = count_;
      if (parameters_[count_ - 1].required) required_end_ = count_;
      if (token == "out=None") out_ = count_ - 1;
    }
  }
}

int Signature::find(PyObject* name) const {
  for (int i = positional_only_; i < count_; ++i) {
    if (parameters_[i].name == name) return i;
  }
  for (int i = positional_only_; i < count_; ++i) {
    if (PyUnicode_Compare(parameters_[i].name, name) == 0) return i;
  }
  return -1;
}

Signature Signature::without_conversion() const {
  Signature signature = *this;
  signature.allows_conversion_ = false;
  return signature;
}

Signature Signature::without_out() const {
  Signature signature = *this;
  signature.out_ = -1;
  return signature;
}

Signature Signature::named_like(const Signature& method, const int* positions) const {
  Signature signature = *this;
  signature.function_ = method.function_;
  for (int i = 0; i < method.count_; ++i) {
    if (positions[i] >= max_parameters) continue;
    signature.parameters_[positions[i]].name = method.parameters_[i].name;
  }
  return signature;
}

int Signature::find(const char* name) const {
  for (int i = 0; i < count_; ++i) {
    if (PyUnicode_CompareWithASCIIString(parameters_[i].name, name) == 0) return i;
  }
  for (const auto& names : numpy_names) {
    if (std::string_view(names.numpy) != name) continue;
    if (const int parameter = find(names.standard); parameter >= 0) return parameter;
  }
  return -1;
}

int Signature::find_numpy_name(PyObject* name) const {
  for (const auto& names : numpy_names) {
    if (PyUnicode_CompareWithASCIIString(name, names.numpy) != 0) continue;
    if (const int parameter = find(names.standard); parameter >= 0) return parameter;
  }
  return -1;
}

template <class Positions>
bool Signature::bind_keywords(PyObject* const* values, PyObject* keywords, PyObject** bound,
                              Positions positions) const {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    int parameter = find(name);
    if (parameter < 0) parameter = find_numpy_name(name);
    if (parameter < 0) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function_,
                   name);
      return false;
    }
    if (bound[positions[parameter]] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for argument '%U'", function_, name);
      return false;
    }
    bound[positions[parameter]] = values[i];
  }
  return true;
}

void Signature::reject_count(PyObject* const* args, Py_ssize_t count) const {
  const bool has_optional = positional_ > 0 && !parameters_[positional_ - 1].required;
  std::string text = std::string(function_) + "() takes " + (has_optional ? "at most " : "") +
                     std::to_string(positional_) + " positional argument" +
                     (positional_ == 1 ? "" : "s") + ", got " + std::to_string(count);
  if (count <= count_) {
    // Show the corrected call.
    std::string names;
    std::string call = std::string(function_) + "(";
    for (int i = 0; i < count; ++i) {
      const std::string name = PyUnicode_AsUTF8(parameters_[i].name);
      const bool named = i >= positional_;
      if (i > 0) call += ", ";
      call += name;
      if (!named) continue;
      if (!names.empty()) names += ", ";
      names += name;
      call += '=';
      call += short_form(args[i]);
    }
    text +=
        "; " + names + (count - positional_ == 1 ? " is" : " are") + " keyword-only: " + call + ")";
  } else if (count_ > positional_) {
    for (int i = positional_; i < count_; ++i) {
      text += i == positional_ ? "; pass " : ", ";
      text += std::string(PyUnicode_AsUTF8(parameters_[i].name)) + "=";
    }
    text += " by keyword";
  }
  PyErr_SetString(PyExc_TypeError, text.c_str());
}

template <class Positions>
Py_ssize_t Signature::bind_positions(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                                     PyObject** bound, Positions positions) const {
  if (count > positional_ && !takes_rest_) {
    reject_count(args, count);
    return -1;
  }
  const Py_ssize_t placed = count < positional_ ? count : positional_;
  // Clear all entries: a constant count compiles to few instructions.
  std::fill_n(bound, Positions::count, nullptr);
  for (Py_ssize_t i = 0; i < placed; ++i) bound[positions[static_cast<int>(i)]] = args[i];
  if (keywords != nullptr && !bind_keywords(args + count, keywords, bound, positions)) return -1;
  for (auto i = static_cast<int>(placed); i < required_end_; ++i) {
    if (bound[positions[i]] == nullptr && parameters_[i].required) {
      PyErr_Format(PyExc_TypeError, "%s() is missing the argument '%U'", function_,
                   parameters_[i].name);
      return -1;
    }
  }
  return count - placed;
}

Py_ssize_t Signature::bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                           PyObject** bound) const {
  return bind_positions(args, count, keywords, bound, IdentityPositions{});
}
Py_ssize_t Signature::bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                           PyObject** bound, const int* positions) const {
  return bind_positions(args, count, keywords, bound, MappedPositions{positions});
}

const char* make_docstring(const char* name, const char* signature, const std::string& doc) {
  return copy_text(std::string(name) + signature + "\n--\n\n" + doc);
}

const char* copy_text(const std::string& text) {
  char* text_copy = new char[text.size() + 1];
  std::memcpy(text_copy, text.c_str(), text.size() + 1);
  return text_copy;
}

std::string docstring_text(const Docstring& doc, const char* chapter) {
  std::string text;
  const auto add = [&](const char* heading, const char* section) {
    if (section != nullptr) text += std::string(text.empty() ? "" : "\n\n") + heading + section;
  };
  add("", doc.whole);
  if (doc.sections != nullptr) {
    const DocSections& sections = *doc.sections;
    add("", sections.summary);
    add("", sections.details);
    const char* separator = "\n\nParameters\n----------\n";
    for (const char* parameter : sections.parameters) {
      if (parameter != nullptr) text += std::exchange(separator, "\n") + std::string(parameter);
    }
    add("Returns\n-------\n", sections.returns);
    add("Raises\n------\n", sections.raises);
    add("Examples\n--------\n>>> import skerry as sk\n", sections.example);
  }
  if (chapter != nullptr && text.find("Source: ") == std::string::npos)
    text += std::string("\n\nSource: array API 2025.12, ") + chapter + ".";
  return text;
}

PyObject* call_entry(const Signature& signature, const FunctionEntry& entry, PyObject* self,
                     PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  PyObject* bound[Signature::max_parameters];
  const Py_ssize_t rest = signature.bind(args, count, keywords, bound);
  if (rest < 0) return nullptr;
  return call_bound({self, bound, args + (count - rest), rest, &signature}, entry.implementation);
}

PyMethodDef make_definition(const char* name, fast_function function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

void add_function(PyObject* module, PyMethodDef* definition, const char* module_name) {
  const Object name(PyUnicode_InternFromString(module_name));
  const Object function(PyCFunction_NewEx(definition, module, name.get()));
  if (std::string_view(module_name) != private_module) add_call_site(*definition);
  add_to_module(module, definition->ml_name, function);
}

}  // namespace skerry::python
