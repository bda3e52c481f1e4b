// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/gil.hpp"

#include <unistd.h>
#include <unwind.h>

namespace skerry::python {
namespace {

bool is_ending() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

/// True if this thread holds the GIL. PyGILState_Check always returns 1 once a subinterpreter
/// exists.
bool is_held() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  const PyThreadState* const running = PyThreadState_GetUnchecked();
#else
  const PyThreadState* const running = _PyThreadState_UncheckedGet();
#endif
  return running != nullptr && running == PyGILState_GetThisThreadState();
}

/// Does nothing while the interpreter finalizes: no other thread may run then.
void* release_gil() noexcept {
  if (is_ending() || !is_held()) return nullptr;
  threads_without_gil.add(1);
  return PyEval_SaveThread();
}

void acquire_gil(void* state) {
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
  threads_without_gil.add(-1);
}

}  // namespace

const OuterLock gil{.release = release_gil, .acquire = acquire_gil};

WithGil::WithGil() noexcept {
  // Fast path, at a third of the cost of PyGILState_Ensure.
  if (Py_IsInitialized() != 0 && is_held()) {
    is_held_ = true;
    return;
  }
  // After finalization, PyGILState_Check always returns 1.
  if (Py_IsInitialized() == 0 || (is_ending() && PyGILState_Check() == 0)) return;
  state_ = PyGILState_Ensure();
  is_held_ = is_taken_ = true;
}

}  // namespace skerry::python

// The linker substitutes this for the personality routine of all C++ code in the module, pybind11's
// included (--wrap in python/CMakeLists.txt). The unwinder calls it for each frame, innermost
// first, before it unwinds the frame. Otherwise destructors would run without the GIL, and a
// noexcept function on the stack would terminate the process.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class type,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class type,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  if ((actions & _UA_FORCE_UNWIND) != 0 && skerry::python::is_ending()) {
    for (;;) pause();
  }
  return __real___gxx_personality_v0(version, actions, type, exception, context);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
