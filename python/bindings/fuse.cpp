// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/pending.hpp"

#include <structmember.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "device/outer_lock.hpp"
#include "ops/fuse/evaluation.hpp"
#include "ops/fuse/recording.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/function_table.hpp"
#include "python/bindings/recorded_calls.hpp"

namespace skerry::python {

PyTypeObject* pending_type = nullptr;

namespace {

void change_type(PyObject* self, PyTypeObject* to) noexcept {
  PyTypeObject* const from = Py_TYPE(self);
  Py_INCREF(reinterpret_cast<PyObject*>(to));
  Py_SET_TYPE(self, to);
  Py_DECREF(reinterpret_cast<PyObject*>(from));
}

void take_value(void* holder, NdArray&& value) noexcept {
  auto* const self = static_cast<ArrayObject*>(holder);
  self->value = std::move(value);
  change_type(reinterpret_cast<PyObject*>(self), array_type);
  --fused_work;
}

/// Another thread evaluates.
void wait_a_little() {
  const WithoutOuterLock waiting;
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// Long work goes on without the GIL: nothing of this thread may be pending then, as other threads
/// may ask for it.
void evaluate_own() {
  Recording* const own = Recording::current();
  if (own == nullptr || own->is_evaluating()) return;
  own->evaluate();
}

// Fused functions.

struct FusedFunction {
  PyObject_HEAD PyObject* function;
  PyObject* attributes;
  PyObject* weak_references;
  vectorcallfunc call;
};

/// The end of a call. What failed has its own error, which that of an evaluation does not replace.
PyObject* end_call(Recording& own, PyObject* result) noexcept {
  --fused_work;
  if (own.end_at_once()) return result;
  const auto end = [&own] {
    while (own.is_evaluating() && !own.is_evaluated_here()) wait_a_little();
    own.end();
    return true;
  };
  if (result == nullptr) {
    const ErrorAside kept;
    if (!guarded(end, false)) PyErr_Clear();
    return nullptr;
  }
  if (guarded(end, false)) return result;
  const ErrorAside kept;
  Py_DECREF(result);
  return nullptr;
}

PyObject* call_fused(PyObject* self, PyObject* const* args, std::size_t count, PyObject* keywords) {
  Recording& own = Recording::begin();
  ++fused_work;
  PyObject* const function = reinterpret_cast<FusedFunction*>(self)->function;
  return end_call(own, PyObject_Vectorcall(function, args, count, keywords));
}

PyTypeObject* fused_type = nullptr;

PyObject* make_fused(PyObject*, PyObject* function) {
  auto* const made = reinterpret_cast<FusedFunction*>(PyType_GenericAlloc(fused_type, 0));
  if (made == nullptr) return nullptr;
  made->function = Py_NewRef(function);
  made->call = call_fused;
  return reinterpret_cast<PyObject*>(made);
}

/// For tests: fused_work.
PyObject* count_fused_work(PyObject*, PyObject*) { return PyLong_FromLong(fused_work); }
PyObject* count_passes(PyObject*, PyObject*) {
  const auto [compiled, single, kernels] = fused_pass_counts();
  return Py_BuildValue("LLL", static_cast<long long>(compiled), static_cast<long long>(single),
                       static_cast<long long>(kernels));
}

/// The result is right all the same: a filter that makes errors of warnings gets none.
void warn(const char* text) noexcept {
  const ErrorAside kept;
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                       "fuse: operations run one by one on CUDA devices: %s", text) != 0) {
    PyErr_Clear();
  }
}

EvaluationHooks hooks = {.settled = take_value, .say = warn};
PyObject* watcher = nullptr;  ///< a callable

void tell_watcher(const PassReport& pass) noexcept {
  const ErrorAside kept;
  const bool done = guarded(
      [&] {
        const Object shape = tuple_of(pass.shape);
        const Object ignored(PyObject_CallFunction(
            watcher, "LOLLOL", static_cast<long>(pass.operations), shape.get(),
            static_cast<long>(pass.moved), static_cast<long>(pass.moved_eager),
            pass.is_fed ? Py_True : Py_False, static_cast<long>(pass.rows)));
        return true;
      },
      false);
  if (!done) PyErr_WriteUnraisable(watcher);
}

PyObject* watch_passes(PyObject*, PyObject* with) {
  Py_XSETREF(watcher, with == Py_None ? nullptr : Py_NewRef(with));
  hooks.watch = watcher == nullptr ? nullptr : tell_watcher;
  Recording::set_hooks(hooks);
  Py_RETURN_NONE;
}

/// For tests: exchange_least_recorded().
PyObject* exchange_recorded(PyObject*, PyObject* nbytes) {
  const long long asked = PyLong_AsLongLong(nbytes);
  if (asked == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return PyLong_FromLongLong(exchange_least_recorded(asked));
}
PyMethodDef module_functions[] = {
    {"fused_work", count_fused_work, METH_NOARGS,
     "fused_work($module, /)\n--\n\nHow many fused calls run, and pending arrays there are."},
    {"fused_pass_counts", count_passes, METH_NOARGS,
     "fused_pass_counts($module, /)\n--\n\nOn devices with native kernels: how many passes ran as "
     "one kernel of their own, how many by one for each operation, and how many kernels there "
     "were."},
    {"fused_function", make_fused, METH_O,
     "fused_function($module, function, /)\n--\n\nThe function, whose calls are recorded."},
    {"watch_passes", watch_passes, METH_O,
     "watch_passes($module, watcher, /)\n--\n\nCalls watcher(operations, shape, moved, "
     "moved_eager, "
     "is_fed, rows) before each pass; None ends it."},
    {"least_recorded", exchange_recorded, METH_O,
     "least_recorded($module, nbytes, /)\n--\n\nFrom what size of a result on calls are recorded. "
     "Returns what it was."},
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

/// As a method: bound to the object.
PyObject* bind_fused(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

/// Pickled by its name, as a function is.
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
      {Py_tp_doc, const_cast<char*>("A function whose calls are recorded; skerry.fuse makes it.")},
      {},
  };
  PyType_Spec spec{"skerry.FusedFunction", sizeof(FusedFunction), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC |
                       Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                   slots};
  fused_type = reinterpret_cast<PyTypeObject*>(Object(PyType_FromSpec(&spec)).release());
}

// The class of pending arrays: Array's slots that ask for the value settle it first, and then ask
// what is an Array by then.

PyObject* known_attributes = nullptr;  ///< that need no value, or are recorded

bool settled(PyObject* self) noexcept { return settle_all(&self, 1); }

PyObject* pending_attribute(PyObject* self, PyObject* name) {
  const int is_known = PySet_Contains(known_attributes, name);
  if (is_known < 0) return nullptr;
  if (is_known == 0 && !settled(self)) return nullptr;
  if (is_known != 0 && PyUnicode_CompareWithASCIIString(name, "__class__") == 0) {
    return Py_NewRef(reinterpret_cast<PyObject*>(array_type));
  }
  return PyObject_GenericGetAttr(self, name);
}
int set_pending_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return settled(self) ? PyObject_GenericSetAttr(self, name, value) : -1;
}
PyObject* pending_item(PyObject* self, PyObject* key) {
  return settled(self) ? PyObject_GetItem(self, key) : nullptr;
}
int set_pending_item(PyObject* self, PyObject* key, PyObject* value) {
  if (!settled(self)) return -1;
  return value == nullptr ? PyObject_DelItem(self, key) : PyObject_SetItem(self, key, value);
}
Py_ssize_t pending_length(PyObject* self) { return settled(self) ? PyObject_Size(self) : -1; }
PyObject* pending_at(PyObject* self, Py_ssize_t index) {
  return settled(self) ? PySequence_GetItem(self, index) : nullptr;
}
int pending_truth(PyObject* self) { return settled(self) ? PyObject_IsTrue(self) : -1; }
PyObject* pending_matmul(PyObject* self, PyObject* other) {
  return settled(self) ? PyNumber_InPlaceMatrixMultiply(self, other) : nullptr;
}
template <PyObject* (*Of)(PyObject*)>
PyObject* pending_by(PyObject* self) {
  return settled(self) ? Of(self) : nullptr;
}

PyType_Slot pending_slots[] = {
    {Py_tp_getattro, slot(pending_attribute)},
    {Py_tp_setattro, slot(set_pending_attribute)},
    {Py_tp_repr, slot(pending_by<PyObject_Repr>)},
    {Py_tp_str, slot(pending_by<PyObject_Str>)},
    {Py_tp_iter, slot(pending_by<PyObject_GetIter>)},
    {Py_mp_subscript, slot(pending_item)},
    {Py_mp_ass_subscript, slot(set_pending_item)},
    {Py_mp_length, slot(pending_length)},
    {Py_sq_length, slot(pending_length)},
    {Py_sq_item, slot(pending_at)},
    {Py_nb_bool, slot(pending_truth)},
    {Py_nb_float, slot(pending_by<PyNumber_Float>)},
    {Py_nb_int, slot(pending_by<PyNumber_Long>)},
    {Py_nb_index, slot(pending_by<PyNumber_Index>)},
    {Py_nb_inplace_matrix_multiply, slot(pending_matmul)},
    {},
};

void make_pending_type() {
  constexpr const char* names[] = {
      "dtype", "device",   "shape",  "ndim", "size",      "nbytes",    "strides",
      "clip",  "itemsize", "astype", "conj", "conjugate", "__class__", "__array_namespace__",
      "all",   "any",      "max",    "mean", "min",       "prod",      "std",
      "sum",   "var"};
  Object known(PyFrozenSet_New(nullptr));
  for (const char* each : names) {
    const Object name(PyUnicode_InternFromString(each));
    if (PySet_Add(known.get(), name.get()) != 0) throw PythonError{};
  }
  known_attributes = known.release();
  std::vector<PyType_Slot> slots(std::begin(pending_slots), std::end(pending_slots) - 1);
  for (const int own : {Py_tp_dealloc, Py_tp_traverse}) {
    slots.push_back({own, PyType_GetSlot(array_type, own)});
  }
  slots.push_back({});
  PyType_Spec spec{"skerry.Array", sizeof(ArrayObject), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC,
                   slots.data()};
  // Nobody else makes a class of it: an array is found by its type.
  array_type->tp_flags |= Py_TPFLAGS_BASETYPE;
  const Object bases(PyTuple_Pack(1, array_type));
  Object type(PyType_FromSpecWithBases(&spec, bases.get()));
  array_type->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  pending_type = reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace

bool begin_pending(ArrayObject* self) noexcept {
  PendingMemory* const memory = pending_of(self->value);
  if (memory == nullptr) return false;
  memory->holder = self;
  if (!is_pending(reinterpret_cast<PyObject*>(self))) {
    change_type(reinterpret_cast<PyObject*>(self), pending_type);
    ++fused_work;
  }
  Recording* const by = memory->by();
  if (by->size() >= Recording::most_operations && !by->is_evaluating()) {
    // Where it fails the record goes on: who needs a value is told.
    const bool done = guarded([&] { return by->evaluate(), true; }, false);
    if (!done) PyErr_Clear();
  }
  return true;
}

void end_pending(PyObject* self) noexcept {
  if (is_pending(self)) --fused_work;
}

bool settle(PyObject* from) {
  if (!is_pending(from)) return false;
  while (is_pending(from)) {
    Recording* const by = pending_of(header_of(from))->by();
    if (by == nullptr) {
      throw LibraryError("fuse: an array of a call that failed has no value; make it again");
    }
    if (by->is_evaluating() && !by->is_evaluated_here()) {
      wait_a_little();
    } else {
      by->evaluate();
    }
  }
  return true;
}

bool settle_all(PyObject* const* objects, Py_ssize_t count) noexcept {
  return guarded(
      [&] {
        for (Py_ssize_t i = 0; i < count; ++i) settle(objects[i]);
        return true;
      },
      false);
}

void add_fuse(PyObject* module) {
  Recording::set_hooks(hooks);
  before_leaving_gil = evaluate_own;
  make_pending_type();
  make_fused_type();
  for (PyMethodDef& each : module_functions) add_function(module, &each, private_home);
}

}  // namespace skerry::python
