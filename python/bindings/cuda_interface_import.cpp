// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/environment.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "ops/call/device_dtypes.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/cuda_interface.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/function_table.hpp"

namespace skerry::python {
namespace {

constexpr const char* attribute = "__cuda_array_interface__";

std::string address_text(const void* address) {
  const Object text(PyLong_FromVoidPtr(const_cast<void*>(address)));
  const Object hex(PyNumber_ToBase(text.get(), 16));
  return represent_briefly(hex.get());
}

void check_address(const InterfaceFields& fields) {
  const void* const address = fields.data.address;
  if (fields.data.is_none)
    reject_interface_type("the pointer of 'data' is None, but the array is not empty");
  if (address == nullptr)
    reject_interface("the pointer of 'data' is 0, but the array is not empty");
  const auto alignment = static_cast<std::uintptr_t>(info(fields.type).alignment);
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    reject_interface("the pointer of 'data' " + address_text(address) + " is not aligned to the " +
                     std::to_string(alignment) + " bytes of " + name(fields.type));
  }
}

[[noreturn]] void reject_device(const std::string& memory, Device requested_device) {
  reject_interface("the memory is " + memory + ", not on " + to_string(requested_device) +
                   ", and is never copied implicitly; import it without device= and use to_device");
}

/// Returns the device of the memory. An address does not distinguish the logical devices of a GPU,
/// so any of them may be requested.
Device device_of_attributes(const PointerInfo& attributes,
                            const std::optional<Device>& requested_device) {
  using kind = PointerKind;
  if (attributes.kind == kind::host) {
    if (requested_device && !is_host(*requested_device)) {
      reject_device("pinned host memory", *requested_device);
    }
    return requested_device.value_or(default_host_device());
  }
  if (requested_device && capabilities_of(*requested_device).has_cuda_interface &&
      (attributes.kind == kind::managed ||
       physical_index(*requested_device) == attributes.ordinal)) {
    return *requested_device;
  }
  const std::optional<Device> device = device_of_physical(attributes.ordinal);
  if (!device) reject_interface("no device has CUDA ordinal " + std::to_string(attributes.ordinal));
  if (requested_device) reject_device("on " + to_string(*device), *requested_device);
  return *device;
}

struct Location {
  Device device;
  Device gpu;            ///< device of the producer's stream
  char* data = nullptr;  ///< of the first element
  bool pinned = false;
  bool managed = false;
};

Location locate(const ForeignData& data, ByteRange range,
                const std::optional<Device>& requested_device) {
  const PointerInfo attributes = inspect_pointer(data.address);
  if (attributes.kind == PointerKind::unknown) {
    reject_interface(
        "the pointer of 'data' " + address_text(data.address) +
        " is not a device pointer: CUDA reports no allocation there; it is host memory or was "
        "freed");
  }
  const Device device = device_of_attributes(attributes, requested_device);
  check_extent(data.address, range, attributes);
  if (attributes.kind != PointerKind::host) {
    return {device, device, static_cast<char*>(data.address), false,
            attributes.kind == PointerKind::managed};
  }
  const Device gpu = device_of_physical(attributes.ordinal).value_or(first_cuda_interface_device());
  void* const address = attributes.data != nullptr ? attributes.data : data.address;
  return {device, gpu, static_cast<char*>(address), true};
}

/// Returns the location of an empty array, which has no address to query the driver for.
Location location_of_nothing(const std::optional<Device>& requested_device) {
  Device device = first_cuda_interface_device();
  const Device first = device;
  const Device usual = find_default_device().value_or(first);
  if (usual.kind == first.kind) device = usual;
  if (requested_device) device = *requested_device;
  require(device);
  return {device, device.kind == first.kind ? device : first, nullptr, false};
}

/// Returns the producer's stream. None, or a version without the entry, means the legacy default
/// stream: a producer that works on another one is responsible for synchronization.
Stream producer_of(Device device, const std::optional<std::int64_t>& handle) {
  if (!handle) return Stream(device);
  auto* const native = reinterpret_cast<void*>(static_cast<std::uintptr_t>(*handle));
  if (*handle > 2) {
    const int ordinal = ordinal_of_stream(device, native);
    if (ordinal < 0) reject_interface("'stream' is not a stream: " + std::to_string(*handle));
    if (ordinal != physical_index(device)) {
      reject_interface("'stream' belongs to the device of CUDA ordinal " + std::to_string(ordinal) +
                       ", the memory to " + to_string(device));
    }
  }
  return Stream::from_handle(device, native);
}

/// SKERRY_CAI_SYNC=0 disables synchronization of all imports: the user is responsible for it.
const bool environment_orders = flag_from_environment("SKERRY_CAI_SYNC", true);

/// Orders work on the memory after what the producer has enqueued.
void order_after(const Stream& producer, ImportOrder order, bool has_stream, Storage& memory) {
  if (order == ImportOrder::none || !environment_orders) return;
  if (order == ImportOrder::whole_device) {
    const WithoutGil waiting(true);
    return synchronize(producer.device());
  }
  if (!capabilities_of(memory.device()).runs_later) {
    if (!has_stream) return;
    const WithoutGil waiting(true);
    return producer.synchronize();
  }
  const Stream consumer_stream = current_stream(producer.device());
  if (!(consumer_stream == producer)) consumer_stream.wait(producer);
  note_import_on_current(memory);
}

}  // namespace

