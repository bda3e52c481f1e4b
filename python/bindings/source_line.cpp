// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/source_line.hpp"

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

void set_package_folder(const std::string& folder) { package_folder = new std::string(folder); }

void SourceLine::note_current() noexcept {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    PyFrameObject* outer = nullptr;
    if (is_of_package(code)) {
      outer = PyFrame_GetBack(frame);
      Py_DECREF(code);
    } else {
      code_ = code;
      instruction_ = PyFrame_GetLasti(frame);
    }
    Py_DECREF(frame);
    frame = outer;
  }
}

}  // namespace skerry::python
