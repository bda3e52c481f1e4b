// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/device_args.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/cpu/info.hpp"
#include "device/cpu/thread_pool.hpp"
#include "device/memory.hpp"
#include "device/registry.hpp"
#include "device/rehearsal/rehearse.hpp"
#include "device/transfer.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/dlpack_tensor.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/lazy_object.hpp"
#include "python/bindings/pybind.hpp"

namespace skerry::python {
namespace {

PyTypeObject* device_type = nullptr;
constinit ContextVariable context_device;
constexpr std::uint32_t no_default = UINT32_MAX;
std::atomic<std::uint32_t> process_default{0};

constexpr std::uint32_t pack(Device device) {
  return static_cast<std::uint32_t>(device.kind) << 16 | static_cast<std::uint16_t>(device.index);
}
constexpr Device unpack(std::uint32_t bits) {
  return {static_cast<DeviceKind>(bits >> 16), static_cast<std::int16_t>(bits & 0xffff)};
}

const Device& value_of_device(PyObject* object) { return py::handle(object).cast<const Device&>(); }

Device make_device(const py::object& name, const py::object& index) {
  const OperationScope scope("Device");
  const Device device = parse_device_argument(name.ptr());
  if (index.is_none()) return device;
  const bool has_index = PyUnicode_Check(name.ptr()) == 0 ||
                         std::string_view(utf8(name.ptr())).find(':') != std::string::npos;
  if (has_index) {
    throw ValueError("the index is given twice: " + to_string(device) +
                     "; write Device(\"cuda\", 1) or Device(\"cuda:1\")");
  }
  const std::int64_t number = index_argument("index", index.ptr());
  return parse_device(std::string(utf8(name.ptr())) + ":" + std::to_string(number));
}

py::object peers(const DeviceInfo& about) {
  py::list device_objects;
  for (const int index : about.peers) {
    device_objects.append(
        py::handle(device_object({about.device.kind, static_cast<std::int16_t>(index)})));
  }
  return py::tuple(device_objects);
}

void add_device_class(py::module_& module) {
  auto type = py::class_<Device>(
      module, "Device",
      "A device: Device(\"cpu\"), Device(\"cuda:1\") or Device(\"cuda\", 1).\n\n"
      "Hashable, comparable and picklable. The device need not exist; `skerry.devices()` lists "
      "those that do.");
  type.def(py::init([](const py::object& name, const py::object& index) {
             return make_device(name, index);
           }),
           py::arg("name"), py::arg("index") = py::none());
  type.def_property_readonly(
      "kind", [](const Device& self) { return to_string(self.kind); }, "\"cpu\" or \"cuda\".");
  type.def_property_readonly(
      "index", [](const Device& self) { return static_cast<int>(self.index); },
      "The number among the devices of its kind.");
  type.def_property_readonly(
      "info", [](const Device& self) { return describe(self); },
      "Properties of the device, a DeviceInfo. DeviceUnavailableError if it can't be used.");
  type.def("__eq__", [](const Device& self, const py::object& other) -> py::object {
    if (Py_TYPE(other.ptr()) != device_type) {
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
    return py::bool_(self == other.cast<const Device&>());
  });
  type.def("__hash__", [](const Device& self) { return pack(self); });
  type.def("__str__", [](const Device& self) { return to_string(self); });
  type.def("__repr__", [](const Device& self) { return "Device('" + to_string(self) + "')"; });
  type.def(
      "__dlpack_device__",
      [](const Device& self) {
        const dlpack::DeviceId id = dlpack::id_of(self);
        return py::make_tuple(static_cast<int>(id.code), id.index);
      },
      "DLPack's name of the device: (device type, device id).\n\nAll CPU devices are (1, 0); a "
      "CUDA device is (2, the CUDA runtime's ordinal).");
  type.def("__reduce__", [type](const Device& self) {
    return py::make_tuple(type, py::make_tuple(to_string(self)));
  });
  type.attr("__module__") = "skerry";
  device_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

void add_info_classes(py::module_& module) {
  py::class_<DeviceInfo>(module, "DeviceInfo", "Properties of a device.")
      .def_readonly("name", &DeviceInfo::name, "The vendor's name of the device.")
      .def_readonly("rehearsal", &DeviceInfo::rehearsal, "Whether it is simulated on the host.")
      .def_readonly("physical_index", &DeviceInfo::physical_index,
                    "The ordinal of the CUDA runtime; 0 for a CPU.")
      .def_readonly("compute_capability", &DeviceInfo::compute_capability,
                    "90 for 9.0; 0 for a CPU.")
      .def_readonly("total_bytes", &DeviceInfo::total_bytes)
      .def_readonly("free_bytes", &DeviceInfo::free_bytes)
      .def_readonly("uuid", &DeviceInfo::uuid)
      .def_property_readonly("peers", peers, "The CUDA devices whose memory it can access.")
      .def("__copy__", [](const py::object& self) { return self; })
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__repr__", [](const DeviceInfo& self) {
        return "DeviceInfo(" + to_string(self.device) + ", '" + self.name + "'" +
               (self.rehearsal ? ", rehearsal" : "") + ")";
      });
  py::class_<MemoryStatistics>(module, "MemoryStatistics", "Memory of one device, in bytes.")
      .def_readonly("live_bytes", &MemoryStatistics::live_bytes, "Currently in arrays.")
      .def_readonly("live_blocks", &MemoryStatistics::live_blocks)
      .def_readonly("peak_bytes", &MemoryStatistics::peak_bytes, "Maximum of live_bytes.")
      .def_readonly("cached_bytes", &MemoryStatistics::cached_bytes, "Held by the pool.")
      .def_property_readonly(
          "limit_bytes",
          [](const MemoryStatistics& self) -> py::object {
            if (self.limit_bytes == SIZE_MAX) return py::none();
            return py::int_(self.limit_bytes);
          },
          "None without a limit.")
      .def_readonly("allocations", &MemoryStatistics::allocations)
      .def_readonly("system_allocations", &MemoryStatistics::system_allocations)
      .def("__copy__", [](const py::object& self) { return self; })
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__repr__", [](const MemoryStatistics& self) {
        return "MemoryStatistics(live_bytes=" + std::to_string(self.live_bytes) +
               ", peak_bytes=" + std::to_string(self.peak_bytes) +
               ", cached_bytes=" + std::to_string(self.cached_bytes) + ")";
      });
}

