// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/storage_attachment.hpp"
#include "device/stream.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/exported_memory.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/host_interface.hpp"
#include "python/bindings/lazy_object.hpp"

namespace skerry::python {
namespace dlpack {
namespace {

constexpr DataType code_of_one(Dtype type) {
  constexpr TypeCode codes[] = {TypeCode::boolean, TypeCode::signed_integer,
                                TypeCode::unsigned_integer, TypeCode::real, TypeCode::complex};
  const TypeCode code =
      type == Dtype::bfloat16 ? TypeCode::bfloat : codes[static_cast<int>(kind(type))];
  return {code, static_cast<std::uint8_t>(8 * itemsize(type)), 1};
}

constexpr auto type_codes = [] {
  std::array<DataType, dtype_count> codes{};
  for (int i = 0; i < dtype_count; ++i) {
    codes[static_cast<std::size_t>(i)] = code_of_one(static_cast<Dtype>(i));
  }
  return codes;
}();

/// One block: the structure, the reference to the memory, followed by shape and strides.
template <class Managed>
struct Exported {
  Managed managed;  // every member is set by make_managed
  ExportedMemory memory;

  explicit Exported(const StorageRef& storage) noexcept : memory(storage) {}
  static void free(Exported* whole) {
    whole->~Exported();
    std::free(whole);
  }
  static void destroy(Managed* self) { free(static_cast<Exported*>(self->context)); }
};

/// Frees an unconsumed tensor: consumers rename the capsule.
template <class Managed>
void destroy_capsule(PyObject* capsule) {
  const char* const name = PyCapsule_GetName(capsule);
  if (name != Managed::name && (name == nullptr || std::strcmp(name, Managed::name) != 0)) return;
  call_deleter(static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name)));
}

template <class Managed>
PyObject* make_capsule(Managed* managed) {
  PyObject* capsule = PyCapsule_New(managed, Managed::name, destroy_capsule<Managed>);
  if (capsule == nullptr) managed->deleter(managed);
  return capsule;
}

}  // namespace

DataType code_of(Dtype type) noexcept { return type_codes[static_cast<std::size_t>(type)]; }

std::optional<Dtype> dtype_of(const DataType& type) noexcept {
  // Lookup by code and width. Reads member by member, as the tensor was just written that way: a
  // wider load would miss store forwarding.
  constexpr std::size_t codes = static_cast<std::size_t>(TypeCode::boolean) + 1;
  constexpr std::size_t widths = 5;  // 8 to 128 bits
  static constexpr auto dtype_table = [] {
    std::array<int, codes * widths> table{};
    table.fill(-1);
    for (int i = 0; i < dtype_count; ++i) {
      const DataType type_code = type_codes[static_cast<std::size_t>(i)];
      const std::size_t width = static_cast<std::size_t>(std::countr_zero(type_code.bits)) - 3;
      table[static_cast<std::size_t>(type_code.code) * widths + width] = i;
    }
    return table;
  }();
  const auto code = static_cast<std::size_t>(type.code);
  if (code >= codes || type.bits < 8 || (type.bits & (type.bits - 1)) != 0 || type.lanes != 1) {
    return std::nullopt;
  }
  const std::size_t width = static_cast<std::size_t>(std::countr_zero(type.bits)) - 3;
  const int index = dtype_table[code * widths + width];
  if (index < 0) return std::nullopt;
  return static_cast<Dtype>(index);
}

void require_whole_strides(const NdArray& array) {
  const std::int64_t below = array.itemsize() - 1;
  for (int axis = 0; axis < array.rank(); ++axis) {
    if ((array.strides()[axis] & below) != 0 && array.shape()[axis] > 1 && array.size() != 0) {
      throw InterchangeError("a stride of " + std::to_string(array.strides()[axis]) +
                             " bytes is not a "
                             "multiple of the itemsize " +
                             std::to_string(array.itemsize()) + "; pass copy=True");
    }
  }
}

[[noreturn]] void throw_no_name(Device device) {
  throw InterchangeError("DLPack has no device type for " + to_string(device) +
                         "; request a copy on the host with dl_device=(1, 0), or copy the array "
                         "with to_device first");
}

