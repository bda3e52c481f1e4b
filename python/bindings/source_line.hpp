// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <string>

#include "python/bindings/gil.hpp"

namespace skerry::python {

/// A line of Python code. Its number is computed when it is read. Owns a reference; destroyed with
/// or without the GIL.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(const SourceLine&) = delete;
  SourceLine& operator=(const SourceLine&) = delete;
  ~SourceLine() {
    if (code_ == nullptr) return;
    const WithGil gil_guard;
    if (gil_guard) Py_DECREF(code_);
  }

  /// Notes the innermost line of this thread outside skerry's own Python code.
  void note_current() noexcept;
  /// Returns the file's name, borrowed; null if there is no line.
  [[nodiscard]] PyObject* file() const noexcept {
    return code_ != nullptr ? code_->co_filename : nullptr;
  }
  [[nodiscard]] int number() const noexcept {
    return code_ != nullptr ? PyCode_Addr2Line(code_, instruction_) : 0;
  }

 private:
  PyCodeObject* code_ = nullptr;
  int instruction_ = -1;  ///< offset in `code_`
};

/// Sets the folder of skerry's own Python code.
void set_package_folder(const std::string& folder);

}  // namespace skerry::python