/// "'cpu' and 'cuda'"
std::string list_of_kinds() {
  const std::vector<std::string> names = device_kind_names();
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : " and ";
    list += "'" + names[i] + "'";
  }
  return list;
}

py::tuple devices_of_kind(const py::object& named) {
  std::optional<DeviceKind> kind;
  if (!named.is_none()) {
    kind = find_device_kind(PyUnicode_Check(named.ptr()) ? utf8(named.ptr()) : "");
    if (!kind) throw ValueError("devices: unknown kind; there are " + list_of_kinds());
  }
  py::list device_objects;
  for (const Device device : devices(kind))
    device_objects.append(py::handle(device_object(device)));
  return py::tuple(device_objects);
}

void synchronize_devices(const py::object& device_argument) {
  if (!device_argument.is_none()) {
    const OperationScope scope("synchronize");
    const Device device = usable_device(device_argument.ptr());
    const WithoutGil waiting(true);
    synchronize(device);
    return;
  }
  for (const Device device : devices_to_wait_for()) {
    const WithoutGil waiting(true);
    synchronize(device);
  }
}

/// Does not require the device to be usable, so that it also works for a lost one.
MemoryStatistics statistics_of(const py::object& device_argument) {
  const OperationScope scope("memory_statistics");
  return statistics(device_argument.is_none() ? default_device()
                                              : parse_device_argument(device_argument.ptr()));
}

