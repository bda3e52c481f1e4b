// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/dlpack.hpp"

#include <memory>
#include <string>

#include "core/errors.hpp"
#include "device/stream.hpp"
#include "ops/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"

namespace skerry::python {
namespace {

using namespace dlpack;

data_type code_of(dtype type) {
  type_code code = type_code::boolean;
  switch (kind(type)) {
    case dtype_kind::boolean:
      break;
    case dtype_kind::signed_integer:
      code = type_code::signed_integer;
      break;
    case dtype_kind::unsigned_integer:
      code = type_code::unsigned_integer;
      break;
    case dtype_kind::real_floating:
      code = type_code::real;
      break;
    case dtype_kind::complex_floating:
      code = type_code::complex;
      break;
  }
  return {code, static_cast<std::uint8_t>(8 * itemsize(type)), 1};
}

dtype dtype_of_code(const char* op, data_type type) {
  for (int i = 0; i < dtype_count; ++i) {
    const data_type own = code_of(static_cast<dtype>(i));
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1) {
      return static_cast<dtype>(i);
    }
  }
  throw interchange_error(std::string(op) + ": no dtype of the standard: DLPack type code " +
                          std::to_string(static_cast<int>(type.code)) + " of " +
                          std::to_string(type.bits) + " bits");
}

device_id id_of(const ndarray& array) {
  if (array.device().kind == device_kind::cpu) return {device_code::cpu, 0};
  return {device_code::cuda, physical_index(array.device())};
}

/// What an exported capsule owns: the array, and shape and strides as DLPack wants them.
template <class Managed>
struct exported {
  Managed managed{};
  ndarray array;
  dims strides;

  static void destroy(Managed* self) { delete static_cast<exported*>(self->context); }
};

template <class Managed>
void destroy_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Managed::name) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

template <class Managed>
PyObject* make_capsule(const ndarray& array, bool copied) {
  auto owner = std::make_unique<exported<Managed>>();
  owner->array = array;
  owner->strides = array.strides();
  for (std::int64_t& stride : owner->strides) stride /= array.itemsize();
  Managed& managed = owner->managed;
  managed.context = owner.get();
  managed.deleter = exported<Managed>::destroy;
  tensor& content = managed.content;
  content.data = array.size() == 0 ? nullptr : array.data();
  content.where = id_of(array);
  content.rank = array.rank();
  content.type = code_of(array.dtype());
  content.shape = const_cast<std::int64_t*>(owner->array.shape().data());
  content.strides = owner->strides.data();
  if constexpr (std::is_same_v<Managed, managed_tensor_versioned>) {
    managed.written_by = own_version;
    managed.flags = (array.read_only() ? flag_read_only : 0) | (copied ? flag_is_copied : 0);
  }
  object capsule(PyCapsule_New(&managed, Managed::name, destroy_capsule<Managed>));
  static_cast<void>(owner.release());
  return capsule.release();
}

/// Whether dl_device asks for host memory instead of the array's own.
bool wants_host(const ndarray& array, PyObject* dl_device) {
  if (dl_device == nullptr || dl_device == Py_None) return false;
  int code = 0;
  int index = 0;
  const object pair(PySequence_Tuple(dl_device));
  if (PyTuple_GET_SIZE(pair.get()) != 2) throw value_error("__dlpack__: dl_device is not a pair");
  code = static_cast<int>(clamped_integer(PyTuple_GET_ITEM(pair.get(), 0)));
  index = static_cast<int>(clamped_integer(PyTuple_GET_ITEM(pair.get(), 1)));
  const device_id own = id_of(array);
  if (code == static_cast<int>(own.code) && (code == 1 || index == own.index)) return false;
  if (code == static_cast<int>(device_code::cpu)) return true;
  throw interchange_error("__dlpack__: an array on " + to_string(array.device()) +
                          " can't be exported to DLPack device (" + std::to_string(code) + ", " +
                          std::to_string(index) + "); move it with to_device first");
}