DeviceId id_of(Device device) {
  if (is_host(device)) return {DeviceCode::cpu, 0};
  const std::int32_t code = capabilities_of(device).dlpack_code;
  if (code == 0) [[unlikely]]
    throw_no_name(device);
  return {static_cast<DeviceCode>(code), physical_index(device)};
}

DeviceId id_of(const NdArray& array) {
  const Device device = array.device();
  if (is_host(device) && is_pinned(*array.memory())) return {DeviceCode::cuda_host, 0};
  if (is_managed(*array.memory())) return {DeviceCode::cuda_managed, physical_index(device)};
  return id_of(device);
}

Device device_of(DeviceId id) {
  if (id.code == DeviceCode::cpu || id.code == DeviceCode::cuda_host) return {};
  const auto device = id.code == DeviceCode::cuda ? device_of_physical(id.index) : std::nullopt;
  if (device) return *device;
  throw InterchangeError("DLPack device (" + std::to_string(static_cast<int>(id.code)) + ", " +
                         std::to_string(id.index) + ") is not a device of this process");
}

void describe_to(Tensor& tensor, const NdArray& array, DeviceId id, std::int64_t* shape,
                 std::int64_t* strides) {
  note_export(array);
  tensor.data = array.size() == 0 ? nullptr : array.data();
  tensor.device = id;
  tensor.rank = array.rank();
  tensor.type = code_of(array.dtype());
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.byte_offset = 0;
}

template <class Managed>
Managed* make_managed(const NdArray& array, DeviceId id) {
  const int rank = array.rank();
  const std::size_t lists = 2 * sizeof(std::int64_t) * static_cast<std::size_t>(rank);
  void* memory_block = std::malloc(sizeof(Exported<Managed>) + lists);
  if (memory_block == nullptr) throw std::bad_alloc();
  std::unique_ptr<Exported<Managed>, void (*)(Exported<Managed>*)> owner(
      new (memory_block) Exported<Managed>(array.memory()), Exported<Managed>::free);
  Exported<Managed>* whole = owner.get();
  auto* shape = reinterpret_cast<std::int64_t*>(whole + 1);
  std::int64_t* strides = shape + rank;
  const std::int64_t* const from_shape = array.shape().data();
  const std::int64_t* const from_strides = array.strides().data();
  const std::int64_t width = array.itemsize();
  const int shift = std::countr_zero(static_cast<std::uint64_t>(width));
  std::int64_t low_bits = 0;
  for (int axis = 0; axis < rank; ++axis) {
    shape[axis] = from_shape[axis];
    strides[axis] = from_strides[axis] >> shift;
    low_bits |= from_strides[axis];
  }
  if ((low_bits & (width - 1)) != 0) [[unlikely]]
    require_whole_strides(array);
  Managed& managed = whole->managed;
  managed.context = whole;
  managed.deleter = Exported<Managed>::destroy;
  describe_to(managed.content, array, id, shape, strides);
  if constexpr (std::is_same_v<Managed, ManagedTensorVersioned>) {
    managed.written_by = own_version;
    managed.flags = array.read_only() ? flag_read_only : 0;
  }
  return &owner.release()->managed;
}

template <class Managed>
bool is_own(const Managed* managed) noexcept {
  return managed->deleter == Exported<Managed>::destroy;
}

template <class Managed>
StorageRef own_memory(const Managed* managed) noexcept {
  if (!is_own(managed)) return {};
  return static_cast<const Exported<Managed>*>(managed->context)->memory.storage();
}

template ManagedTensor* make_managed(const NdArray&, DeviceId);
template ManagedTensorVersioned* make_managed(const NdArray&, DeviceId);
template bool is_own(const ManagedTensor*) noexcept;
template bool is_own(const ManagedTensorVersioned*) noexcept;
template StorageRef own_memory(const ManagedTensor*) noexcept;
template StorageRef own_memory(const ManagedTensorVersioned*) noexcept;

}  // namespace dlpack

namespace {

using namespace dlpack;

struct IntegerPair {
  std::int64_t first;
  std::int64_t second;
};

std::int64_t integer_of(PyObject* object) {
  if (!PyLong_CheckExact(object)) return clamped_integer(object);
  int overflow = 0;
  const long value = PyLong_AsLongAndOverflow(object, &overflow);
  if (overflow == 0) return value;
  return overflow < 0 ? INT64_MIN : INT64_MAX;
}

IntegerPair pair_of(const char* argument, PyObject* object) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) {
    throw TypeError(std::string(argument) + " must be a tuple of two ints");
  }
  return {integer_of(PyTuple_GET_ITEM(object, 0)), integer_of(PyTuple_GET_ITEM(object, 1))};
}