std::optional<CudaInterface> read_cuda_interface(PyObject* object) {
  const Object description = optional_attribute(object, attribute);
  if (description.get() == nullptr || description.get() == Py_None) return std::nullopt;
  return parse_cuda_interface(description.get());
}

NdArray from_cuda_interface(const CudaInterface& interface, PyObject* owner,
                            const CudaImport& options) {
  if (interface.version > newest_interface_version &&
      PyErr_WarnFormat(PyExc_UserWarning, 1,
                       "%s: version %lld of the CUDA array interface is newer than 3, the newest "
                       "that is supported; entries added since are ignored",
                       current_operation(), static_cast<long long>(interface.version)) != 0) {
    throw PythonError{};
  }
  InterfaceFields fields = read_fields(interface.description.get());
  if (!fields.is_empty) check_address(fields);
  Layout layout{.shape = std::move(fields.shape), .strides = std::move(fields.strides)};
  const ByteRange range =
      check_layout(fields.is_empty ? nullptr : fields.data.address, layout, itemsize(fields.type));
  const Location location = fields.is_empty ? location_of_nothing(options.device)
                                            : locate(fields.data, range, options.device);
  require_dtype(location.device, fields.type);
  const Stream producer =
      fields.is_empty ? Stream(location.gpu) : producer_of(location.gpu, fields.stream);
  ForeignMemory memory{.data = location.data + range.first,
                       .nbytes = range.nbytes(),
                       .read_only = fields.data.read_only,
                       .pinned = location.pinned,
                       .managed = location.managed};
  if (owner != nullptr) {
    memory.owner = owner;
    memory.release = drop_reference;
    // The stream lives as long as the owner. The per-thread stream differs between threads, but the
    // legacy stream waits for all of them.
    if (fields.stream > 2) memory.producer_stream = producer.handle();
  }
  NdArray array(adopt(location.device, memory), std::move(layout), fields.type,
                fields.data.read_only);
  Py_XINCREF(owner);
  // In version 3, None or no entry means that no synchronization is needed. Older versions have no
  // entry, and their producers (PyTorch, JAX) usually work on the default stream.
  const bool has_stream = fields.stream.has_value();
  const bool waits = has_stream || interface.version < newest_interface_version;
  if (options.order == ImportOrder::whole_device || (waits && !fields.is_empty)) {
    order_after(producer, options.order, has_stream, *array.memory());
  }
  return array;
}

NdArray from_cuda_interface(PyObject* object, const CudaImport& options) {
  const std::optional<CudaInterface> interface = read_cuda_interface(object);
  if (!interface) {
    reject_interface_type(type_name(object) +
                          " does not implement the CUDA array interface: it has no " + attribute);
  }
  return from_cuda_interface(*interface, object, options);
}

