// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/method_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/call_sites.hpp"
#include "python/bindings/converted_args.hpp"
#include "python/bindings/failed_calls.hpp"
#include "python/bindings/value_args.hpp"

namespace skerry::python {
namespace {

bool is_specified(PyObject* value) { return value != nullptr && value != Py_None; }

}  // namespace

MethodAdapter::MethodAdapter(const MethodEntry& entry)
    : entry_(&entry),
      signature_(Signature(entry.name, entry.signature).without_conversion()),
      out_(signature_.find("out")) {
  const RegisteredFunction& function = find_function(entry.function);
  function_ = function.implementation;
  function_signature_ = &function.signature;
  for (int i = 0; i < signature_.count(); ++i) {
    // The adapter stores the result, also for functions that have out= themselves: the error names
    // the method.
    const int position =
        i == out_ ? -1 : function_signature_->find(PyUnicode_AsUTF8(signature_.name(i)));
    positions_[i] = position > 0 ? position : Signature::max_parameters + extras_++;
  }
  if (Signature::max_parameters + extras_ > Signature::max_positions)
    throw std::logic_error(std::string(entry.name) + ": raise Signature::max_positions");
  named_signature_ = function_signature_->named_like(signature_, positions_);
}

PyObject* MethodAdapter::run(const Arguments& arguments, PyObject** values) const {
  PyObject* const out = out_ >= 0 ? arguments[out_] : nullptr;
  Object output;
  if (is_specified(out)) {
    output = output_argument(signature_.function(), out);
    require_device_match(arguments, out_, value_of(output.get()),
                         value_of(arguments.self).device());
  }
  MethodCall call{.arguments = arguments, .values = values, .owned_values = {}};
  Object result;
  if (entry_->prepare != nullptr) {
    if (PyObject* const early_result = entry_->prepare(call)) result = Object(early_result);
  }
  if (result.get() == nullptr) {
    result = call_bound(named_signature_, function_, arguments.self, values);
  }
  return is_specified(out) ? store_result(signature_.function(), result, output, out)
                           : result.release();
}

PyObject* MethodAdapter::prepare_and_run(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                         PyObject* keywords) const {
  PyObject* bound_values[Signature::max_parameters];
  const Py_ssize_t rest = signature_.bind(args, count, keywords, bound_values);
  if (rest < 0) return nullptr;
  PyObject* values[Signature::max_parameters] = {};
  for (int i = 0; i < signature_.count(); ++i) {
    if (positions_[i] < Signature::max_parameters) values[positions_[i]] = bound_values[i];
  }
  values[0] = self;
  const Arguments arguments{self, bound_values, args + (count - rest), rest, &signature_};
  PyObject* const result =
      translate_exceptions(signature_.function(), [&] { return run(arguments, values); });
  return result != nullptr ? result : name_failed_call(arguments);
}

PyObject* MethodAdapter::operator()(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                    PyObject* keywords) const {
  const MethodEntry& entry = *entry_;
  const bool can_skip_prepare = entry.prepare == nullptr || entry.prepares_extras;
  if (!can_skip_prepare && entry.needs_no_prepare == nullptr)
    return prepare_and_run(self, args, count, keywords);
  PyObject* values[Signature::max_positions];
  if (signature_.bind(args, count, keywords, values, positions_) < 0) return nullptr;
  values[0] = self;
  for (int i = 0; i < extras_; ++i) {
    if (values[Signature::max_parameters + i] != nullptr) {
      return prepare_and_run(self, args, count, keywords);
    }
  }
  if (!can_skip_prepare && !entry.needs_no_prepare(values))
    return prepare_and_run(self, args, count, keywords);
  const Arguments function_arguments{self, values, nullptr, 0, &named_signature_};
  PyObject* result =
      translate_exceptions(signature_.function(), [&] { return function_(function_arguments); });
  if (function_arguments.converted_args != nullptr) [[unlikely]]
    result = end_conversion(function_arguments, result, function_);
  if (result != nullptr) [[likely]]
    return result;
  // Bind again, so that the error names the method's own parameters.
  PyObject* bound_values[Signature::max_parameters];
  const Py_ssize_t rest = signature_.bind(args, count, keywords, bound_values);
  return name_failed_call({self, bound_values, args + (count - rest), rest, &signature_});
}

const char* document_method(const MethodEntry& entry) {
  std::string summary = find_function(entry.function).doc;
  constexpr std::string_view end_of_signature = "\n--\n\n";
  summary = summary.substr(summary.find(end_of_signature) + end_of_signature.size());
  summary = summary.substr(0, summary.find("\n\n"));
  // trace and diagonal are the only functions of a submodule.
  const std::string_view name(entry.function);
  const char* module_prefix = name == "trace" || name == "diagonal" ? "skerry.linalg." : "skerry.";
  summary += "\n\nSame as the function " + std::string(module_prefix) + entry.function +
             "; the signature is that of numpy.ndarray." + entry.name + ".";
  if (std::string_view(entry.signature).find("out=") != std::string_view::npos) {
    summary +=
        "\nout= must be an Array with the shape and device of the result, which is stored in it, "
        "if "
        "its dtype\ncasts to that of out (same kind); out is returned.";
  }
  return make_docstring(entry.name, entry.signature, summary);
}

void add_methods(PyTypeObject* type, PyMethodDef* definitions) {
  for (PyMethodDef* definition = definitions; definition->ml_name != nullptr; ++definition) {
    const Object descriptor(PyDescr_NewMethod(type, definition));
    add_call_site(*definition);
    set_attribute(reinterpret_cast<PyObject*>(type), definition->ml_name, descriptor);
  }
}

Object called(const char* function, std::initializer_list<PyObject*> args) {
  const RegisteredFunction& known_function = find_function(function);
  PyObject* values[Signature::max_parameters] = {};
  std::copy(args.begin(), args.end(), values);
  return Object(known_function.implementation(
      {*args.begin(), values, nullptr, 0, &known_function.signature}));
}

Object output_argument(const char* name, PyObject* out) {
  if (is_array(out)) return Object::borrow(out);
  const Object function = package_function("skerry._outputs", "output_argument");
  Object output(PyObject_CallFunction(function.get(), "sO", name, out));
  if (!is_array(output.get())) throw TypeError("out must be an Array, not " + type_name(out));
  return output;
}

PyObject* store_result(const char* name, const Object& result, const Object& output,
                       PyObject* out) {
  const NdArray& source = value_of(result.get());
  const NdArray& destination = target_of(output.get());
  if (destination.dtype() == source.dtype() && destination.shape() == source.shape()) {
    const WithoutGil working(source.size() > min_size_without_gil);
    assign(destination, source);
  } else {
    const Object function = package_function("skerry._outputs", "store");
    static_cast<void>(
        Object(PyObject_CallFunction(function.get(), "sOO", name, result.get(), output.get())));
  }
  return Py_NewRef(is_numpy_array(out) ? out : output.get());
}

Object call_bound(const Signature& signature, PyObject* (*function)(const Arguments&),
                  PyObject* self, PyObject* const* values) {
  const Arguments arguments{self, values, nullptr, 0, &signature};
  PyObject* result = nullptr;
  try {
    result = function(arguments);
  } catch (...) {  // the caller's operation is named
    if (arguments.converted_args != nullptr)
      static_cast<void>(end_conversion(arguments, nullptr, function));
    throw;
  }
  if (arguments.converted_args != nullptr) result = end_conversion(arguments, result, function);
  return Object(result);
}

}  // namespace skerry::python