bool is_specified(PyObject* argument) { return argument != nullptr && argument != Py_None; }

/// Returns the minor version to write for a consumer that supports DLPack 1.x; else nullopt, which
/// selects the unversioned structure.
std::optional<std::uint32_t> minor_version_for(PyObject* max_version) {
  if (!is_specified(max_version)) return std::nullopt;
  const IntegerPair version = pair_of("max_version", max_version);
  if (version.first < 1) return std::nullopt;
  if (version.first > 1 || version.second >= own_version.minor) return own_version.minor;
  return version.second < 0 ? 0 : static_cast<std::uint32_t>(version.second);
}

/// Parses the consumer's stream: -1 to disable synchronization, else a handle. Throws for values
/// that the protocol disallows.
std::int64_t stream_number(PyObject* object) {
  if (PyBool_Check(object) || !PyIndex_Check(object)) {
    throw TypeError(std::string("stream must be an int or None, not ") + Py_TYPE(object)->tp_name);
  }
  const std::int64_t number = clamped_integer(object);
  if (number == 0) {
    throw ValueError(
        "stream 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one, "
        "-1 disables synchronization");
  }
  if (number < -1 || number == INT64_MAX) {
    throw ValueError("stream " + std::to_string(number) +
                     " is invalid; pass -1, 1, 2 or the handle of a stream");
  }
  return number;
}

/// Orders pending work on the array before later work on the consumer's stream.
void order_before(const NdArray& array, PyObject* consumer) {
  const Device device = array.device();
  if (!capabilities_of(device).runs_later) {
    if (!is_specified(consumer)) return;
    // mpi4py passes -1 for memory that `__dlpack_device__` reports as accessible to GPUs.
    if (is_pinned(*array.memory())) return static_cast<void>(stream_number(consumer));
    throw InterchangeError("an array on " + to_string(device) + " has no stream; pass stream=None");
  }
  std::int64_t number = 1;
  if (is_specified(consumer)) number = stream_number(consumer);
  if (number == -1) return;
  auto* const handle = reinterpret_cast<void*>(number);
  if (number > 2 && ordinal_of_stream(device, handle) != physical_index(device)) {
    throw ValueError("stream " + std::to_string(number) + " is not a stream of " +
                     to_string(device) + ", the array's device");
  }
  make_ready_on(*array.memory(), handle);
}

[[noreturn]] void reject_device(const NdArray& array, const IntegerPair& requested_device) {
  throw InterchangeError(
      "an array on " + to_string(array.device()) + " can't be exported to DLPack device (" +
      std::to_string(requested_device.first) + ", " + std::to_string(requested_device.second) +
      "); copy it with to_device first");
}

/// How to export: the device written to the structure, and whether a copy to the host is needed.
struct Destination {
  DeviceId id;
  bool to_host = false;
};

/// True for the names by which consumers may request the array's memory where it is: its own, and
/// that of its device for managed memory, which many consumers reject by its own name.
bool is_name_of(const NdArray& array, const IntegerPair& requested_device) {
  for (const DeviceId& id : {id_of(array), id_of(array.device())}) {
    if (requested_device.first == static_cast<int>(id.code) && requested_device.second == id.index)
      return true;
  }
  return false;
}

Destination destination_for(const NdArray& array, PyObject* dl_device, bool is_copied) {
  const DeviceId host{DeviceCode::cpu, 0};
  if (!is_specified(dl_device)) {
    const DeviceId own_id = id_of(array);
    // PyTorch, nanobind and CuPy reject pinned memory in a capsule, but all accept host memory.
    // Like PyTorch's, our `__dlpack_device__` still reports pinned memory to other consumers.
    return {own_id.code == DeviceCode::cuda_host ? host : own_id};
  }
  const IntegerPair requested_device = pair_of("dl_device", dl_device);
  if (capabilities_of(array.device()).dlpack_code != 0 && is_name_of(array, requested_device)) {
    return {{static_cast<DeviceCode>(requested_device.first),
             static_cast<std::int32_t>(requested_device.second)}};
  }
  if (requested_device.first != static_cast<int>(DeviceCode::cpu) || requested_device.second != 0) {
    reject_device(array, requested_device);
  }
  const bool is_in_place = is_host_accessible(array) && !is_copied;
  return {host, !is_in_place && !capabilities_of(array.device()).host_memory};
}

