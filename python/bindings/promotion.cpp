// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/promotion.hpp"

#include <string_view>

#include "device/environment.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/functions.hpp"
#include "python/bindings/gil.hpp"

namespace skerry::python {
namespace {

constinit ContextVariable context_strict;
bool strict_by_environment = false;

/// True if mixed kinds are rejected in this context. Once installed, called for each promotion that
/// the standard leaves open; long calls do so without the GIL.
bool is_strict_here() {
  const WithGil gil_guard;
  if (!gil_guard || !context_strict.is_set()) return strict_by_environment;
  const Object value = context_strict.value();
  return value.get() == nullptr ? strict_by_environment : value.get() == Py_True;
}

void read_environment() {
  const char* text = environment_text("SKERRY_PROMOTION");
  if (text == nullptr || std::string_view(text) != "strict") return;
  strict_by_environment = true;
  ask_whether_strict(is_strict_here);
}

PyObject* run_use_promotion_context(const Arguments& arguments) {
  context_strict.set(arguments[0]);
  ask_whether_strict(is_strict_here);
  Py_RETURN_NONE;
}

constexpr FunctionEntry promotion_functions[] = {
    {"use_promotion_context", "(variable, /)",
     "Use this contextvars.ContextVar to decide whether mixed kinds of dtypes are rejected.",
     run_use_promotion_context},
};

}  // namespace

void add_promotion(PyObject* module) {
  read_environment();
  add_functions<promotion_functions>(module, nullptr, private_module);
}

}  // namespace skerry::python