void limit_memory(const py::object& device_argument, const py::object& nbytes) {
  const OperationScope scope("set_memory_limit");
  const Device device = usable_device(device_argument.ptr());
  if (nbytes.is_none()) {
    set_memory_limit(device, std::nullopt);
    return;
  }
  const std::int64_t limit = index_argument("nbytes", nbytes.ptr());
  if (limit < 0) throw ValueError("nbytes must not be negative: " + std::to_string(limit));
  set_memory_limit(device, static_cast<std::size_t>(limit));
}

std::size_t trim_device(const py::object& device_argument) {
  const OperationScope scope("trim");
  const Device device = device_or_default(device_argument.ptr());
  const WithoutGil waiting(true);
  return trim(device);
}

void limit_threads(const py::object& count) {
  const OperationScope scope("set_num_threads");
  const std::int64_t max_threads = index_argument("count", count.ptr());
  if (max_threads < 1) throw ValueError("count must be at least 1: " + std::to_string(max_threads));
  cpu::set_thread_count(static_cast<int>(std::min<std::int64_t>(max_threads, 1024)));
}

RehearsedKernels kernels_argument(const py::object& kernels) {
  if (py::isinstance<py::bool_>(kernels)) {
    return kernels.cast<bool>() ? RehearsedKernels::users : RehearsedKernels::none;
  }
  if (py::isinstance<py::str>(kernels) && kernels.cast<std::string>() == "all") {
    return RehearsedKernels::all;
  }
  throw ValueError("kernels must be False, True or \"all\"");
}

constexpr const char* rehearse_text =
    "Create rehearsed devices cuda:0, cuda:1, ... on this computer, with or without a GPU.\n\n"
    "All of the library's CUDA code runs on a simulated CUDA runtime with asynchronous streams "
    "and separate memory.\nCall it before the first use of CUDA in the process.\n\n"
    "Parameters\n----------\n"
    "cuda : int\n    The number of devices, 1 to 64.\n"
    "kernels : bool or \"all\", optional\n"
    "    True: use an emulated GPU that also runs kernels of other libraries: Numba's "
    "``@cuda.jit``,\n    programs of cuda.core, NVRTC. Call it before these load a driver. "
    "\"all\": also run skerry's own CUDA kernels there,\n    instead of their CPU form, which is "
    "faster.\n\n"
    "Raises\n------\nValueError\n    If CUDA has been used already, or the count is not in "
    "1...64.\n"
    "RuntimeError\n    With kernels, if another driver has been loaded already.\n"
    "DeviceUnavailableError\n    If the emulated GPU is not installed: pip install "
    "'skerry[emulator]'.";

void add_device_functions(py::module_& module) {
  define_public(
      module, "devices", devices_of_kind, py::arg("kind") = py::none(),
      "List the usable devices, of one kind (\"cpu\", \"cuda\") or of all.\n\n"
      "Listing CUDA devices makes the first CUDA call of the process. Does not raise if there is "
      "none.\n\n"
      "Parameters\n----------\nkind : {'cpu', 'cuda'}, optional\n    None: all kinds.\n\n"
      "Returns\n-------\ntuple of Device");
  define_public(
      module, "default_device",
      []() -> py::object {
        const std::optional<Device> device = find_default_device();
        if (!device) return py::none();
        return py::reinterpret_borrow<py::object>(device_object(*device));
      },
      "The Device of creation functions without device=: that of `with skerry.device(...)`, else "
      "of set_default_device, else cpu:0.\n\nNone if one of these was called with None: device= "
      "is required then.");
  define_public(
      module, "set_default_device",
      [](const py::object& device_argument) {
        const OperationScope scope("set_default_device");
        process_default =
            device_argument.is_none() ? no_default : pack(usable_device(device_argument.ptr()));
      },
      py::arg("device"),
      "Set the device of creation functions without device=, for the process.\n\n"
      "Parameters\n----------\ndevice : Device or str or None\n    The default device from now on. "
      "None: no default. Functions that create arrays then raise\n    TypeError without device=, "
      "unless an array among their arguments determines the device.\n\n"
      "Raises\n------\nDeviceUnavailableError\n    If the device can't be used.");
  define_public(
      module, "rehearse",
      [](const py::object& cuda, const py::object& kernels) {
        const OperationScope scope("rehearse");
        const std::int64_t requested_count = index_argument("cuda", cuda.ptr());
        const int count = static_cast<int>(std::clamp<std::int64_t>(requested_count, -1, 1000));
        const RehearsedKernels rehearsed_kernels = kernels_argument(kernels);
        if (rehearsed_kernels == RehearsedKernels::none) return rehearse(count);
        const py::object emulator =
            py::module_::import("skerry._emulator").attr("emulator")("rehearse");
        emulator.attr("refuse_other_drivers")(py::arg("own_kernels") =
                                                  rehearsed_kernels == RehearsedKernels::all);
        set_emulator_folder(emulator.attr("folder")().cast<std::string>());
        rehearse(count, rehearsed_kernels);
        // Other libraries find the emulator under the names of NVIDIA's libraries.
        emulator.attr("load")();
      },
      py::kw_only(), py::arg("cuda"), py::arg("kernels") = false, rehearse_text);
  define_public(module, "synchronize", synchronize_devices, py::arg("device") = py::none(),
                "Wait for all work on a device, or on all CUDA devices that are in use.\n\n"
                "Parameters\n----------\ndevice : Device or str, optional\n    None: all CUDA "
                "devices that are in use.\n\n"
                "Raises\n------\nDeviceError\n    If work failed.");
}

