// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <string>
#include <utility>

#include "python/bindings/gil.hpp"

namespace skerry::python {

/// Sets the folder of skerry's own Python code, which CallerLine::find() skips.
void set_package_folder(const std::string& folder);

/// A line of Python code, which owns its reference to the code; destroyed with or without the GIL.
/// Its number is computed when it is read.
class CallerLine {
 public:
  CallerLine() = default;
  CallerLine(CallerLine&& other) noexcept
      : code_(std::exchange(other.code_, nullptr)), instruction_(other.instruction_) {}
  CallerLine& operator=(CallerLine&& other) noexcept {
    std::swap(code_, other.code_);
    std::swap(instruction_, other.instruction_);
    return *this;
  }
  CallerLine(const CallerLine&) = delete;
  CallerLine& operator=(const CallerLine&) = delete;
  ~CallerLine() {
    if (code_ == nullptr) return;
    const WithGil gil_guard;
    if (gil_guard) Py_DECREF(code_);
  }

  /// Returns the innermost line outside skerry's own Python code; an empty one if no Python code
  /// runs. The GIL must be held.
  [[nodiscard]] static CallerLine find() noexcept;

  /// Returns the code, borrowed; null if there is none.
  [[nodiscard]] PyCodeObject* code() const noexcept { return code_; }
  [[nodiscard]] int instruction() const noexcept { return instruction_; }
  /// Returns the file's name, borrowed; null if there is no line.
  [[nodiscard]] PyObject* file() const noexcept {
    return code_ != nullptr ? code_->co_filename : nullptr;
  }
  [[nodiscard]] int number() const noexcept {
    return code_ == nullptr ? 0 : PyCode_Addr2Line(code_, instruction_);
  }

 private:
  CallerLine(PyCodeObject* code, int instruction) noexcept
      : code_(code), instruction_(instruction) {}

  PyCodeObject* code_ = nullptr;
  int instruction_ = -1;
};

}  // namespace skerry::python
