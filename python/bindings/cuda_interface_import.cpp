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

void check_address(const char* op, const Described& fields) {
  const void* const address = fields.data.address;
  if (fields.data.is_none)
    reject_interface_type(op, "the pointer of 'data' is None for an array of elements");
  if (address == nullptr)
    reject_interface(op, "the pointer of 'data' is 0 for an array of elements");
  const auto alignment = static_cast<std::uintptr_t>(info(fields.type).alignment);
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
    reject_interface(op, "the pointer of 'data' " + address_text(address) +
                             " is not aligned to the " + std::to_string(alignment) + " bytes of " +
                             name(fields.type));
  }
}

[[noreturn]] void reject_device(const char* op, const std::string& memory, Device wanted) {
  reject_interface(op, "the memory is " + memory + ", not on " + to_string(wanted) +
                           ", and is not copied unasked; take it as it is and use to_device");
}

/// Where the memory is. Logical devices of one GPU can't be told apart by an address, so a wish
/// among them is granted.
Device device_of_facts(const char* op, const PointerFacts& facts,
                       const std::optional<Device>& wanted) {
  using kind = PointerKind;
  if (facts.kind == kind::host) {
    if (wanted && !is_host(*wanted)) {
      reject_device(op, "pinned host memory", *wanted);
    }
    const Device usual = default_device();
    return wanted.value_or(is_host(usual) ? usual : Device{});
  }
  if (wanted && capabilities_of(*wanted).has_cuda_interface &&
      (facts.kind == kind::managed || physical_index(*wanted) == facts.ordinal)) {
    return *wanted;
  }
  const std::optional<Device> found = device_of_physical(facts.ordinal);
  if (!found) reject_interface(op, "no device for CUDA ordinal " + std::to_string(facts.ordinal));
  if (wanted) reject_device(op, "on " + to_string(*found), *wanted);
  return *found;
}

struct Location {
  Device where;
  Device gpu;            ///< whose streams the producer names
  char* data = nullptr;  ///< of the first element
  bool pinned = false;
};

Location locate(const char* op, const ForeignData& data, ByteRange range,
                const std::optional<Device>& wanted) {
  const PointerFacts facts = inspect_pointer(data.address);
  if (facts.kind == PointerKind::unknown) {
    reject_interface(
        op, "the pointer of 'data' " + address_text(data.address) +
                " is not a device pointer: CUDA knows no memory there; it is the host's, or was "
                "freed");
  }
  const Device where = device_of_facts(op, facts, wanted);
  check_extent(op, data.address, range, facts);
  if (facts.kind != PointerKind::host) {
    return {where, where, static_cast<char*>(data.address), false};
  }
  const Device gpu = device_of_physical(facts.ordinal).value_or(first_cuda_interface_device());
  void* const address = facts.data != nullptr ? facts.data : data.address;
  return {where, gpu, static_cast<char*>(address), true};
}

/// No elements: no address to ask the driver about.
Location location_of_nothing(const std::optional<Device>& wanted) {
  Device where = first_cuda_interface_device();
  const Device first = where;
  if (default_device().kind == first.kind) where = default_device();
  if (wanted) where = *wanted;
  require(where);
  return {where, where.kind == first.kind ? where : first, nullptr, false};
}

/// The producer's stream. None, or a version that has no such entry, means the legacy default one:
/// where such a producer works elsewhere, it has promised to wait itself.
Stream producer_of(const char* op, Device where, const std::optional<std::int64_t>& handle) {
  if (!handle) return Stream(where);
  auto* const native = reinterpret_cast<void*>(static_cast<std::uintptr_t>(*handle));
  if (*handle > 2) {
    const int ordinal = ordinal_of_stream(where, native);
    if (ordinal < 0) reject_interface(op, "'stream' is no stream: " + std::to_string(*handle));
    if (ordinal != physical_index(where)) {
      reject_interface(op, "'stream' belongs to the device of CUDA ordinal " +
                               std::to_string(ordinal) + ", the memory to " + to_string(where));
    }
  }
  return Stream::from_handle(where, native);
}