/// Makes the work on a CUDA array come before what the consumer will do on its stream.
void order_before(const ndarray& array, PyObject* consumer) {
  if (array.device().kind == device_kind::cpu) {
    if (consumer != nullptr && consumer != Py_None) {
      throw interchange_error("__dlpack__: a CPU array has no stream; pass stream=None");
    }
    return;
  }
  const device where = array.device();
  stream target(where);
  if (consumer != nullptr && consumer != Py_None) {
    if (!PyLong_Check(consumer)) {
      throw dtype_error("__dlpack__: stream must be an int or None");
    }
    const std::int64_t handle = clamped_integer(consumer);
    if (handle == -1) return;
    if (handle <= 0) {
      throw value_error("__dlpack__: stream " + std::to_string(handle) +
                        " is ambiguous; 1 is the legacy default stream, -1 asks for no order");
    }
    if (handle != 1) target = parse_stream("__dlpack__", consumer, where);
  }
  const stream current = current_stream(where);
  if (!(current == target)) target.wait(current);
}

bool wants_versioned(PyObject* max_version) {
  if (max_version == nullptr || max_version == Py_None) return false;
  const object pair(PySequence_Tuple(max_version));
  if (PyTuple_GET_SIZE(pair.get()) < 1) throw value_error("__dlpack__: max_version is empty");
  return clamped_integer(PyTuple_GET_ITEM(pair.get(), 0)) >= 1;
}

template <class Managed>
void release_managed(void* owner) noexcept {
  auto* managed = static_cast<Managed*>(owner);
  if (managed->deleter == nullptr || Py_IsInitialized() == 0) return;
  // A producer written in Python runs its deleter with the GIL.
  const PyGILState_STATE state = PyGILState_Ensure();
  managed->deleter(managed);
  PyGILState_Release(state);
}

device where_of(const char* op, device_id id) {
  switch (id.code) {
    case device_code::cpu:
    case device_code::cuda_host:
      return default_device().kind == device_kind::cpu ? default_device() : device{};
    case device_code::cuda:
    case device_code::cuda_managed:
      if (const auto found = device_of_physical(id.index)) return *found;
      throw interchange_error(std::string(op) + ": no device for CUDA ordinal " +
                              std::to_string(id.index));
  }
  throw interchange_error(std::string(op) + ": memory of an unknown kind: DLPack device " +
                          std::to_string(static_cast<int>(id.code)));
}

template <class Managed>
ndarray take(const char* op, PyObject* capsule, Managed* managed, bool read_only) {
  const tensor& from = managed->content;
  const dtype type = dtype_of_code(op, from.type);
  const device where = where_of(op, from.where);
  if (from.rank < 0 || from.rank > max_rank || (from.rank > 0 && from.shape == nullptr)) {
    throw interchange_error(std::string(op) + ": a tensor of " + std::to_string(from.rank) +
                            " axes");
  }
  dims shape(std::span<const std::int64_t>(from.shape, static_cast<std::size_t>(from.rank)));
  check_shape(op, shape.span(), itemsize(type));
  dims strides = c_layout(shape, itemsize(type)).strides;
  if (from.strides != nullptr) {
    for (int axis = 0; axis < from.rank; ++axis) {
      if (__builtin_mul_overflow(from.strides[axis], itemsize(type), &strides[axis])) {
        throw interchange_error(std::string(op) + ": a stride overflows");
      }
    }
  }
  char* data = static_cast<char*>(from.data) + from.byte_offset;
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(info(type).alignment) !=
      0) {
    throw interchange_error(std::string(op) + ": the data is not aligned to its dtype");
  }
  // From here on the tensor is ours, and given back by the storage.
  if (PyCapsule_SetName(capsule, Managed::used_name) != 0) throw python_error{};
  return adopt_view(op, where, data, std::move(shape), std::move(strides), type, read_only, managed,
                    release_managed<Managed>);
}

