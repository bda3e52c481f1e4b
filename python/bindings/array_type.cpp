// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/array_type.hpp"

#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "device/interchange.hpp"
#include "device/storage_attachment.hpp"
#include "device/transfer.hpp"
#include "ops/create/create.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "python/bindings/call_sites.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/exported_memory.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/free_objects.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/shared_objects.hpp"

namespace skerry::python {

PyTypeObject* array_type = nullptr;

namespace {

// Garbage collection. Only arrays whose memory a Python object owns are tracked, as that object may
// refer back to the array. Other arrays pay nothing.
//
// The storage has the one reference to the owner, and arrays share the storage. The collector
// subtracts one from the owner's reference count for each reported reference, so exactly one array
// reports: the first, to which all others hold a reference. It reports only while the storage is
// referenced by arrays alone: a DLPack capsule, for example, keeps the owner alive invisibly to the
// collector. It does not report while a thread runs without the GIL: such a thread takes and drops
// temporary references to the storage, and reports must not change within one collection.
//
// Like tuple, the type has no tp_clear: an array's references never change, so every cycle contains
// another object that closed it and can be cleared.

#ifdef Py_GIL_DISABLED

// Another thread may be freeing the representative, so it is known by a weak reference. A lock
// guards the sharers of all memories.
PyMutex sharers_mutex{};

class SharersLock {
 public:
  SharersLock() noexcept { PyMutex_Lock(&sharers_mutex); }
  SharersLock(const SharersLock&) = delete;
  SharersLock& operator=(const SharersLock&) = delete;
  ~SharersLock() { PyMutex_Unlock(&sharers_mutex); }
};

/// Returns a new reference, or null.
PyObject* representative_of(const ForeignOwnership::Sharers& arrays) noexcept {
  auto* const weak = static_cast<PyObject*>(arrays.representative);
  PyObject* array = nullptr;
  if (weak != nullptr) static_cast<void>(PyWeakref_GetRef(weak, &array));
  return array;
}

void set_representative(ForeignOwnership::Sharers& arrays, ArrayObject* self) noexcept {
  Py_XDECREF(static_cast<PyObject*>(arrays.representative));
  arrays.representative = nullptr;
  if (self == nullptr) return;
  arrays.representative = PyWeakref_NewRef(reinterpret_cast<PyObject*>(self), nullptr);
  // Out of memory: no array reports, so the collector does not free a cycle of the owner.
  if (arrays.representative == nullptr) PyErr_Clear();
}

#else

class SharersLock {
 public:
  SharersLock() noexcept {}  // NOLINT(modernize-use-equals-default): trivial, it would be unused
};

PyObject* representative_of(const ForeignOwnership::Sharers& arrays) noexcept {
  return Py_XNewRef(static_cast<PyObject*>(arrays.representative));
}
void set_representative(ForeignOwnership::Sharers& arrays, ArrayObject* self) noexcept {
  arrays.representative = self;
}

#endif

/// Registers an array of foreign memory with the collector if a Python object owns the memory.
void begin_tracking(ArrayObject* self) {
  ForeignOwnership& ownership = *foreign_ownership(*self->value.memory());
  if (python_owner(ownership) == nullptr) return;
  ForeignOwnership::Sharers& arrays = ownership.sharers;
  {
    const SharersLock lock;
    ++arrays.count;
    self->reporter = representative_of(arrays);
    if (self->reporter == nullptr) set_representative(arrays, self);
  }
  PyObject_GC_Track(self);
}

/// Returns the owned reference to the reporter, or null if there is none.
PyObject* end_tracking(ArrayObject* self) {
  if (PyObject_GC_IsTracked(reinterpret_cast<PyObject*>(self)) == 0) return nullptr;
  PyObject_GC_UnTrack(self);
  ForeignOwnership::Sharers& arrays = foreign_ownership(*self->value.memory())->sharers;
  const SharersLock lock;
  --arrays.count;
  // The representative has no reporter. All others keep it, so it is the last one; but without the
  // GIL, a new array may have replaced one that is being freed.
  if (self->reporter == nullptr && arrays.count == 0) set_representative(arrays, nullptr);
  return self->reporter;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  const auto* self = reinterpret_cast<ArrayObject*>(object);
  Py_VISIT(Py_TYPE(object));
  // gc.get_referents() also calls this for untracked arrays, whose `reporter` is not initialized.
  if (PyObject_GC_IsTracked(object) == 0) return 0;
  Py_VISIT(self->reporter);
  if (self->reporter != nullptr || threads_without_gil.value() != 0) return 0;
  const Storage& memory = *self->value.memory();
  const ForeignOwnership& ownership = *foreign_ownership(memory);
  if (memory.references() == ownership.sharers.count) Py_VISIT(python_owner(ownership));
  return 0;
}

void deallocate(PyObject* object) {
  auto* self = reinterpret_cast<ArrayObject*>(object);
  PyObject* reporter = nullptr;
  if (is_foreign(*self->value.memory())) [[unlikely]]
    reporter = end_tracking(self);
  if (self->pending.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    drop_pending(self);
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  PyTypeObject* type = Py_TYPE(object);
  self->value.~NdArray();
  delete[] self->element_strides.load(std::memory_order_relaxed);
  keep_free_object(self);
  Py_DECREF(type);
  Py_XDECREF(reporter);
}

PyObject* get_dtype(PyObject* self, void*) {
  return translate_exceptions([&] { return Py_NewRef(dtype_object(header_of(self).dtype())); });
}
PyObject* get_device(PyObject* self, void*) {
  return translate_exceptions([&] { return Py_NewRef(device_object(header_device(self))); });
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(header_of(self).rank()); }
PyObject* get_shape(PyObject* self, void*) {
  return translate_exceptions([&] { return tuple_of(header_of(self).shape()).release(); });
}
/// Rejects the assignment of a shape, which NumPy 2.5 deprecates: a call in another thread may be
/// reading the array, and a library that borrowed it may have kept the address of the shape.
int set_shape(PyObject*, PyObject*, void*) {
  PyErr_SetString(PyExc_AttributeError,
                  "shape: an array keeps its shape; write x = x.reshape(shape), which shares the "
                  "memory where that is possible");
  return -1;
}
PyObject* get_strides(PyObject* self, void*) {
  return translate_exceptions([&] { return tuple_of(header_of(self).strides()).release(); });
}
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(header_of(self).size()); }
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromLongLong(header_of(self).itemsize());
}
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(header_of(self).nbytes());
}
PyObject* get_transpose(PyObject* self, void*) {
  return translate_exceptions("T", [&] { return wrap(transpose(value_of(self))); });
}
PyObject* get_matrix_transpose(PyObject* self, void*) {
  return translate_exceptions("mT", [&] { return wrap(matrix_transpose(value_of(self))); });
}