/// SKERRY_CAI_SYNC=0: whoever uses the process has promised to synchronise himself.
const bool environment_orders = flag_from_environment("SKERRY_CAI_SYNC", true);

/// Work on the memory comes after what the producer has enqueued.
void order_after(const Stream& producer, ImportOrder order, bool is_told, Storage& memory) {
  if (order == ImportOrder::none || !environment_orders) return;
  if (order == ImportOrder::whole_device) {
    const WithoutGil waiting(true);
    return synchronize(producer.where());
  }
  if (!capabilities_of(memory.where()).runs_later) {
    if (!is_told) return;
    const WithoutGil waiting(true);
    return producer.synchronize();
  }
  const Stream own = current_stream(producer.where());
  if (!(own == producer)) own.wait(producer);
  come_after_current(memory);
}

}  // namespace

std::optional<CudaInterface> read_cuda_interface(const char* op, PyObject* from) {
  const Object found = optional_attribute(from, attribute);
  if (found.get() == nullptr || found.get() == Py_None) return std::nullopt;
  return parse_cuda_interface(op, found.get());
}

NdArray from_cuda_interface(const char* op, const CudaInterface& from, PyObject* owner,
                            const CudaImport& options) {
  if (from.version > newest_interface_version &&
      PyErr_WarnFormat(PyExc_UserWarning, 1,
                       "%s: version %lld of the CUDA array interface is newer than the newest that "
                       "is known, 3; what it has beyond that is ignored",
                       op, static_cast<long long>(from.version)) != 0) {
    throw PythonError{};
  }
  Described fields = read_fields(op, from.description.get());
  if (!fields.is_empty) check_address(op, fields);
  Layout place{.shape = std::move(fields.shape), .strides = std::move(fields.strides)};
  const ByteRange range = check_layout(op, fields.is_empty ? nullptr : fields.data.address, place,
                                       itemsize(fields.type));
  const Location at = fields.is_empty ? location_of_nothing(options.where)
                                      : locate(op, fields.data, range, options.where);
  const Stream producer = fields.is_empty ? Stream(at.gpu) : producer_of(op, at.gpu, fields.stream);
  ForeignMemory memory{.data = at.data + range.first,
                       .nbytes = range.nbytes(),
                       .read_only = fields.data.read_only,
                       .pinned = at.pinned};
  if (owner != nullptr) {
    memory.owner = owner;
    memory.release = drop_reference;
    // The stream lives as long as the owner. The per-thread one is another in each thread, but the
    // legacy one waits for all of those.
    if (fields.stream > 2) memory.producer_stream = producer.handle();
  }
  NdArray taken(adopt(at.where, memory), std::move(place), fields.type, fields.data.read_only);
  Py_XINCREF(owner);
  // Version 3 says by None, or by no entry, that there is nothing to wait for; older ones say
  // nothing, and their producers (PyTorch, JAX) work on the default stream as a rule.
  const bool is_told = fields.stream.has_value();
  const bool waits = is_told || from.version < newest_interface_version;
  if (options.order == ImportOrder::whole_device || (waits && !fields.is_empty)) {
    order_after(producer, options.order, is_told, *taken.memory().get());
  }
  return taken;
}

NdArray from_cuda_interface(const char* op, PyObject* from, const CudaImport& options) {
  const std::optional<CudaInterface> found = read_cuda_interface(op, from);
  if (!found) {
    reject_interface_type(
        op,
        type_name(from) + " does not implement the CUDA array interface: it has no " + attribute);
  }
  return from_cuda_interface(op, *found, from, options);
}