ndarray open_capsule(const char* op, PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, managed_tensor_versioned::name) != 0) {
    auto* managed = static_cast<managed_tensor_versioned*>(
        PyCapsule_GetPointer(capsule, managed_tensor_versioned::name));
    if (managed->written_by.major != own_version.major) {
      throw interchange_error(std::string(op) + ": DLPack version " +
                              std::to_string(managed->written_by.major) + " is not understood");
    }
    return take(op, capsule, managed, (managed->flags & flag_read_only) != 0);
  }
  if (PyCapsule_IsValid(capsule, managed_tensor::name) != 0) {
    auto* managed =
        static_cast<managed_tensor*>(PyCapsule_GetPointer(capsule, managed_tensor::name));
    return take(op, capsule, managed, false);
  }
  throw interchange_error(std::string(op) + ": __dlpack__ gave no unused DLPack capsule");
}

/// The producer's device, and for CUDA the stream on which we will use the data.
object keywords_for(PyObject* from, std::optional<bool> copied) {
  object keywords(Py_BuildValue("{s:(ii)}", "max_version", 1, 1));
  if (copied) {
    PyDict_SetItemString(keywords.get(), "copy", *copied ? Py_True : Py_False);
  }
  const object id(PyObject_CallMethod(from, "__dlpack_device__", nullptr));
  const object pair(PySequence_Tuple(id.get()));
  if (PyTuple_GET_SIZE(pair.get()) != 2) return keywords;
  const auto code = static_cast<device_code>(clamped_integer(PyTuple_GET_ITEM(pair.get(), 0)));
  if (code != device_code::cuda && code != device_code::cuda_managed) return keywords;
  const auto where =
      device_of_physical(static_cast<int>(clamped_integer(PyTuple_GET_ITEM(pair.get(), 1))));
  if (!where) return keywords;
  const object handle(
      PyLong_FromSize_t(reinterpret_cast<std::uintptr_t>(current_stream_handle(*where))));
  PyDict_SetItemString(keywords.get(), "stream", handle.get());
  return keywords;
}

}  // namespace

PyObject* export_device(const ndarray& array) {
  const device_id id = id_of(array);
  return Py_BuildValue("(ii)", static_cast<int>(id.code), id.index);
}

PyObject* export_capsule(const ndarray& array, PyObject* stream, PyObject* max_version,
                         PyObject* dl_device, std::optional<bool> copied) {
  const bool versioned = wants_versioned(max_version);
  ndarray shared = array;
  bool is_copy = false;
  if (wants_host(array, dl_device)) {
    if (copied == false) {
      throw interchange_error("__dlpack__: an array on " + to_string(array.device()) +
                              " reaches the host by a copy only, and copy=False forbids it");
    }
    if (stream != nullptr && stream != Py_None) {
      throw interchange_error("__dlpack__: no stream for an export to the host");
    }
    const without_gil waiting(true);
    shared = to_device(array, device{});
    is_copy = true;
  } else {
    if (copied == true) {
      shared = copy(array);
      is_copy = true;
    }
    order_before(shared, stream);
  }
  if (versioned) return make_capsule<managed_tensor_versioned>(shared, is_copy);
  if (shared.read_only()) {
    throw interchange_error(
        "__dlpack__: a read-only array needs DLPack 1.0 or newer; pass "
        "max_version=(1, 0), or copy=True");
  }
  return make_capsule<managed_tensor>(shared, is_copy);
}

ndarray from_capsule(const char* op, PyObject* from, std::optional<bool> copied) {
  const object method(PyObject_GetAttrString(from, "__dlpack__"));
  const object none(PyTuple_New(0));
  const object keywords = keywords_for(from, copied);
  PyObject* capsule = PyObject_Call(method.get(), none.get(), keywords.get());
  bool copy_was_asked = true;
  if (capsule == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
    PyErr_Clear();
    copy_was_asked = false;
    PyDict_DelItemString(keywords.get(), "max_version");
    if (copied) PyDict_DelItemString(keywords.get(), "copy");
    capsule = PyObject_Call(method.get(), none.get(), keywords.get());
  }
  const object held(capsule);
  ndarray result = open_capsule(op, capsule);
  if (copied == true && !copy_was_asked) return copy(result);
  return result;
}

}  // namespace skerry::python
