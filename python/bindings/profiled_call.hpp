// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "python/bindings/call_sites.hpp"

namespace skerry {
struct EvaluationReport;
}

namespace skerry::python {

struct CallRecord;

/// Records a call in the open profiles of the context. Does nothing without one, and inside another
/// call.
class ProfiledCall {
 public:
  /// `self` may be null; it is counted as an argument if it is an array. `values` are the
  /// arguments, also those by keyword.
  ProfiledCall(const char* name, PyObject* self, std::span<PyObject* const> values) noexcept;
  ProfiledCall(const ProfiledCall&) = delete;
  ProfiledCall& operator=(const ProfiledCall&) = delete;
  ~ProfiledCall();

  /// Returns the result, whose arrays it notes.
  PyObject* end(PyObject* result) noexcept;
  int end(int status) noexcept;

 private:
  void end(PyObject* result, bool has_work, bool has_failed) noexcept;

  PyObject* self_;
  std::span<PyObject* const> values_;
  std::shared_ptr<CallRecord> record_;
};

/// Record the evaluation of a fused function as one call. end_fused_range() gets the result of
/// begin_fused_range().
[[nodiscard]] void* begin_fused_range(const EvaluationReport& report) noexcept;
void end_fused_range(void* range, bool has_failed) noexcept;
/// Adds bytes that a pass of this thread's evaluation reads and writes.
void add_fused_bytes(std::int64_t nbytes) noexcept;
/// Lets evaluations call these functions, or not.
void profile_evaluations(bool is_on) noexcept;

/// Returns the arguments of a vectorcall, with those by keyword.
[[nodiscard]] inline std::span<PyObject* const> all_values(PyObject* const* args, Py_ssize_t count,
                                                           PyObject* keywords) noexcept {
  const Py_ssize_t by_keyword = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  return {args, static_cast<std::size_t>(count + by_keyword)};
}

/// The form of a function that is called while a profile is open.
template <auto Function>
struct Profiled;
template <class Result, class... Args, Result (*Function)(Args...)>
struct Profiled<Function> {
  using function_pointer = Result (*)(Args...);
  static inline constinit const char* name = nullptr;
  static inline constinit function_pointer function = nullptr;
  static Result call(Args... args) {
    if constexpr (std::is_same_v<Result(Args...),
                                 PyObject*(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)>) {
      return call_with_keywords(args...);
    } else {
      const std::array<PyObject*, sizeof...(Args)> objects{object(args)...};
      ProfiledCall profiled_call(name, objects[0], std::span(objects).subspan(1));
      return profiled_call.end(function(args...));
    }
  }

 private:
  static PyObject* object(PyObject* value) noexcept { return value; }
  static PyObject* object(Py_ssize_t) noexcept { return nullptr; }
  static PyObject* call_with_keywords(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                      PyObject* keywords) {
    ProfiledCall profiled_call(name, self, all_values(args, count, keywords));
    return profiled_call.end(function(self, args, count, keywords));
  }
};

}  // namespace skerry::python