void add_memory_functions(py::module_& module) {
  define_public(module, "memory_statistics", statistics_of, py::arg("device") = py::none(),
                "Current, peak and cached bytes of arrays on a device.\n\n"
                "Parameters\n----------\ndevice : Device or str, optional\n    The default device "
                "if None.\n\nReturns\n-------\nMemoryStatistics\n    With live_bytes, "
                "live_blocks, peak_bytes, cached_bytes, limit_bytes, allocations and\n    "
                "system_allocations.");
  define_public(
      module, "reset_peak",
      [](const py::object& device_argument) {
        const OperationScope scope("reset_peak");
        reset_peak(device_or_default(device_argument.ptr()));
      },
      py::arg("device") = py::none(),
      "Reset a device's peak_bytes to its current live_bytes.\n\n"
      "Parameters\n----------\ndevice : Device or str, optional\n    The default device if None.");
  define_public(module, "set_memory_limit", limit_memory, py::arg("device"),
                py::arg("nbytes") = py::none(),
                "Limit the total bytes of arrays on a device, cache included; None for no "
                "limit.\n\nExisting arrays are kept; an allocation beyond the limit raises "
                "OutOfMemoryError.\n\n"
                "Parameters\n----------\ndevice : Device or str\n    The device whose pool is "
                "limited.\nnbytes : int, optional\n    None: no limit.");
  define_public(module, "trim", trim_device, py::arg("device") = py::none(),
                "Release cached memory of a device to the system.\n\n"
                "Parameters\n----------\ndevice : Device or str, optional\n    The default device "
                "if None.\n\nReturns\n-------\nint\n    The number of bytes that were released.");
  define_public(module, "get_num_threads", cpu::thread_count,
                "The number of threads of parallel loops on the CPU.");
  define_public(module, "set_num_threads", limit_threads, py::arg("count"),
                "Set the number of threads of parallel loops on the CPU.\n\n"
                "Parameters\n----------\ncount : int\n    At least 1; at most 1024 are used.");
}

void add_scope_functions(py::module_& module) {
  module.def(
      "as_device",
      [](const py::object& device_argument) {
        const OperationScope scope("device");
        return py::handle(device_object(parse_device_argument(device_argument.ptr())));
      },
      py::arg("device"), py::pos_only(), "The Device of a Device or its name.");
  module.def(
      "device_or_default",
      [](const py::object& name, const py::object& device_argument) {
        const OperationScope scope(utf8(name.ptr()));
        return py::handle(device_object(device_or_default(device_argument.ptr())));
      },
      py::arg("name"), py::arg("device"), py::pos_only(),
      "The Device of `device=`: the default device if None. TypeError if there is no default.");
  module.def(
      "use_device_context", [](const py::object& variable) { context_device.set(variable.ptr()); },
      py::arg("variable"), py::pos_only(),
      "Use this contextvars.ContextVar for the default device.");
}

