// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/runtime/python_line.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

// Python's functions are looked up in the process: this library doesn't link to Python, and a
// program in C++ has none.

namespace skerry::emulation {

namespace {

using Object = void;

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

int (*find_is_finalizing())() {
  auto* const is_finalizing = find<int()>("Py_IsFinalizing");  // since 3.13
  return is_finalizing != nullptr ? is_finalizing : find<int()>("_Py_IsFinalizing");
}

struct Python {
  int (*is_initialized)() = find<int()>("Py_IsInitialized");
  int (*is_finalizing)() = find_is_finalizing();
  int (*acquire_gil)() = find<int()>("PyGILState_Ensure");
  void (*release_gil)(int) = find<void(int)>("PyGILState_Release");
  Object* (*thread_state)() = find<Object*()>("PyGILState_GetThisThreadState");
  Object* (*frame_of)(Object*) = find<Object*(Object*)>("PyThreadState_GetFrame");
  Object* (*caller_of)(Object*) = find<Object*(Object*)>("PyFrame_GetBack");
  Object* (*globals_of)(Object*) = find<Object*(Object*)>("PyFrame_GetGlobals");
  Object* (*code_of)(Object*) = find<Object*(Object*)>("PyFrame_GetCode");
  int (*line_of)(Object*) = find<int(Object*)>("PyFrame_GetLineNumber");
  Object* (*item_of)(Object*,
                     const char*) = find<Object*(Object*, const char*)>("PyMapping_GetItemString");
  Object* (*attribute_of)(Object*, const char*) =
      find<Object*(Object*, const char*)>("PyObject_GetAttrString");
  const char* (*text_of)(Object*) = find<const char*(Object*)>("PyUnicode_AsUTF8");
  void (*clear_error)() = find<void()>("PyErr_Clear");
  void (*fetch_error)(Object**, Object**,
                      Object**) = find<void(Object**, Object**, Object**)>("PyErr_Fetch");
  void (*restore_error)(Object*, Object*,
                        Object*) = find<void(Object*, Object*, Object*)>("PyErr_Restore");
  void (*release)(Object*) = find<void(Object*)>("Py_DecRef");

  [[nodiscard]] bool is_usable() const {
    return is_initialized != nullptr && is_finalizing != nullptr && frame_of != nullptr &&
           globals_of != nullptr && is_initialized() != 0 && is_finalizing() == 0 &&
           thread_state() != nullptr;
  }
};

/// Returns a string that is a new reference, or null after an error, and releases it.
std::string take_text(const Python& python, Object* object) {
  const char* const text = object != nullptr ? python.text_of(object) : nullptr;
  std::string copy = text != nullptr ? text : "";
  if (text == nullptr) python.clear_error();
  if (object != nullptr) python.release(object);
  return copy;
}

/// True for a module of a package that allocates memory for its callers, or calls NCCL for them.
bool is_of_a_library(std::string_view module_name) {
  static constexpr std::array<std::string_view, 10> packages{
      "cuda",  "cupy",       "cupy_backends",   "cupyx",  "nccl",
      "numba", "numba_cuda", "numba_cuda_mlir", "skerry", "skerry_emulator"};
  return std::ranges::find(packages, module_name.substr(0, module_name.find('.'))) !=
         packages.end();
}

std::string module_of(const Python& python, Object* frame) {
  Object* const globals = python.globals_of(frame);
  std::string name = take_text(python, python.item_of(globals, "__name__"));
  python.release(globals);
  return name;
}

/// Acquires the GIL. Up to CPython 3.13, a thread that does so while the interpreter finalizes is
/// ended by a forced unwind, which would terminate the process in the callers' noexcept functions:
/// it waits for the end of the process instead, as in later versions.
int acquire_gil(const Python& python) {
  try {
    return python.acquire_gil();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

PythonLine line_of(const Python& python, Object* frame) {
  if (is_of_a_library(module_of(python, frame))) return {};
  Object* const code = python.code_of(frame);
  PythonLine line{.file = take_text(python, python.attribute_of(code, "co_filename")),
                  .number = static_cast<std::uint32_t>(std::max(0, python.line_of(frame)))};
  python.release(code);
  return line;
}

}  // namespace

PythonLine python_line() {
  static const Python python;
  if (!python.is_usable()) return {};
  const int gil = acquire_gil(python);
  // Memory may be freed while an exception passes.
  std::array<Object*, 3> error{};
  python.fetch_error(error.data(), &error[1], &error[2]);
  PythonLine line;
  Object* frame = python.frame_of(python.thread_state());
  while (frame != nullptr && line.number == 0) {
    line = line_of(python, frame);
    Object* const caller = python.caller_of(frame);
    python.release(frame);
    frame = caller;
  }
  if (frame != nullptr) python.release(frame);
  python.restore_error(error[0], error[1], error[2]);
  python.release_gil(gil);
  return line;
}

}  // namespace skerry::emulation
