// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/pending.hpp"

#include <structmember.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "device/outer_lock.hpp"
#include "ops/fuse/evaluation.hpp"
#include "ops/fuse/recording.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/profiled_call.hpp"
#include "python/bindings/recorded_calls.hpp"
#include "python/bindings/recording_lock.hpp"
#include "python/bindings/shared_objects.hpp"

namespace skerry::python {

namespace {

constinit Counter running_calls;  ///< for tests

/// Sleeps while another thread evaluates the recording.
void wait_a_little() {
  const WithoutOuterLock waiting;
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// Returns when no other thread evaluates the recording. Its lock must be held.
void wait_for_evaluation(const Recording& recording) {
  while (recording.is_evaluating() && !recording.is_evaluated_here()) wait_a_little();
}

/// Evaluates this thread's recording before it releases the GIL for long work: other threads may
/// request its pending values.
void evaluate_current() {
  Recording* const recording = Recording::current();
  if (recording == nullptr) return;
  const RecordingLock lock(*recording);
  if (!recording->is_evaluating()) recording->evaluate();
}

// Fused functions.

struct FusedFunction {
  PyObject_HEAD PyObject* function;
  PyObject* attributes;
  PyObject* weak_references;
  vectorcallfunc call;
};

/// Ends a call: evaluates the recording. An error of the call itself takes precedence over an error
/// of the evaluation.
PyObject* end_call(Recording& recording, PyObject* result) noexcept {
  running_calls.add(-1);
  const RecordingLock lock(recording);
  if (recording.end_at_once()) return result;
  const auto end = [&recording] {
    wait_for_evaluation(recording);
    recording.end();
    return true;
  };
  if (result == nullptr) {
    const ErrorAside error_scope;
    if (!translate_exceptions("fuse", end, false)) PyErr_Clear();
    return nullptr;
  }
  if (translate_exceptions("fuse", end, false)) return result;
  const ErrorAside error_scope;
  Py_DECREF(result);
  return nullptr;
}

PyObject* call_fused(PyObject* self, PyObject* const* args, std::size_t count, PyObject* keywords) {
  Recording& recording = Recording::begin();
  running_calls.add(1);
  PyObject* const function = reinterpret_cast<FusedFunction*>(self)->function;
  return end_call(recording, PyObject_Vectorcall(function, args, count, keywords));
}

PyTypeObject* fused_type = nullptr;

PyObject* make_fused(PyObject*, PyObject* function) {
  auto* const fused_function = reinterpret_cast<FusedFunction*>(PyType_GenericAlloc(fused_type, 0));
  if (fused_function == nullptr) return nullptr;
  fused_function->function = Py_NewRef(function);
  fused_function->call = call_fused;
  return reinterpret_cast<PyObject*>(fused_function);
}

/// For tests.
PyObject* count_fused_work(PyObject*, PyObject*) {
  return PyLong_FromLong(running_calls.value() + PendingValue::waiting_count());
}
PyObject* count_passes(PyObject*, PyObject*) {
  const auto [compiled, single, kernels] = fused_pass_counts();
  return Py_BuildValue("LLL", static_cast<long long>(compiled), static_cast<long long>(single),
                       static_cast<long long>(kernels));
}

/// Warns, but never raises, even if a filter turns warnings into errors: the result is correct.
void warn(const char* text) noexcept {
  const ErrorAside error_scope;
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "fuse: operations run unfused on CUDA devices: %s",
                       text) != 0) {
    PyErr_Clear();
  }
}

/// A callable that tests set, or null. What it replaces is never freed: another thread may be
/// calling it.
using Observer = std::atomic<PyObject*>;
constinit Observer monitor{nullptr};
constinit Observer alias_monitor{nullptr};
constinit EvaluationHooks hooks{.warn = warn};

void report_pass(const PassReport& pass) noexcept {
  add_fused_bytes(pass.moved);
  PyObject* const observer = monitor.load(std::memory_order_acquire);
  if (observer == nullptr) return;
  const ErrorAside error_scope;
  const bool done = translate_exceptions(
      [&] {
        const Object shape = tuple_of(pass.shape);
        const Object ignored(PyObject_CallFunction(
            observer, "LOLLOL", static_cast<long>(pass.operations), shape.get(),
            static_cast<long>(pass.moved), static_cast<long>(pass.moved_eager),
            pass.feeds_reduction ? Py_True : Py_False, static_cast<long>(pass.rows)));
        return true;
      },
      false);
  if (!done) PyErr_WriteUnraisable(observer);
}

void report_alias(const char* operation, const char* operand, bool is_imported) noexcept {
  PyObject* const observer = alias_monitor.load(std::memory_order_acquire);
  if (observer == nullptr) return;
  const ErrorAside error_scope;
  PyObject* const ignored =
      PyObject_CallFunction(observer, "ssO", operation, operand, is_imported ? Py_True : Py_False);
  if (ignored == nullptr) PyErr_WriteUnraisable(observer);
  Py_XDECREF(ignored);
}

void observe(Observer& observer, PyObject* callback) noexcept {
  observer.store(callback == Py_None ? nullptr : Py_NewRef(callback), std::memory_order_release);
}

PyObject* observe_aliases(PyObject*, PyObject* callback) {
  observe(alias_monitor, callback);
  hooks.observe_alias.store(callback == Py_None ? nullptr : report_alias);
  Py_RETURN_NONE;
}

constinit std::atomic<bool> is_profiled{false};

void update_pass_observer() noexcept {
  const bool observes = is_profiled.load() || monitor.load() != nullptr;
  hooks.observe_pass.store(observes ? report_pass : nullptr);
}

PyObject* observe_passes(PyObject*, PyObject* callback) {
  observe(monitor, callback);
  update_pass_observer();
  Py_RETURN_NONE;
}

/// For tests: exchange_min_recorded_bytes().
PyObject* exchange_recorded(PyObject*, PyObject* nbytes) {
  const long long min_nbytes = PyLong_AsLongLong(nbytes);
  if (min_nbytes == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return PyLong_FromLongLong(exchange_min_recorded_bytes(min_nbytes));
}
PyMethodDef module_functions[] = {
    {"fused_work", count_fused_work, METH_NOARGS,
     "fused_work($module, /)\n--\n\nThe number of running fused calls plus that of pending "
     "arrays."},
    {"fused_pass_counts", count_passes, METH_NOARGS,
     "fused_pass_counts($module, /)\n--\n\nOn devices with native kernels: the number of passes "
     "that ran as one compiled kernel, of passes that ran as a kernel for each operation, and of "
     "compiled kernels."},
    {"fused_function", make_fused, METH_O,
     "fused_function($module, function, /)\n--\n\nWrap a function so that its calls are recorded."},
    {"watch_passes", observe_passes, METH_O,
     "watch_passes($module, watcher, /)\n--\n\nCall watcher(operations, shape, moved, moved_eager, "
     "is_fed, rows) before each pass; None removes the watcher."},
    {"watch_aliases", observe_aliases, METH_O,
     "watch_aliases($module, watcher, /)\n--\n\nCall watcher(operation, operand, is_imported) "
     "when an operation is not recorded because the operand's memory may be written from outside; "
     "None removes the watcher."},
    {"least_recorded", exchange_recorded, METH_O,
     "least_recorded($module, nbytes, /)\n--\n\nSet the minimum result size for recording. "
     "Returns the previous value."},
};

int traverse_fused(PyObject* object, visitproc visit, void* arg) {
  const auto* self = reinterpret_cast<FusedFunction*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->attributes);
  return 0;
}
int clear_fused(PyObject* object) {
  auto* self = reinterpret_cast<FusedFunction*>(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->attributes);
  return 0;
}
void free_fused(PyObject* object) {
  PyObject_GC_UnTrack(object);
  if (reinterpret_cast<FusedFunction*>(object)->weak_references != nullptr) {
    PyObject_ClearWeakRefs(object);
  }
  clear_fused(object);
  PyTypeObject* const type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/// Binds like a function: as a class attribute it is a method.
PyObject* bind_fused(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

/// Pickles by name, like a function.
PyObject* reduce_fused(PyObject* self, PyObject*) {
  return PyObject_GetAttrString(self, "__qualname__");
}

PyMethodDef fused_methods[] = {
    {"__reduce__", reduce_fused, METH_NOARGS, "__reduce__($self, /)\n--\n\nThe name, for pickle."},
    {},
};
PyMemberDef fused_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(FusedFunction, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FusedFunction, weak_references), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FusedFunction, call), READONLY, nullptr},
    {},
};
PyGetSetDef fused_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {},
};

