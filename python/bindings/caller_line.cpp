// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/caller_line.hpp"

#include <cstddef>
#include <string_view>

namespace skerry::python {
namespace {

/// Never freed: lines may be noted during process exit.
constinit const std::string* package_folder = nullptr;

bool is_of_package(PyCodeObject* code) noexcept {
  Py_ssize_t size = 0;
  const char* const name = PyUnicode_AsUTF8AndSize(code->co_filename, &size);
  if (name == nullptr) PyErr_Clear();
  return name != nullptr && package_folder != nullptr &&
         std::string_view(name, static_cast<std::size_t>(size)).starts_with(*package_folder);
}

}  // namespace

void set_package_folder(const std::string& folder) {
  if (package_folder == nullptr) package_folder = new std::string(folder);
}

CallerLine CallerLine::find() noexcept {
  CallerLine line;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    PyFrameObject* outer = nullptr;
    if (is_of_package(code)) {
      outer = PyFrame_GetBack(frame);
      Py_DECREF(code);
    } else {
      line = CallerLine(code, PyFrame_GetLasti(frame));
    }
    Py_DECREF(frame);
    frame = outer;
  }
  return line;
}

}  // namespace skerry::python
