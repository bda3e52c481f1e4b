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

/// Whether this thread holds it. PyGILState_Check would say yes to everybody once there is a
/// subinterpreter.
bool is_held() noexcept {
#if PY_VERSION_HEX >= 0x030d0000
  const PyThreadState* const running = PyThreadState_GetUnchecked();
#else
  const PyThreadState* const running = _PyThreadState_UncheckedGet();
#endif
  return running != nullptr && running == PyGILState_GetThisThreadState();
}

/// At the end of the interpreter other threads do not run any more.
void* release_gil() noexcept {
  if (is_ending() || !is_held()) return nullptr;
  ++threads_without_gil;
  return PyEval_SaveThread();
}

void acquire_gil(void* state) {
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
  --threads_without_gil;
}

}  // namespace

const OuterLock gil{.release = release_gil, .acquire = acquire_gil};

WithGil::WithGil() noexcept {
  // The ordinary case, at a third of the cost.
  if (Py_IsInitialized() != 0 && is_held()) {
    is_held_ = true;
    return;
  }
  // Once Python is gone, PyGILState_Check says yes to everybody.
  if (Py_IsInitialized() == 0 || (is_ending() && PyGILState_Check() == 0)) return;
  state_ = PyGILState_Ensure();
  is_held_ = is_taken_ = true;
}

}  // namespace skerry::python

// The linker puts this in the place of the personality routine of all C++ code in the module
// (python/CMakeLists.txt), pybind11's too. The unwinder asks it about each frame, the innermost
// first, and before anything of that frame is unwound: destructors would run without the GIL, and a
// noexcept function on the way would end the process.
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