PyObject* get_real(PyObject* self, void*) {
  return translate_exceptions("real", [&]() -> PyObject* {
    const NdArray& x = value_of(self);
    return real_part(x.dtype()) == x.dtype() ? Py_NewRef(self) : wrap(part_of(x, false));
  });
}
PyObject* get_imag(PyObject* self, void*) {
  return translate_exceptions("imag", [&] { return wrap(part_of(value_of(self), true)); });
}

/// Implements x.real = value and x.imag = value.
template <bool Imaginary>
int set_part(PyObject* self, PyObject* value, void*) {
  return translate_exceptions(
      Imaginary ? "imag" : "real",
      [&] {
        const NdArray& x = value_of(self);
        if (value == nullptr) throw TypeError("the attribute can't be deleted");
        if (Imaginary && real_part(x.dtype()) == x.dtype()) {
          throw DtypeError("a real array has no imaginary part to set: " + describe(x));
        }
        const Object component(Imaginary ? get_imag(self, nullptr) : get_real(self, nullptr));
        if (PyObject_SetItem(component.get(), Py_Ellipsis, value) != 0) throw PythonError{};
        return 0;
      },
      -1);
}

PyGetSetDef attributes[] = {
    {"T", get_transpose, nullptr, "The transpose of a matrix, a view. ValueError unless 2-D.",
     nullptr},
    {"device", get_device, nullptr, "The Device of the array.", nullptr},
    {"dtype", get_dtype, nullptr, "The numpy.dtype of the elements.", nullptr},
    {"imag", get_imag, set_part<true>,
     "The imaginary parts: a view of a complex array; read-only zeros for a real array.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"mT", get_matrix_transpose, nullptr,
     "The array with its last two axes exchanged, a view. ValueError below 2-D.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
    {"real", get_real, set_part<false>,
     "The real parts: a view of a complex array; a real array itself.", nullptr},
    {"shape", get_shape, set_shape, "The number of elements along each axis.", nullptr},
    {"size", get_size, nullptr, "The number of elements.", nullptr},
    {"strides", get_strides, nullptr, "Bytes from one element to the next along each axis.",
     nullptr},
    {},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
    {},
};

constexpr const char* type_doc =
    "Array(shape, dtype=None, buffer=None, offset=0, strides=None, order=None, *, device=None)\n"
    "--\n\n"
    "An array on one device, as defined by the Python array API standard 2025.12.\n\n"
    "Created by asarray, zeros, arange and the other creation functions, or with uninitialized\n"
    "elements by this class, as numpy.ndarray. An operation returns its result on the device of\n"
    "its arguments. Mixing arrays on different devices raises DeviceMismatchError; copy them to\n"
    "one device with to_device().\n\n"
    "Parameters\n----------\n"
    "shape : int or tuple of ints\n"
    "dtype : dtype, optional\n    float64 by default.\n"
    "buffer : buffer, optional\n    Memory of the host to use, of at least the size of the array.\n"
    "offset : int\n    Position of the first element in buffer, in bytes.\n"
    "strides : None\n    Not supported; use views.\n"
    "order : {'C', 'F'}, optional\n    Memory order.\n"
    "device : Device or str, optional\n    The default device by default.";

/// Creates an array, as numpy.ndarray does.
PyObject* construct(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return translate_exceptions([&] {
    const Object function = package_function("skerry._array_attributes", "ndarray");
    return PyObject_Call(function.get(), args, kwargs);
  });
}

void append(std::vector<PyType_Slot>& all, const PyType_Slot* some) {
  for (; some->slot != 0; ++some) all.push_back(*some);
}

/// Out of line, so that the successful path of callers sets up no stack frame for it.
[[noreturn, gnu::noinline, gnu::cold]] void reject_argument(const char* argument,
                                                            const char* expected,
                                                            PyObject* object) {
  throw TypeError(std::string(argument) + " must be " + expected + ", not " +
                  Py_TYPE(object)->tp_name + "; convert it with skerry.asarray");
}

}  // namespace

