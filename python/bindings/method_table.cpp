// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/method_table.hpp"

#include <string>

#include "core/errors.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

/// Parameters that mean the same: NumPy's name, the standard's.
constexpr struct {
  const char* numpy;
  const char* standard;
} renamed[] = {{"ddof", "correction"}, {"v", "x2"}, {"other", "x2"}};

const char* name_in_function(const char* name) {
  for (const auto& each : renamed) {
    if (std::string_view(each.numpy) == name) return each.standard;
  }
  return name;
}

bool is_given(PyObject* value) { return value != nullptr && value != Py_None; }

}  // namespace

MethodPlan::MethodPlan(const MethodEntry& entry)
    : entry_(&entry), takes_(entry.name, entry.signature), out_(takes_.find("out")) {
  const KnownFunction& found = find_function(entry.function);
  function_ = found.run;
  function_takes_ = &found.takes();
  for (int i = 0; i < takes_.count(); ++i) {
    const int place = function_takes_->find(name_in_function(PyUnicode_AsUTF8(takes_.name(i))));
    place_[i] = place > 0 ? place : Signature::most_parameters + extras_++;
  }
}

PyObject* MethodPlan::run(const Arguments& given, PyObject** values) const {
  PyObject* const out = out_ >= 0 ? given[out_] : nullptr;
  if (is_given(out) && is_array(out)) {
    require_on(given, out_, value_of(out), value_of(given.self).device());
  }
  MethodCall call{.given = given, .values = values, .kept = {}};
  Object result;
  if (entry_->prepare != nullptr) {
    if (PyObject* const found = entry_->prepare(call)) result = Object(found);
  }
  if (result.get() == nullptr) {
    result = Object(function_({given.self, values, nullptr, 0, function_takes_}));
  }
  return is_given(out) ? store_result(entry_->name, std::move(result), out) : result.release();
}

PyObject* MethodPlan::prepare_and_run(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                      PyObject* keywords) const {
  PyObject* own[Signature::most_parameters];
  Py_ssize_t rest = 0;
  if (!takes_.bind(args, count, keywords, own, &rest)) return nullptr;
  PyObject* values[Signature::most_parameters] = {};
  for (int i = 0; i < takes_.count(); ++i) {
    if (place_[i] < Signature::most_parameters) values[place_[i]] = own[i];
  }
  values[0] = self;
  const Arguments given{self, own, args + (count - rest), rest, &takes_};
  PyObject* const result = guarded([&] { return run(given, values); });
  return result != nullptr ? result : name_failed_call(given);
}

PyObject* MethodPlan::operator()(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                 PyObject* keywords) const {
  const MethodEntry& entry = *entry_;
  const bool is_plain = entry.prepare == nullptr || entry.prepares_extras;
  if (!is_plain && entry.is_direct == nullptr) return prepare_and_run(self, args, count, keywords);
  PyObject* values[2 * Signature::most_parameters];
  Py_ssize_t rest = 0;
  if (!takes_.bind(args, count, keywords, values, &rest, place_)) return nullptr;
  values[0] = self;
  for (int i = 0; i < extras_; ++i) {
    if (values[Signature::most_parameters + i] != nullptr) {
      return prepare_and_run(self, args, count, keywords);
    }
  }
  if (!is_plain && !entry.is_direct(values)) return prepare_and_run(self, args, count, keywords);
  PyObject* const result =
      guarded([&] { return function_({self, values, nullptr, 0, function_takes_}); });
  if (result != nullptr) [[likely]]
    return result;
  // Again, now by the names of the method's own parameters.
  PyObject* own[Signature::most_parameters];
  static_cast<void>(takes_.bind(args, count, keywords, own, &rest));
  return name_failed_call({self, own, args + (count - rest), rest, &takes_});
}

const char* document_method(const MethodEntry& entry) {
  std::string summary = find_function(entry.function).doc;
  constexpr std::string_view end_of_signature = "\n--\n\n";
  summary = summary.substr(summary.find(end_of_signature) + end_of_signature.size());
  summary = summary.substr(0, summary.find("\n\n"));
  // Those of skerry.linalg are the only ones of a submodule.
  const std::string_view name(entry.function);
  const char* home = name == "trace" || name == "diagonal" ? "skerry.linalg." : "skerry.";
  summary += "\n\nThe function " + std::string(home) + entry.function +
             " of the array; the signature is that of numpy.ndarray." + entry.name + ".";
  if (std::string_view(entry.signature).find("out=") != std::string_view::npos) {
    summary +=
        "\nout= is an Array of the dtype, shape and device of the result, which is stored there "
        "and\nreturned; ValueError for another.";
  }
  return document(entry.name, entry.signature, summary);
}

void add_methods(PyTypeObject* type, PyMethodDef* definitions) {
  for (PyMethodDef* each = definitions; each->ml_name != nullptr; ++each) {
    const Object descriptor(PyDescr_NewMethod(type, each));
    set_attribute(reinterpret_cast<PyObject*>(type), each->ml_name, descriptor);
  }
}

PyObject* store_result(const char* op, Object result, PyObject* out) {
  if (!is_array(out)) {
    throw DtypeError(std::string(op) + ": out must be a skerry.Array, not " + type_name(out));
  }
  const NdArray& from = value_of(result.get());
  const NdArray& to = value_of(out);
  if (to.dtype() != from.dtype() || to.shape() != from.shape()) {
    throw ValueError(std::string(op) + ": out is " + describe(to) + ", the result " +
                     describe(from) + "; make out with skerry.empty");
  }
  {
    const WithoutGil working(from.size() > long_work);
    assign(op, to, from);
  }
  return Py_NewRef(out);
}

Object array_of_items(PyObject* from, Device where) {
  if (!PyList_Check(from) && !PyTuple_Check(from) && !PyLong_Check(from)) {
    return Object::borrow(from);
  }
  const Object function = package_function("skerry", "asarray");
  const Object positional(PyTuple_Pack(1, from));
  const Object keywords(Py_BuildValue("{s:O}", "device", device_object(where)));
  return Object(PyObject_Call(function.get(), positional.get(), keywords.get()));
}

}  // namespace skerry::python