void make_fused_type() {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(free_fused)},
      {Py_tp_traverse, slot(traverse_fused)},
      {Py_tp_clear, slot(clear_fused)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_descr_get, slot(bind_fused)},
      {Py_tp_methods, fused_methods},
      {Py_tp_members, fused_members},
      {Py_tp_getset, fused_attributes},
      {Py_tp_doc, const_cast<char*>("A function whose calls are fused; created by skerry.fuse.")},
      {},
  };
  PyType_Spec spec{"skerry.FusedFunction", sizeof(FusedFunction), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC |
                       Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                   slots};
  PyObject* const type = Object(PyType_FromSpec(&spec)).release();
  stop_counting(type);
  fused_type = reinterpret_cast<PyTypeObject*>(type);
}

/// Calls `function` with the pending value of an array that was created pending, and with the lock
/// of its recording; with null if it has been computed.
template <class Function>
auto with_pending_value(ArrayObject* self, Function function) {
  PendingValue& pending = *self->pending.load(std::memory_order_acquire);
  while (!pending.is_delivered()) {
    const unsigned number = pending.recording_number();
    const RecordingLock lock(number);
    if (pending.is_delivered()) break;
    // Another thread has changed the array in place meanwhile.
    if (pending.recording_number() != number) continue;
    if (!pending.is_computed()) return function(&pending);
    self->value.set_memory(pending.take_memory());
    pending.mark_delivered();
  }
  return function(static_cast<PendingValue*>(nullptr));
}

