// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/backend.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "ops/call/device_dtypes.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/lazy_object.hpp"

// DLPack's C exchange API: a table of functions on the type, with which PyTorch, tvm-ffi and
// cuda.core import and create arrays without a Python call. None of the functions synchronizes: the
// consumer queries the current stream and works on it.

namespace skerry::python {
namespace dlpack {
namespace {

constexpr const char* operation = "DLPack exchange API";

/// Runs `body` for a C caller. Returns 0, or -1 with a Python error set.
template <class Body>
int run_for_c_caller(Body&& body) noexcept {
  const OperationScope scope(operation);
  try {
    body();
    return 0;
  } catch (...) {
    set_python_error();
  }
  return -1;
}

const NdArray& array_of(void* object) {
  auto* const array = static_cast<PyObject*>(object);
  static_cast<void>(require_array("the object", array));
  return target_of(array);
}

/// Returns the array's DLPack device, ordered for a consumer: it queries and waits for our current
/// stream only. Logical devices may share a GPU, and DLPack only knows the GPU: current_stream
/// returns the stream of its first logical device, which therefore waits for the array's.
DeviceId id_in_order(const NdArray& array) {
  const DeviceId id = id_of(array);
  if (id.code == DeviceCode::cuda || id.code == DeviceCode::cuda_managed) {
    make_ready_on_current(*array.memory());
    const Device first = device_of_physical(id.index).value_or(array.device());
    if (first != array.device()) current_stream(first).wait(current_stream(array.device()));
  }
  return id;
}

ManagedTensorVersioned* allocate_like(const Tensor& prototype) {
  const auto type = dtype_of(prototype.type);
  if (!type) throw InterchangeError("the prototype's dtype is not supported");
  if (prototype.rank < 0 || prototype.rank > max_rank ||
      (prototype.rank > 0 && prototype.shape == nullptr)) {
    throw InterchangeError("the prototype's shape is null or its rank " +
                           std::to_string(prototype.rank) + " is not between 0 and 64");
  }
  const Dims shape(
      std::span<const std::int64_t>(prototype.shape, static_cast<std::size_t>(prototype.rank)));
  const auto nbytes = static_cast<std::size_t>(check_shape(shape.span(), itemsize(*type)));
  const Device device = device_of(prototype.device);
  require_dtype(device, *type);
  const bool pinned = prototype.device.code == DeviceCode::cuda_host;
  StorageRef memory = pinned ? allocate_pinned(device, nbytes) : allocate(device, nbytes);
  const NdArray array(std::move(memory), c_layout(shape, itemsize(*type)), *type);
  return make_managed<ManagedTensorVersioned>(array, id_of(array));
}

/// The caller need not hold the GIL, so errors go to its callback, not to Python.
int allocate_tensor(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                    ExchangeTable::set_error report) noexcept {
  const OperationScope scope(operation);
  *out = nullptr;
  const char* kind = "RuntimeError";
  std::string text;
  try {
    *out = allocate_like(*prototype);
    return 0;
  } catch (const std::bad_alloc& error) {
    kind = "MemoryError";
    text = error.what();
  } catch (const InterchangeError& error) {
    kind = "BufferError";
    text = error.what();
  } catch (const std::invalid_argument& error) {
    kind = "ValueError";
    text = error.what();
  } catch (const std::exception& error) {
    text = error.what();
  }
  if (report != nullptr) report(error_context, kind, text.c_str());
  return -1;
}

int export_object(void* object, ManagedTensorVersioned** out) noexcept {
  *out = nullptr;
  return run_for_c_caller([&] {
    const NdArray& array = array_of(object);
    *out = make_managed<ManagedTensorVersioned>(array, id_in_order(array));
  });
}

/// On failure the caller keeps the tensor: tvm-ffi, which calls this, then calls the deleter.
int import_object(ManagedTensorVersioned* managed, void** out) noexcept {
  *out = nullptr;
  return run_for_c_caller([&] {
    if (managed->written_by.major != own_version.major) {
      throw InterchangeError("DLPack version " + std::to_string(managed->written_by.major) +
                             " is not understood");
    }
    *out = wrap(take_managed(managed));
  });
}

int view_object(void* object, Tensor* out) noexcept {
  return run_for_c_caller([&] {
    const NdArray& array = array_of(object);
    require_whole_strides(array);
    auto* shape = const_cast<std::int64_t*>(array.shape().data());
    describe_to(*out, array, id_in_order(array), shape,
                element_strides(static_cast<PyObject*>(object)));
  });
}

int find_stream(DeviceCode code, std::int32_t index, void** out) noexcept {
  *out = nullptr;
  if (code != DeviceCode::cuda && code != DeviceCode::cuda_managed) return 0;
  return run_for_c_caller(
      [&] { *out = current_stream_handle(device_of({DeviceCode::cuda, index})); });
}

constinit ExchangeTable own_table{
    .header = {.written_by = own_version, .previous = nullptr},
    .allocate = allocate_tensor,
    .from_object = export_object,
    .to_object = import_object,
    .view_object = view_object,
    .current_stream = find_stream,
};

/// Returns an attribute as a new reference, or null without an error if it does not exist.
PyObject* lookup_attribute(PyObject* object, PyObject* name) {
  PyObject* attribute = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  const int status = PyObject_GetOptionalAttr(object, name, &attribute);
#else
  const int status = _PyObject_LookupAttr(object, name, &attribute);
#endif
  if (status < 0) throw PythonError{};
  return attribute;
}

/// True if the object must be exported by `__dlpack__`. PyTorch's `__dlpack__` rejects tensors that
/// require a gradient or are lazily conjugated or negated; its C API exports their raw memory.
bool must_use_protocol(PyObject* object) {
  static constexpr const char* texts[] = {"requires_grad", "is_conj", "is_neg"};
  static constinit LazyObject names[std::size(texts)];
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    PyObject* const name = names[i].get([&] { return PyUnicode_InternFromString(texts[i]); });
    PyObject* attribute = lookup_attribute(object, name);
    if (attribute == nullptr) continue;
    Object value(attribute);
    if (PyCallable_Check(attribute) != 0) value = Object(PyObject_CallNoArgs(attribute));
    if (boolean(value.get(), false)) return true;
  }
  return false;
}

/// Makes our current stream wait for the producer's.
void wait_for_producer(const NdArray& array, DeviceId id, const ExchangeTable& table) {
  if (!capabilities_of(array.device()).has_cuda_interface || table.current_stream == nullptr)
    return;
  void* handle = nullptr;
  if (table.current_stream(id.code, id.index, &handle) != 0) throw PythonError{};
  const Stream consumer_stream = current_stream(array.device());
  // A null handle is the runtime's legacy default stream.
  const Stream theirs =
      handle == nullptr ? Stream(array.device()) : Stream::from_handle(array.device(), handle);
  if (!(consumer_stream == theirs)) consumer_stream.wait(theirs);
}

}  // namespace

const ExchangeTable* exchange_table_of(PyTypeObject* type) {
  static constinit LazyObject attribute;
  PyObject* const name =
      attribute.get([] { return PyUnicode_InternFromString(ExchangeTable::attribute); });
  PyObject* capsule_object = lookup_attribute(reinterpret_cast<PyObject*>(type), name);
  if (capsule_object == nullptr) return nullptr;
  const Object capsule(capsule_object);
  if (PyCapsule_IsValid(capsule_object, ExchangeTable::name) == 0) return nullptr;
  const auto* header =
      static_cast<const ExchangeHeader*>(PyCapsule_GetPointer(capsule_object, ExchangeTable::name));
  while (header != nullptr && header->written_by.major != own_version.major) {
    header = header->previous;
  }
  return reinterpret_cast<const ExchangeTable*>(header);
}

std::optional<NdArray> from_exchange_table(PyObject* object, const ExchangeTable& table) {
  if (table.from_object == nullptr || must_use_protocol(object)) return std::nullopt;
  ManagedTensorVersioned* managed = nullptr;
  if (table.from_object(object, &managed) != 0) throw PythonError{};
  if (managed == nullptr) throw InterchangeError("the producer returned a null DLPack tensor");
  try {
    if (managed->written_by.major != own_version.major) {
      throw InterchangeError("DLPack version " + std::to_string(managed->written_by.major) +
                             " is not understood");
    }
    const DeviceId id = managed->content.device;
    NdArray array = take_managed(managed);
    managed = nullptr;  // owned by the array now
    wait_for_producer(array, id, table);
    return array;
  } catch (...) {
    if (managed != nullptr) release_managed<ManagedTensorVersioned>(managed);
    throw;
  }
}

}  // namespace dlpack

void add_exchange_table(PyTypeObject* type) {
  const Object capsule(PyCapsule_New(&dlpack::own_table, dlpack::ExchangeTable::name, nullptr));
  set_attribute(reinterpret_cast<PyObject*>(type), dlpack::ExchangeTable::attribute, capsule);
}

}  // namespace skerry::python
