// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <string>

#include "python/bindings/gil.hpp"

namespace skerry::python {

/// Sets the folder of skerry's own Python code, which find_caller_line() skips.
void set_package_folder(const std::string& folder);

/// A place in Python code; its line number is computed when it is read.
struct CallerLine {
  PyCodeObject* code = nullptr;  ///< a new reference; null if no Python code runs
  int instruction = -1;

  [[nodiscard]] int number() const noexcept {
    return code == nullptr ? 0 : PyCode_Addr2Line(code, instruction);
  }
};

/// Returns the innermost line outside skerry's own Python code. The GIL must be held.
[[nodiscard]] CallerLine find_caller_line() noexcept;

/// A line that owns its reference to the code; destroyed with or without the GIL.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(const SourceLine&) = delete;
  SourceLine& operator=(const SourceLine&) = delete;
  ~SourceLine() {
    if (line_.code == nullptr) return;
    const WithGil gil_guard;
    if (gil_guard) Py_DECREF(line_.code);
  }

  /// Notes find_caller_line(); to be called once.
  void note_current() noexcept { line_ = find_caller_line(); }
  /// Returns the file's name, borrowed; null if there is no line.
  [[nodiscard]] PyObject* file() const noexcept {
    return line_.code != nullptr ? line_.code->co_filename : nullptr;
  }
  [[nodiscard]] int number() const noexcept { return line_.number(); }

 private:
  CallerLine line_;
};

}  // namespace skerry::python