Object tuple_of(const Dims& values) {
  Object tuple(PyTuple_New(values.rank()));
  for (int i = 0; i < values.rank(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Object(PyLong_FromLongLong(values[i])).release());
  }
  return tuple;
}

ArrayObject* new_object() {
  if (ArrayObject* const self = take_free_object()) {
    // As PyObject_Init, which would set the type again.
    Py_INCREF(array_type);
    _Py_NewReference(reinterpret_cast<PyObject*>(self));
    return self;
  }
  ArrayObject* const self = PyObject_GC_New(ArrayObject, array_type);
  if (self == nullptr) throw PythonError{};
  new (&self->pending)
      std::atomic<PendingValue*>(nullptr);  // already null for objects from the free list
  return self;
}

void drop_object(ArrayObject* self) noexcept {
  keep_free_object(self);
  Py_DECREF(array_type);
}

PyObject* finish_object(ArrayObject* self) noexcept {
  self->weak_references = nullptr;
  self->element_strides.store(nullptr, std::memory_order_relaxed);
  if (is_foreign(*self->value.memory())) [[unlikely]]
    begin_tracking(self);
  if (new_array_namer.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    note_new_array(self->value);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap(NdArray&& value) {
  ArrayObject* const self = new_object();
  new (&self->value) NdArray(std::move(value));
  return finish_object(self);
}

PyObject* wrap(PendingArray&& array) {
  PyObject* const object = wrap(std::move(array.header));
  if (array.value == nullptr) return object;
  static_cast<void>(  // no other thread has the object yet
      make_pending(reinterpret_cast<ArrayObject*>(object), std::move(array.value)));
  // The collector may have run, and a finalizer may have evaluated the recording.
  if (PendingValue* const pending = pending_of(object)) {
    if (Recording* const recording = pending->recording()) limit_recording(*recording);
  }
  return object;
}

std::int64_t* element_strides(PyObject* array) {
  auto* self = reinterpret_cast<ArrayObject*>(array);
  const NdArray& value = self->value;
  std::int64_t* cached = self->element_strides.load(std::memory_order_acquire);
  if (cached != nullptr || value.rank() == 0) return cached;
  auto strides = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(value.rank()));
  for (int axis = 0; axis < value.rank(); ++axis) {
    strides[static_cast<std::size_t>(axis)] = value.strides()[axis] / value.itemsize();
  }
  // Another thread may have been faster.
  if (self->element_strides.compare_exchange_strong(cached, strides.get(),
                                                    std::memory_order_acq_rel)) {
    return strides.release();
  }
  return cached;
}

PyObject* wrap_all(std::vector<NdArray>&& values) {
  Object tuple(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(std::move(values[i])));
  }
  return tuple.release();
}