namespace {

ImportOrder order_of(PyObject* sync) {
  if (sync == nullptr || sync == Py_True) return ImportOrder::by_event;
  if (sync == Py_False) return ImportOrder::none;
  if (PyUnicode_Check(sync) != 0 && PyUnicode_CompareWithASCIIString(sync, "device") == 0) {
    return ImportOrder::whole_device;
  }
  reject_interface_type("sync must be True, False or \"device\", not " + shown(sync));
}

PyObject* run_from_cuda_array_interface(const Arguments& arguments) {
  CudaImport options{.order = order_of(arguments[2]), .device = std::nullopt};
  if (arguments.has(3)) options.device = usable_device(arguments[3]);
  if (PyDict_Check(arguments[0]) == 0 && PyObject_HasAttrString(arguments[0], attribute) != 0) {
    reject_interface_type("desc must be a dict, not an object that has one: " +
                          type_name(arguments[0]) + "; use as_cuda_array, or asarray");
  }
  const CudaInterface interface = parse_cuda_interface(arguments[0]);
  return wrap(from_cuda_interface(interface, arguments.has(1) ? arguments[1] : nullptr, options));
}

PyObject* run_as_cuda_array(const Arguments& arguments) {
  const CudaImport options{.order = order_of(arguments[1]), .device = std::nullopt};
  if (is_array(arguments[0]) &&
      capabilities_of(value_of(arguments[0]).device()).has_cuda_interface) {
    return Py_NewRef(arguments[0]);
  }
  return wrap(from_cuda_interface(arguments[0], options));
}

PyObject* run_is_cuda_array(const Arguments& arguments) {
  const Object description = optional_attribute(arguments[0], attribute);
  return PyBool_FromLong(description.get() != nullptr && description.get() != Py_None);
}

#define SKERRY_IMPORT_DOC                                                                         \
  "sync : bool or \"device\"\n    True: work on the result waits for the producer's stream, by "  \
  "an event. False: no synchronization (SKERRY_CAI_SYNC=0 disables it for all imports). "         \
  "\"device\": the host waits for the whole device, for producers (PyTorch, JAX) that export no " \
  "stream and may use another than the default one.\n"
#define SKERRY_IMPORT_ERRORS                                                                     \
  "\nRaises\n------\nInterchangeError\n    (BufferError and ValueError) for a missing key, a "   \
  "value out of range, or memory that is unknown to CUDA, too small, misaligned or on another "  \
  "device.\nTypeError\n    For a value of a wrong type, or a dtype that is not in the array "    \
  "API standard.\nNotImplementedError\n    For an array with a mask.\nOverflowError\n    For a " \
  "pointer that is not an address.\n\nSource: CUDA Array Interface, versions 0 to 3."

constexpr FunctionEntry cuda_import_functions[] = {
    {"as_cuda_array", "(obj, sync=True)",
     "Import an object with __cuda_array_interface__ as an array on its device, without a "
     "copy.\n\nThe object is kept alive as long as the memory is in use. When it is released, work "
     "on the memory is ordered before later work on the producer's stream. Like "
     "numba.cuda.as_cuda_array.\n\n"
     "Parameters\n----------\nobj : object with __cuda_array_interface__\n" SKERRY_IMPORT_DOC
     "\nReturns\n-------\nArray\n    On a CUDA device, or a CPU device for pinned host "
     "memory.\n" SKERRY_IMPORT_ERRORS,
     run_as_cuda_array},
    {"from_cuda_array_interface", "(desc, owner=None, *, sync=True, device=None)",
     "Import the memory that a CUDA array interface describes as an array, without a copy.\n\n"
     "Like numba.cuda.from_cuda_array_interface; as_cuda_array takes the object itself.\n\n"
     "Parameters\n----------\ndesc : dict\n    Of version 0 to 3.\nowner : object, optional\n"
     "    Kept alive as long as the memory is in use. None: the caller keeps the memory alive, and "
     "synchronizes before freeing it.\n" SKERRY_IMPORT_DOC
     "device : Device or str, optional\n    Must be the memory's device; for an empty array, the "
     "device of the result.\n" SKERRY_IMPORT_ERRORS,
     run_from_cuda_array_interface},
    {"is_cuda_array", "(obj, /)",
     "Test whether an object has __cuda_array_interface__, without validating it.\n\nFalse for an "
     "array on a CPU device, unless pinned.\n\n"
     "Parameters\n----------\nobj : object\n    Any object.",
     run_is_cuda_array},
};

#undef SKERRY_IMPORT_DOC
#undef SKERRY_IMPORT_ERRORS

}  // namespace

void add_cuda_import(PyObject* module) { add_functions<cuda_import_functions>(module, nullptr); }

}  // namespace skerry::python
