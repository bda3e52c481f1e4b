// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/function_table.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "python/bindings/converted_args.hpp"

namespace skerry::python {
namespace {

/// Never freed: methods read it while the process ends.
const auto known_functions = new std::vector<KnownFunction>;

bool holds_ints_only(PyObject* tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (!PyLong_CheckExact(PyTuple_GET_ITEM(tuple, i))) return false;
  }
  return true;
}

/// An argument as a call in a message repeats it: what can be written shortly, "..." for the rest.
std::string short_form(PyObject* from) {
  constexpr std::size_t longest = 24;
  const bool is_short = PyLong_CheckExact(from) || PyFloat_CheckExact(from) || PyBool_Check(from) ||
                        PyUnicode_CheckExact(from) || from == Py_None ||
                        (PyTuple_CheckExact(from) && holds_ints_only(from));
  PyObject* const text = is_short ? PyObject_Repr(from) : nullptr;
  const char* const read = text != nullptr ? PyUnicode_AsUTF8(text) : nullptr;
  const std::string shown = read != nullptr ? read : "...";
  Py_XDECREF(text);
  PyErr_Clear();
  return shown.size() <= longest ? shown : "...";
}

/// Where the arguments of parameters go.
struct OwnPlaces {
  static constexpr int count = Signature::most_parameters;
  int operator[](int parameter) const { return parameter; }
};
struct OtherPlaces {
  static constexpr int count = 2 * Signature::most_parameters;
  const int* of;
  int operator[](int parameter) const { return of[parameter]; }
};

}  // namespace

void remember_function(const KnownFunction& function) { known_functions->push_back(function); }

const KnownFunction& find_function(std::string_view name) {
  for (const KnownFunction& each : *known_functions) {
    if (each.name == name) return each;
  }
  throw std::logic_error("no function " + std::string(name));
}

Signature::Signature(const char* function, const char* text) : function_(function) {
  std::string_view left(text);
  left = left.substr(1, left.rfind(')') - 1);
  bool keyword_only = false;
  while (!left.empty()) {
    const std::size_t comma = left.find(", ");
    const std::string_view part = left.substr(0, comma);
    left = comma == std::string_view::npos ? "" : left.substr(comma + 2);
    if (part[0] == '$') continue;
    if (part == "/") {
      positional_only_ = count_;
    } else if (part[0] == '*') {
      takes_rest_ = part.size() > 1;
      keyword_only = true;
    } else {
      const std::size_t equals = part.find('=');
      const std::string name(part.substr(0, equals));
      parameters_[count_++] = {PyUnicode_InternFromString(name.c_str()),
                               equals == std::string_view::npos};
      if (!keyword_only) positional_ = count_;
      if (parameters_[count_ - 1].required) required_end_ = count_;
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

int Signature::find(const char* name) const {
  for (int i = 0; i < count_; ++i) {
    if (PyUnicode_CompareWithASCIIString(parameters_[i].name, name) == 0) return i;
  }
  return -1;
}

template <class Places>
bool Signature::bind_keywords(PyObject* const* values, PyObject* keywords, PyObject** bound,
                              Places places) const {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* name = PyTuple_GET_ITEM(keywords, i);
    const int at = find(name);
    if (at < 0) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function_,
                   name);
      return false;
    }
    if (bound[places[at]] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for argument '%U'", function_, name);
      return false;
    }
    bound[places[at]] = values[i];
  }
  return true;
}

void Signature::reject_count(PyObject* const* args, Py_ssize_t count) const {
  const bool has_optional = positional_ > 0 && !parameters_[positional_ - 1].required;
  std::string text = std::string(function_) + "() takes " + (has_optional ? "at most " : "") +
                     std::to_string(positional_) + " positional argument" +
                     (positional_ == 1 ? "" : "s") + ", got " + std::to_string(count);
  if (count <= count_) {
    // What the caller meant, as it has to be written.
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

template <class Places>
bool Signature::bind_to(PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                        PyObject** bound, Py_ssize_t* rest, Places places) const {
  if (count > positional_ && !takes_rest_) {
    reject_count(args, count);
    return false;
  }
  const Py_ssize_t placed = count < positional_ ? count : positional_;
  // All of them: a constant number is cleared by few instructions.
  std::fill_n(bound, Places::count, nullptr);
  for (Py_ssize_t i = 0; i < placed; ++i) bound[places[static_cast<int>(i)]] = args[i];
  *rest = count - placed;
  if (keywords != nullptr && !bind_keywords(args + count, keywords, bound, places)) return false;
  for (auto i = static_cast<int>(placed); i < required_end_; ++i) {
    if (bound[places[i]] == nullptr && parameters_[i].required) {
      PyErr_Format(PyExc_TypeError, "%s() is missing the argument '%U'", function_,
                   parameters_[i].name);
      return false;
    }
  }
  return true;
}

bool Signature::bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** bound,
                     Py_ssize_t* rest) const {
  return bind_to(args, count, keywords, bound, rest, OwnPlaces{});
}
bool Signature::bind(PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** bound,
                     Py_ssize_t* rest, const int* places) const {
  return bind_to(args, count, keywords, bound, rest, OtherPlaces{places});
}

const char* document(const char* name, const char* signature, const std::string& doc) {
  const std::string text = std::string(name) + signature + "\n--\n\n" + doc;
  char* kept = new char[text.size() + 1];
  std::memcpy(kept, text.c_str(), text.size() + 1);
  return kept;
}

std::string text_of(const Docstring& doc, const char* chapter) {
  std::string text;
  const auto add = [&](const char* before, const char* part) {
    if (part != nullptr) text += std::string(text.empty() ? "" : "\n\n") + before + part;
  };
  add("", doc.whole);
  if (doc.sections != nullptr) {
    const DocSections& of = *doc.sections;
    add("", of.summary);
    add("", of.details);
    const char* before = "\n\nParameters\n----------\n";
    for (const char* each : of.parameters) {
      if (each != nullptr) text += std::exchange(before, "\n") + std::string(each);
    }
    add("Returns\n-------\n", of.returns);
    add("Raises\n------\n", of.raises);
    add("Examples\n--------\n>>> import skerry as sk\n", of.example);
  }
  if (chapter != nullptr && text.find("Source: ") == std::string::npos)
    text += std::string("\n\nSource: array API 2025.12, ") + chapter + ".";
  return text;
}

PyObject* call_entry(const Signature& takes, const FunctionEntry& entry, PyObject* self,
                     PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  PyObject* bound[Signature::most_parameters];
  Py_ssize_t rest = 0;
  if (!takes.bind(args, count, keywords, bound, &rest)) return nullptr;
  return guarded_call({self, bound, args + (count - rest), rest, &takes}, entry.run);
}

PyMethodDef plain_definition(const char* name, fast_function function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}

void add_function(PyObject* module, PyMethodDef* definition, const char* home) {
  const Object name(PyUnicode_InternFromString(home));
  const Object function(PyCFunction_NewEx(definition, module, name.get()));
  add_to_module(module, definition->ml_name, function);
}

}  // namespace skerry::python