PyObject* named_tuple_type(const char* module, const char* name, const char* fields) {
  const Object make = package_function("collections", "namedtuple");
  const Object args(Py_BuildValue("(ss)", name, fields));
  const Object keywords(Py_BuildValue("{ss}", "module", module));
  return Object(PyObject_Call(make.get(), args.get(), keywords.get())).release();
}

PyObject* named_tuple(PyObject* type, std::vector<NdArray>&& arrays) {
  const Object items(wrap_all(std::move(arrays)));
  return Object(PyObject_CallObject(type, items.get())).release();
}

const NdArray& require_array(const char* argument, PyObject* object) {
  if (is_array(object)) return value_of(object);
  reject_argument(argument, "a skerry.Array", object);
}

std::span<PyObject* const> items_of(PyObject* tuple) {
  const Py_ssize_t count = PyTuple_Size(tuple);
  if (count < 0) throw PythonError{};
  return {PySequence_Fast_ITEMS(tuple), static_cast<std::size_t>(count)};
}

bool are_arrays_of_one_device(std::span<PyObject* const> values) noexcept {
  return std::ranges::all_of(values, [&](PyObject* value) {
    return is_array(value) && header_device(value) == header_device(values[0]);
  });
}

bool agree(std::span<PyObject* const> values) noexcept {
  return !values.empty() && are_arrays_of_one_device(values) &&
         std::ranges::all_of(values, [&](PyObject* value) {
           return header_of(value).dtype() == header_of(values[0]).dtype();
         });
}

void reject_operand(const char* argument, PyObject* object) {
  reject_argument(argument, "a skerry.Array or a Python scalar", object);
}

void require_operand(PyObject* object, Operand& operand, Scalar& scalar_value) {
  const Parsed result = parse_operand(object, operand, scalar_value);
  if (result == Parsed::error) throw PythonError{};
  if (result == Parsed::no) reject_operand(operand.name, object);
}

bool shapes_differ(std::span<const Operand> operands) noexcept {
  const NdArray* first = nullptr;
  for (const Operand& operand : operands) {
    if (operand.array == nullptr || operand.array->size() <= 1) continue;
    if (first == nullptr) first = operand.array;
    if (operand.array->shape() != first->shape()) return true;
  }
  return false;
}

NdArray part_of(const NdArray& x, bool imaginary) {
  const Dtype type = real_part(x.dtype());
  if (type == x.dtype()) return zeros_like(x).read_only_view();
  Layout layout = x.layout();
  if (imaginary && x.size() > 0) layout.offset += itemsize(type);
  return {x.memory(), std::move(layout), type, x.read_only()};
}

Element read_element(const NdArray& array) {
  Element value;
  if (is_host(array.device())) {
    std::memcpy(value.bytes, array.data(), static_cast<std::size_t>(array.itemsize()));
    return value;
  }
  const WithoutGil waiting(true);
  read_bytes(value.bytes, array.memory(), static_cast<std::size_t>(array.layout().offset),
             static_cast<std::size_t>(array.itemsize()));
  return value;
}

Object scalar_of(PyObject* array, const char* remedy) {
  const NdArray& x = value_of(array);
  if (x.rank() == 0) return Object(to_python(read_element(x), x.dtype()));
  throw TypeError("only a 0-d array converts to a scalar, not " + describe(x) + remedy);
}

void prepare_array_type(PyObject* module) {
  prepare_iterator_type();
  prepare_data_type();
  std::vector<PyType_Slot> slots{
      {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_getset, attributes},
      {Py_tp_members, members},
      {Py_tp_methods, array_methods()},
      {Py_tp_repr, reinterpret_cast<void*>(represent)},
      {Py_tp_doc, const_cast<char*>(type_doc)},
      {Py_tp_new, reinterpret_cast<void*>(construct)},
  };
  append(slots, number_slots);
  append(slots, indexing_slots);
  slots.push_back({});
  PyType_Spec spec{"skerry.Array", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                   slots.data()};
  Object type(PyType_FromSpec(&spec));
  array_type = reinterpret_cast<PyTypeObject*>(type.get());
  add_call_sites(array_type);
  add_host_interface(array_type);
  add_numpy_protocols(module, array_type);
  for (PyGetSetDef* attribute = numpy_attributes; attribute->name != nullptr; ++attribute) {
    const Object descriptor(PyDescr_NewGetSet(array_type, attribute));
    set_attribute(type.get(), attribute->name, descriptor);
  }
  add_interchange(array_type);
  add_exchange_table(array_type);
  prepare_protocol();
  add_to_module(module, "Array", type);
  stop_counting(type.get());
  static_cast<void>(type.release());
}

}  // namespace skerry::python
