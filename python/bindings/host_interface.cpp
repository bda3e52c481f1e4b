// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/host_interface.hpp"

#include <memory>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/interchange.hpp"
#include "device/storage_attachment.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/exported_memory.hpp"

namespace skerry::python {
namespace {

static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));

// Address of empty arrays: consumers reject a null pointer even for those.
alignas(16) char nothing[16];

void* address_of(const NdArray& array) {
  return array.size() == 0 ? static_cast<void*>(nothing) : array.data();
}

/// Returns the array if the host can access it, and may do so now; else null with an AttributeError
/// set, so that `hasattr` is False.
const NdArray* on_host(const char* name, PyObject* self) {
  const NdArray& array = target_of(self);
  if (is_host_accessible(array)) {
    make_ready_on_host(array);
    return &array;
  }
  PyErr_Format(PyExc_AttributeError,
               "%s: the array is on %s; copy it to the host first: x.to_device(\"cpu\")", name,
               to_string(array.device()).c_str());
  return nullptr;
}

/// ArrayStruct that keeps the memory exported while its capsule exists.
struct SharedStruct : ArrayStruct {
  explicit SharedStruct(const StorageRef& storage) noexcept : memory(storage) {}
  ExportedMemory memory;
};

void free_struct(PyObject* capsule) {
  auto* const about = static_cast<ArrayStruct*>(PyCapsule_GetPointer(capsule, nullptr));
  delete static_cast<SharedStruct*>(about);
  Py_DECREF(static_cast<PyObject*>(PyCapsule_GetContext(capsule)));
}

PyObject* get_array_struct(PyObject* self, void*) {
  return translate_exceptions([&]() -> PyObject* {
    const NdArray* array = on_host("__array_struct__", self);
    if (array == nullptr) return nullptr;
    const char* typestr = info(array->dtype()).typestr;
    auto about = std::make_unique<SharedStruct>(array->memory());
    about->rank = array->rank();
    about->kind = typestr[1];
    about->itemsize = static_cast<int>(array->itemsize());
    about->flags = flag_aligned | flag_native_order | flag_has_dtype;
    if (!array->read_only()) about->flags |= flag_writeable;
    about->shape = const_cast<Py_ssize_t*>(array->shape().data());
    about->strides = const_cast<Py_ssize_t*>(array->strides().data());
    about->data = address_of(*array);
    about->dtype = dtype_object(array->dtype());
    Object capsule(PyCapsule_New(static_cast<ArrayStruct*>(about.get()), nullptr, nullptr));
    // Shape and strides point into the array, so the capsule keeps it alive.
    if (PyCapsule_SetContext(capsule.get(), self) != 0 ||
        PyCapsule_SetDestructor(capsule.get(), free_struct) != 0) {
      return nullptr;
    }
    Py_INCREF(self);
    static_cast<void>(about.release());
    return capsule.release();
  });
}

PyObject* get_array_interface(PyObject* self, void*) {
  return translate_exceptions([&]() -> PyObject* {
    const NdArray* array = on_host("__array_interface__", self);
    if (array == nullptr) return nullptr;
    if (array->dtype() == Dtype::bfloat16) {
      PyErr_SetString(PyExc_AttributeError,
                      "__array_interface__: it has no type string for bfloat16; use numpy.asarray "
                      "or DLPack, or convert with x.astype(\"float32\")");
      return nullptr;
    }
    array->memory()->begin_export();  // never ended: the protocol does not report the end of use
    const char* typestr = info(array->dtype()).typestr;
    // Exports strides even if contiguous, where None is allowed: with None, Pillow would use the
    // buffer protocol, which Array lacks; with strides it calls tobytes().
    const Object strides = tuple_of(array->strides());
    return Py_BuildValue(
        "{s:N,s:s,s:[(ss)],s:(NN),s:O,s:i}", "shape", tuple_of(array->shape()).release(), "typestr",
        typestr, "descr", "", typestr, "data", PyLong_FromVoidPtr(address_of(*array)),
        PyBool_FromLong(array->read_only()), "strides", strides.get(), "version", 3);
  });
}

PyGetSetDef host_attributes[] = {
    {"__array_interface__", get_array_interface, nullptr,
     "NumPy's array interface, version 3, of an array on a CPU device or in managed memory; else "
     "AttributeError.",
     nullptr},
    {"__array_struct__", get_array_struct, nullptr,
     "NumPy's array interface as a C structure, with which numpy.asarray shares the memory of an "
     "array on a CPU device or in managed memory; else AttributeError.",
     nullptr},
    {},
};

void require_host(const NdArray& array) {
  if (is_host_accessible(array)) return;
  throw TypeError("an array on " + to_string(array.device()) +
                  " is not copied to the host implicitly; copy it first: x.to_device(\"cpu\")");
}

}  // namespace

bool is_host_accessible(const NdArray& array) noexcept {
  return capabilities_of(array.device()).host_memory || is_managed(*array.memory());
}

void make_ready_on_host(const NdArray& array) {
  if (is_managed(*array.memory())) skerry::make_ready_on_host(array.memory());
}

PyObject* to_numpy(PyObject* self, PyObject* dtype, PyObject* copied) {
  require_host(value_of(self));
  // numpy.array finds __array_struct__ before __array__.
  const Object function(PyObject_GetAttrString(numpy(), "array"));
  const Object positional(PyTuple_Pack(1, self));
  const Object keywords(Py_BuildValue("{s:O,s:O}", "dtype", dtype, "copy", copied));
  return PyObject_Call(function.get(), positional.get(), keywords.get());
}

PyObject* to_bytes(PyObject* self) {
  require_host(value_of(self));
  const Object view(PyObject_CallMethod(numpy(), "asarray", "O", self));
  return PyObject_CallMethod(view.get(), "tobytes", nullptr);
}

void add_host_interface(PyTypeObject* type) {
  for (PyGetSetDef* attribute = host_attributes; attribute->name != nullptr; ++attribute) {
    const Object descriptor(PyDescr_NewGetSet(type, attribute));
    set_attribute(reinterpret_cast<PyObject*>(type), attribute->name, descriptor);
  }
}

}  // namespace skerry::python
