// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/lazy_object.hpp"

// DLPack's C exchange API: a table of functions on the type, by which PyTorch, tvm-ffi and
// cuda.core take arrays and make them with no Python call. None of the functions synchronises: who
// uses the data asks for the stream and works on it.

namespace skerry::python {
namespace dlpack {
namespace {

/// Runs `body` for a C caller: 0, or -1 with a Python error set.
template <class Body>
int guarded_call(Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    set_python_error();
  }
  return -1;
}

const NdArray& array_of(void* from) {
  return require_array(ExchangeTable::attribute, "the object", static_cast<PyObject*>(from));
}

/// A consumer comes after our current stream, for which it asks, and no other. Logical devices
/// share a GPU, and DLPack knows the GPU only: current_stream answers for its first one, which
/// therefore waits for the array's.
DeviceId id_in_order(const NdArray& array) {
  const DeviceId id = id_of(array);
  if (id.code == DeviceCode::cuda) {
    make_ready_on_current(*array.memory().get());
    const Device first = device_of_physical(id.index).value_or(array.device());
    if (first != array.device()) current_stream(first).wait(current_stream(array.device()));
  }
  return id;
}

Device device_for(DeviceId id) {
  if (id.code == DeviceCode::cpu || id.code == DeviceCode::cuda_host) return {};
  const auto found = id.code == DeviceCode::cuda ? device_of_physical(id.index) : std::nullopt;
  if (found) return *found;
  throw InterchangeError("DLPack exchange API: DLPack device (" +
                         std::to_string(static_cast<int>(id.code)) + ", " +
                         std::to_string(id.index) + ") is no device of this process");
}

ManagedTensorVersioned* allocate_like(const Tensor& like) {
  constexpr const char* op = "DLPack exchange API";
  const auto type = dtype_of(like.type);
  if (!type) throw InterchangeError(std::string(op) + ": no dtype of skerry");
  if (like.rank < 0 || like.rank > max_rank || (like.rank > 0 && like.shape == nullptr)) {
    throw InterchangeError(std::string(op) + ": a prototype of " + std::to_string(like.rank) +
                           " axes");
  }
  const Dims shape(std::span<const std::int64_t>(like.shape, static_cast<std::size_t>(like.rank)));
  const auto nbytes = static_cast<std::size_t>(check_shape(op, shape.span(), itemsize(*type)));
  const Device where = device_for(like.where);
  const bool pinned = like.where.code == DeviceCode::cuda_host;
  StorageRef memory = pinned ? allocate_pinned(where, nbytes) : allocate(where, nbytes);
  const NdArray made(std::move(memory), c_layout(shape, itemsize(*type)), *type);
  return make_managed<ManagedTensorVersioned>(made, id_of(made));
}

/// The caller may be without the GIL: the error goes to its callback, not to Python.
int allocate_tensor(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                    ExchangeTable::set_error report) noexcept {
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

int export_object(void* from, ManagedTensorVersioned** out) noexcept {
  *out = nullptr;
  return guarded_call([&] {
    const NdArray& array = array_of(from);
    *out = make_managed<ManagedTensorVersioned>(array, id_in_order(array));
  });
}

/// On failure the tensor stays the caller's: tvm-ffi, which calls this, then calls the deleter.
int import_object(ManagedTensorVersioned* from, void** out) noexcept {
  *out = nullptr;
  return guarded_call([&] {
    if (from->written_by.major != own_version.major) {
      throw InterchangeError("DLPack exchange API: DLPack version " +
                             std::to_string(from->written_by.major) + " is not understood");
    }
    *out = wrap(take_managed("DLPack exchange API", from));
  });
}

int view_object(void* from, Tensor* out) noexcept {
  return guarded_call([&] {
    const NdArray& array = array_of(from);
    require_whole_strides(array);
    auto* shape = const_cast<std::int64_t*>(array.shape().data());
    describe_to(*out, array, id_in_order(array), shape,
                element_strides(static_cast<PyObject*>(from)));
  });
}

int find_stream(DeviceCode code, std::int32_t index, void** out) noexcept {
  *out = nullptr;
  if (code != DeviceCode::cuda && code != DeviceCode::cuda_managed) return 0;
  return guarded_call([&] { *out = current_stream_handle(device_for({DeviceCode::cuda, index})); });
}

constinit ExchangeTable own_table{
    .header = {.written_by = own_version, .previous = nullptr},
    .allocate = allocate_tensor,
    .from_object = export_object,
    .to_object = import_object,
    .view_object = view_object,
    .current_stream = find_stream,
};

/// The attribute of an object, or null where it has none.
PyObject* optional_attribute(PyObject* from, PyObject* name) {
  PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  const int status = PyObject_GetOptionalAttr(from, name, &found);
#else
  const int status = _PyObject_LookupAttr(from, name, &found);
#endif
  if (status < 0) throw PythonError{};
  return found;
}

/// PyTorch's `__dlpack__` refuses tensors that record a gradient or are conjugated or negated
/// lazily; its table takes the raw memory of them all.
bool must_use_protocol(PyObject* from) {
  static constexpr const char* texts[] = {"requires_grad", "is_conj", "is_neg"};
  static constinit LazyObject names[std::size(texts)];
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    PyObject* const name = names[i].get([&] { return PyUnicode_InternFromString(texts[i]); });
    PyObject* found = optional_attribute(from, name);
    if (found == nullptr) continue;
    Object value(found);
    if (PyCallable_Check(found) != 0) value = Object(PyObject_CallNoArgs(found));
    if (truth(value.get(), false)) return true;
  }
  return false;
}

/// Our stream waits for the one that the producer works on.
void wait_for_producer(const NdArray& taken, DeviceId id, const ExchangeTable& table) {
  if (!capabilities_of(taken.device()).has_cuda_interface || table.current_stream == nullptr)
    return;
  void* handle = nullptr;
  if (table.current_stream(id.code, id.index, &handle) != 0) throw PythonError{};
  const Stream own = current_stream(taken.device());
  // A null handle is how the runtime spells the legacy default stream.
  const Stream theirs =
      handle == nullptr ? Stream(taken.device()) : Stream::from_handle(taken.device(), handle);
  if (!(own == theirs)) own.wait(theirs);
}

}  // namespace

const ExchangeTable* exchange_table_of(PyTypeObject* type) {
  static constinit LazyObject attribute;
  PyObject* const name =
      attribute.get([] { return PyUnicode_InternFromString(ExchangeTable::attribute); });
  PyObject* found = optional_attribute(reinterpret_cast<PyObject*>(type), name);
  if (found == nullptr) return nullptr;
  const Object capsule(found);
  if (PyCapsule_IsValid(found, ExchangeTable::name) == 0) return nullptr;
  const auto* header =
      static_cast<const ExchangeHeader*>(PyCapsule_GetPointer(found, ExchangeTable::name));
  while (header != nullptr && header->written_by.major != own_version.major) {
    header = header->previous;
  }
  return reinterpret_cast<const ExchangeTable*>(header);
}

std::optional<NdArray> from_exchange_table(const char* op, PyObject* from,
                                           const ExchangeTable& table) {
  if (table.from_object == nullptr || must_use_protocol(from)) return std::nullopt;
  ManagedTensorVersioned* managed = nullptr;
  if (table.from_object(from, &managed) != 0) throw PythonError{};
  if (managed == nullptr) throw InterchangeError(std::string(op) + ": an empty DLPack tensor");
  try {
    if (managed->written_by.major != own_version.major) {
      throw InterchangeError(std::string(op) + ": DLPack version " +
                             std::to_string(managed->written_by.major) + " is not understood");
    }
    const DeviceId id = managed->content.where;
    NdArray taken = take_managed(op, managed);
    managed = nullptr;  // the array's now
    wait_for_producer(taken, id, table);
    return taken;
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