constexpr EvaluationHooks::EvaluationObserver evaluation_profiler{begin_fused_range,
                                                                  end_fused_range};

}  // namespace

void profile_evaluations(bool is_on) noexcept {
  is_profiled.store(is_on);
  update_pass_observer();
  hooks.observe_evaluation.store(is_on ? &evaluation_profiler : nullptr);
}

void limit_recording(Recording& recording) noexcept {
  if (recording.size() < Recording::max_operations || recording.is_evaluating()) return;
  // On failure recording continues: the error is raised when a value is needed.
  const bool done = translate_exceptions([&] { return recording.evaluate(), true; }, false);
  if (!done) PyErr_Clear();
}

void evaluate_readers(const NdArray& target) {
  Recording* const recording = Recording::current();
  if (recording == nullptr) return;
  const RecordingLock lock(*recording);
  wait_for_evaluation(*recording);
  recording->evaluate_readers(target);
}

PendingValue* waiting_value(ArrayObject* self) noexcept {
  return with_pending_value(self, [](PendingValue* pending) { return pending; });
}

bool make_pending(ArrayObject* self, std::unique_ptr<PendingValue> value) noexcept {
  PendingValue* own_value = nullptr;
  if (self->pending.compare_exchange_strong(own_value, value.get(), std::memory_order_acq_rel)) {
    static_cast<void>(value.release());
    return true;
  }
  return own_value->replace(std::move(value));
}

void drop_pending(ArrayObject* self) noexcept {
  PendingValue* const pending = self->pending.exchange(nullptr, std::memory_order_relaxed);
  const RecordingLock lock(pending->recording_number());
  delete pending;
}

void compute_value(ArrayObject* self) {
  const OperationScope scope("fuse");
  const auto compute = [](const PendingValue* pending) {
    if (pending == nullptr) return false;
    Recording* const recording = pending->recording();
    if (recording == nullptr) {
      throw LibraryError("the array has no value, as its fused call failed; compute it again");
    }
    if (recording->is_evaluating() && !recording->is_evaluated_here()) {
      wait_a_little();
    } else {
      recording->evaluate();
    }
    return true;
  };
  while (with_pending_value(self, compute)) {
  }
}

void add_fuse(PyObject* module) {
  prepare_recording_locks();
  Recording::set_hooks(hooks);
  before_releasing_gil = evaluate_current;
  make_fused_type();
  for (PyMethodDef& definition : module_functions)
    add_function(module, &definition, private_module);
}

}  // namespace skerry::python
