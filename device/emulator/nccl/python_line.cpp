// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/python_line.hpp"

#include <dlfcn.h>

// Python's functions are looked up in the process: this library doesn't link to Python, and a
// program in C++ has none.

namespace skerry::emulation::nccl {

namespace {

using Object = void;

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

struct Python {
  int (*is_initialized)() = find<int()>("Py_IsInitialized");
  int (*acquire_gil)() = find<int()>("PyGILState_Ensure");
  void (*release_gil)(int) = find<void(int)>("PyGILState_Release");
  Object* (*thread_state)() = find<Object*()>("PyGILState_GetThisThreadState");
  Object* (*frame_of)(Object*) = find<Object*(Object*)>("PyThreadState_GetFrame");
  Object* (*caller_of)(Object*) = find<Object*(Object*)>("PyFrame_GetBack");
  Object* (*code_of)(Object*) = find<Object*(Object*)>("PyFrame_GetCode");
  int (*line_of)(Object*) = find<int(Object*)>("PyFrame_GetLineNumber");
  Object* (*attribute_of)(Object*, const char*) =
      find<Object*(Object*, const char*)>("PyObject_GetAttrString");
  const char* (*text_of)(Object*) = find<const char*(Object*)>("PyUnicode_AsUTF8");
  void (*release)(Object*) = find<void(Object*)>("Py_DecRef");

  [[nodiscard]] bool is_usable() const {
    return is_initialized != nullptr && frame_of != nullptr && text_of != nullptr &&
           is_initialized() != 0 && thread_state() != nullptr;
  }
};

bool is_of_a_library(const std::string& file) {
  return file.find("/nccl/core/") != std::string::npos ||
         file.find("/skerry/") != std::string::npos ||
         file.find("/skerry_emulator/") != std::string::npos;
}

std::string line_of(const Python& python, Object* frame) {
  Object* const code = python.code_of(frame);
  Object* const file = python.attribute_of(code, "co_filename");
  const char* const text = file != nullptr ? python.text_of(file) : nullptr;
  std::string line;
  if (text != nullptr && !is_of_a_library(text)) {
    const std::string path = text;
    line = path.substr(path.rfind('/') + 1) + ":" + std::to_string(python.line_of(frame));
  }
  if (file != nullptr) python.release(file);
  python.release(code);
  return line;
}

}  // namespace

std::string python_line() {
  static const Python python;
  if (!python.is_usable()) return {};
  const int gil = python.acquire_gil();
  std::string line;
  Object* frame = python.frame_of(python.thread_state());
  while (frame != nullptr && line.empty()) {
    line = line_of(python, frame);
    Object* const caller = python.caller_of(frame);
    python.release(frame);
    frame = caller;
  }
  if (frame != nullptr) python.release(frame);
  python.release_gil(gil);
  return line;
}

}  // namespace skerry::emulation::nccl