namespace {

ImportOrder order_of(const char* op, PyObject* sync) {
  if (sync == nullptr || sync == Py_True) return ImportOrder::by_event;
  if (sync == Py_False) return ImportOrder::none;
  if (PyUnicode_Check(sync) != 0 && PyUnicode_CompareWithASCIIString(sync, "device") == 0) {
    return ImportOrder::whole_device;
  }
  reject_interface_type(op, "sync must be True, False or \"device\", not " + shown(sync));
}

PyObject* run_from_cuda_array_interface(const Arguments& with) {
  constexpr const char* op = "from_cuda_array_interface";
  CudaImport options{.order = order_of(op, with[2]), .where = std::nullopt};
  if (with.has(3)) options.where = usable_device(op, with[3]);
  if (PyDict_Check(with[0]) == 0 && PyObject_HasAttrString(with[0], attribute) != 0) {
    reject_interface_type(op, "takes the dict, not the object that has it: " + type_name(with[0]) +
                                  "; use as_cuda_array, or asarray");
  }
  const CudaInterface found = parse_cuda_interface(op, with[0]);
  return wrap(from_cuda_interface(op, found, with.has(1) ? with[1] : nullptr, options));
}

PyObject* run_as_cuda_array(const Arguments& with) {
  constexpr const char* op = "as_cuda_array";
  const CudaImport options{.order = order_of(op, with[1]), .where = std::nullopt};
  if (is_array(with[0]) && capabilities_of(value_of(with[0]).device()).has_cuda_interface) {
    return Py_NewRef(with[0]);
  }
  return wrap(from_cuda_interface(op, with[0], options));
}

PyObject* run_is_cuda_array(const Arguments& with) {
  const Object found = optional_attribute(with[0], attribute);
  return PyBool_FromLong(found.get() != nullptr && found.get() != Py_None);
}

#define SKERRY_IMPORT_DOC                                                                          \
  "sync : bool or \"device\"\n    True: work on the result waits for the producer's stream, by "   \
  "an event. False: the caller has seen to it; so has he for all imports with SKERRY_CAI_SYNC=0. " \
  "\"device\": the host waits for the whole device, for producers (PyTorch, JAX) that name no "    \
  "stream and may use another than the default one.\n"
#define SKERRY_IMPORT_ERRORS                                                                      \
  "\nRaises\n------\nInterchangeError\n    (BufferError and ValueError) for a missing key, a "    \
  "value out of range, memory that CUDA does not know, that is too small, misaligned, or on "     \
  "another device.\nTypeError\n    For a value of a wrong type, and a dtype that is none of the " \
  "standard's.\nNotImplementedError\n    For an array with a mask.\nOverflowError\n    For a "    \
  "pointer that is no address.\n\nSource: CUDA Array Interface, versions 0 to 3."

constexpr FunctionEntry cuda_import_functions[] = {
    {"as_cuda_array", "(obj, sync=True)",
     "The memory of an object with __cuda_array_interface__, as an array on its device, without a "
     "copy.\n\nThe object is kept as long as the memory is used, and work on it is ordered before "
     "later work on the producer's stream by the time it is let go. As "
     "numba.cuda.as_cuda_array.\n\n"
     "Parameters\n----------\nobj : object with __cuda_array_interface__\n" SKERRY_IMPORT_DOC
     "\nReturns\n-------\nArray\n    On a CUDA device, or a CPU device for pinned host "
     "memory.\n" SKERRY_IMPORT_ERRORS,
     run_as_cuda_array},
    {"from_cuda_array_interface", "(desc, owner=None, *, sync=True, device=None)",
     "The memory that a CUDA array interface describes, as an array, without a copy.\n\n"
     "As numba.cuda.from_cuda_array_interface; as_cuda_array takes the object itself.\n\n"
     "Parameters\n----------\ndesc : dict\n    Of version 0 to 3.\nowner : object, optional\n"
     "    Kept as long as the memory is used. None: the caller keeps the memory, and waits for the "
     "work on it before it is freed.\n" SKERRY_IMPORT_DOC
     "device : Device or str, optional\n    Must be the one the memory is on; the device of a "
     "result without elements.\n" SKERRY_IMPORT_ERRORS,
     run_from_cuda_array_interface},
    {"is_cuda_array", "(obj, /)",
     "Whether an object has __cuda_array_interface__; it is not validated.\n\nFalse for an array "
     "on a CPU device, unless pinned.",
     run_is_cuda_array},
};

#undef SKERRY_IMPORT_DOC
#undef SKERRY_IMPORT_ERRORS

}  // namespace

void add_cuda_import(PyObject* module) { add_functions<cuda_import_functions>(module, nullptr); }

}  // namespace skerry::python