/// Exports the registry, with which extension modules add devices of their own.
void add_backend_registry(PyObject* module) {
  static constexpr BackendRegistry registry{sizeof(Backend), register_backend};
  const Object capsule(
      PyCapsule_New(const_cast<BackendRegistry*>(&registry), BackendRegistry::name, nullptr));
  add_to_module(module, "_backend_registry", capsule);
}

}  // namespace

PyObject* device_object(Device device) {
  static constinit LazyObject objects[max_device_kinds][64];
  const auto kind = static_cast<std::size_t>(device.kind);
  if (device.index < 0 || device.index >= 64) {
    throw ValueError(to_string(device) + ": its index is not in 0...63");
  }
  return objects[kind][device.index].get([&] { return py::cast(device).release().ptr(); });
}

Device parse_device_argument(PyObject* object) {
  if (Py_TYPE(object) == device_type) return value_of_device(object);
  if (PyUnicode_Check(object)) return parse_device(utf8(object));
  if (const std::optional<Device> device = device_by_dlpack(object)) return *device;
  const std::string type = Py_TYPE(object)->tp_name;
  std::string remedy;
  if (PyLong_Check(object)) remedy = "; use \"cuda:" + shown(object) + "\"";
  if (type == "torch.device") remedy = "; use str(device)";
  throw TypeError("device must be a skerry.Device or a name such as \"cuda:0\", not " + type +
                  remedy);
}

Device usable_device(PyObject* object) {
  const Device device = parse_device_argument(object);
  require(device);
  return device;
}

std::optional<Device> find_default_device() {
  if (context_device.is_set()) {
    const Object device = context_device.value();
    if (device.get() == Py_None) return std::nullopt;
    if (device.get() != nullptr) return value_of_device(device.get());
  }
  const std::uint32_t bits = process_default.load(std::memory_order_relaxed);
  return bits == no_default ? std::nullopt : std::optional(unpack(bits));
}

Device default_device() {
  if (const std::optional<Device> device = find_default_device()) return *device;
  throw TypeError(
      "device is required, as there is no default device (set_default_device(None) or `with "
      "skerry.device(None)`); pass device=, or create arrays inside `with skerry.device(...)`");
}

Device default_host_device() {
  const std::optional<Device> device = find_default_device();
  return device && is_host(*device) ? *device : Device{};
}

Device device_or_default(PyObject* object) {
  if (object != nullptr && object != Py_None) return usable_device(object);
  const Device device = default_device();
  require(device);
  return device;
}

int physical_index(Device device) {
  static constinit std::atomic<int> ordinals[max_device_kinds][64]{};  // ordinal + 1
  if (is_host(device)) return 0;
  std::atomic<int>& cached = ordinals[static_cast<std::size_t>(device.kind)][device.index];
  int one = cached.load(std::memory_order_relaxed);
  if (one == 0) {
    one = ordinal_of(device) + 1;
    cached.store(one, std::memory_order_relaxed);
  }
  return one - 1;
}

std::optional<Device> device_of_physical(int ordinal) {
  for (const Device device : devices(first_cuda_interface_device().kind)) {
    if (physical_index(device) == ordinal) return device;
  }
  return std::nullopt;
}

void add_devices(py::module_& module) {
  py::register_local_exception_translator([](std::exception_ptr failure) {
    try {
      std::rethrow_exception(failure);
    } catch (...) {
      set_python_error();
    }
  });
  add_device_class(module);
  add_info_classes(module);
  add_backend_registry(module.ptr());
  add_streams(module);
  add_device_functions(module);
  add_memory_functions(module);
  add_scope_functions(module);
}

}  // namespace skerry::python