/// True if PyTorch's from_dlpack calls, directly or for as_tensor, asarray or tensor. A tensor is
/// always writable: PyTorch requests DLPack 1.0 and ignores the read-only flag (2.15). Capsules do
/// not name their consumer, but from_dlpack is a Python function.
bool ignores_read_only_flag() {
  PyObject* const globals = PyEval_GetGlobals();
  if (globals == nullptr) return false;
  const Object name = dictionary_value(globals, "__name__");
  return name.get() != nullptr && PyUnicode_Check(name.get()) &&
         PyUnicode_CompareWithASCIIString(name.get(), "torch.utils.dlpack") == 0;
}

NdArray copied_for(const NdArray& array, const Destination& destination) {
  if (destination.id.code == DeviceCode::cuda_managed) {
    NdArray result(allocate_managed(array.device(), static_cast<std::size_t>(array.nbytes())),
                   array.shape(), array.dtype());
    assign(result, array);
    return result;
  }
  if (!destination.to_host) return copy(array);
  const WithoutGil waiting(true);
  return to_device(array, Device{});
}

PyObject* wrap_up(const NdArray& array, DeviceId id, std::optional<std::uint32_t> minor,
                  bool is_copy) {
  if (!minor) {
    if (array.read_only()) {
      throw InterchangeError(
          "a read-only array needs DLPack 1.0 or newer; pass max_version=(1, 0), or "
          "copy=True");
    }
    return make_capsule(make_managed<ManagedTensor>(array, id));
  }
  auto* managed = make_managed<ManagedTensorVersioned>(array, id);
  managed->written_by.minor = *minor;
  if (is_copy) managed->flags |= flag_is_copied;
  return make_capsule(managed);
}

}  // namespace

PyObject* export_device(const NdArray& array) {
  const DeviceId id = id_of(array);
  if (id.code == DeviceCode::cpu) {
    static constinit LazyObject cpu;
    return Py_NewRef(
        cpu.get([] { return Py_BuildValue("(ii)", static_cast<int>(DeviceCode::cpu), 0); }));
  }
  return Py_BuildValue("(ii)", static_cast<int>(id.code), id.index);
}

PyObject* export_capsule(const NdArray& array, PyObject* stream, PyObject* max_version,
                         PyObject* dl_device, std::optional<bool> copied) {
  const std::optional<std::uint32_t> minor = minor_version_for(max_version);
  const Destination destination = destination_for(array, dl_device, copied == true);
  if (array.read_only() && copied != true && ignores_read_only_flag()) {
    if (copied == false) {
      throw InterchangeError(
          "a read-only array can be exported to PyTorch, whose tensors are writable, only by a "
          "copy, which copy=False forbids");
    }
    copied = true;
  }
  // A consumer of managed memory that names no stream may be on the host, as NumPy is.
  const bool is_for_host =
      destination.id.code == DeviceCode::cpu ||
      (destination.id.code == DeviceCode::cuda_managed && !is_specified(stream));
  if (!destination.to_host && copied != true) {
    order_before(array, stream);
    if (is_for_host) make_ready_on_host(array);
    return wrap_up(array, destination.id, minor, false);
  }
  if (copied == false) {
    throw InterchangeError("an array on " + to_string(array.device()) +
                           " can be exported to the host only by a copy, which copy=False forbids");
  }
  // The copy on the host is complete before it is exported, so the stream is only validated.
  if (destination.to_host && is_specified(stream)) static_cast<void>(stream_number(stream));
  if (destination.id.code == DeviceCode::cuda_host) {
    throw InterchangeError(
        "copying to pinned memory is not supported; pass copy=False, or dl_device=(1, 0)");
  }
  const NdArray copied_array = copied_for(array, destination);
  if (!destination.to_host) order_before(copied_array, stream);
  if (is_for_host) make_ready_on_host(copied_array);
  return wrap_up(copied_array, destination.to_host ? destination.id : id_of(copied_array), minor,
                 true);
}

}  // namespace skerry::python
