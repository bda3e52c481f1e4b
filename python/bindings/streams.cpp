// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/backend.hpp"
#include "device/stream.hpp"

#include <memory>
#include <string>

#include "core/errors.hpp"
#include "device/interchange.hpp"
#include "device/registry.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/foreign.hpp"
#include "python/bindings/pybind.hpp"

namespace skerry::python {
namespace {

// Handles of the CUDA runtime's default streams, the same in all protocols.
constexpr std::uintptr_t legacy_default = 1;
constexpr std::uintptr_t per_thread_default = 2;

py::object device_of(Device device) {
  return py::reinterpret_borrow<py::object>(device_object(device));
}

constexpr const char* stream_text =
    "A queue of work on a CUDA device: `Stream(\"cuda:0\")` creates one.\n\n"
    "Work on different streams may overlap, but uses of the same array take effect in program "
    "order.\n\n"
    "As a context manager it becomes this thread's current stream of its device. Blocks can be "
    "nested, also with\nthe same stream; leaving a block restores the previous stream.\n\n"
    "Parameters\n----------\ndevice : Device or str\n    A CUDA device.\n\n"
    "Raises\n------\nValueError\n    For a CPU device, whose work is complete when a call "
    "returns.\n"
    "DeviceUnavailableError\n    If the device can't be used.\n\n"
    "Examples\n--------\n"
    ">>> stream = sk.Stream(\"cuda:0\")\n"
    ">>> with stream:\n"
    "...     x = sk.arange(4, device=\"cuda:0\") + 1\n"
    ">>> sk.current_stream(\"cuda:0\") == stream\n"
    "False\n"
    ">>> x.tolist()\n"
    "[1, 2, 3, 4]";

constexpr const char* event_text =
    "A point in the work of a stream, and the time at which the device reached it.\n\n"
    "For a CPU device, whose work is complete when a call returns, it is the time of "
    "`record()`.\n\n"
    "Parameters\n----------\ndevice : Device or str\n    The device of the streams that record "
    "it.\n\n"
    "Raises\n------\nDeviceUnavailableError\n    If the device can't be used.\n\n"
    "Examples\n--------\n"
    ">>> start, end = sk.Event(\"cuda:0\"), sk.Event(\"cuda:0\")\n"
    ">>> x = sk.ones((200, 200), device=\"cuda:0\")\n"
    ">>> start.record()\n"
    ">>> x = x @ x\n"
    ">>> end.record()\n"
    ">>> end.synchronize()\n"
    ">>> 0 < start.elapsed(end) < 60  # seconds\n"
    "True";

/// Returns a Stream unchanged; imports another library's stream as one of `device`; None is the
/// current stream of `device`.
Stream any_stream(const py::object& stream_argument, Device device) {
  if (stream_argument.is_none()) return current_stream(device);
  if (py::isinstance<Stream>(stream_argument)) return stream_argument.cast<const Stream&>();
  return parse_stream(stream_argument.ptr(), device);
}

std::uintptr_t handle_number(const Stream& stream) {
  return reinterpret_cast<std::uintptr_t>(stream.handle());
}

/// Adds the protocols of Python and other libraries.
void add_stream_protocols(py::class_<Stream>& streams) {
  streams
      .def(
          "__cuda_stream__",
          [](const Stream& self) { return py::make_tuple(0, handle_number(self)); },
          "(0, handle), for other libraries; 1 is the handle of the legacy default stream.")
      .def("__enter__",
           [](const py::object& self) {
             enter_stream(self.cast<const Stream&>());
             return self;
           })
      .def("__exit__",
           [](const Stream& self, const py::args&) {
             const OperationScope scope("stream");
             exit_stream(self);
           })
      .def("__eq__",
           [](const Stream& self, const py::object& other) -> py::object {
             if (!py::isinstance<Stream>(other)) {
               return py::reinterpret_borrow<py::object>(Py_NotImplemented);
             }
             return py::bool_(self == other.cast<const Stream&>());
           })
      .def("__hash__", handle_number)
      .def("__repr__", [](const Stream& self) {
        return "<Stream of " + to_string(self.device()) + ", handle " +
               std::to_string(handle_number(self)) + ">";
      });
}

void add_stream_class(py::module_& module) {
  auto streams = py::class_<Stream>(module, "Stream", stream_text);
  streams.attr("__module__") = "skerry";
  streams
      .def(py::init([](const py::object& device_argument) {
             const OperationScope scope("Stream");
             return Stream::create(usable_device(device_argument.ptr()));
           }),
           py::arg("device"))
      .def_static(
          "from_handle",
          [](const py::object& device_argument, const py::object& handle) {
            const OperationScope scope("Stream.from_handle");
            return parse_stream(handle.ptr(), usable_device(device_argument.ptr()));
          },
          py::arg("device"), py::arg("handle"),
          "Import a stream of another library by its handle, or an object with __cuda_stream__. "
          "It must outlive the work on it.\n\n"
          "Parameters\n----------\ndevice : Device or str\n    The device of the stream.\nhandle "
          ": int or object\n    A cudaStream_t, or an object with __cuda_stream__, ptr, "
          "cuda_stream or handle.\n\nReturns\n-------\nStream")
      .def_property_readonly("device", [](const Stream& self) { return device_of(self.device()); })
      .def_property_readonly("handle", handle_number,
                             "The cudaStream_t; 1 for the legacy default stream.")
      .def_property_readonly(
          "idle", [](const Stream& self) { return self.idle(); },
          "Whether all work enqueued so far is complete.")
      .def(
          "synchronize",
          [](const Stream& self) {
            const WithoutGil waiting(true);
            self.synchronize();
          },
          "Wait until all work enqueued so far is complete.")
      .def(
          "wait",
          [](const Stream& self, const py::object& other) {
            const OperationScope scope("Stream.wait");
            self.wait(any_stream(other, self.device()));
          },
          py::arg("other"),
          "Make later work on this stream wait for the current work of another: a Stream of any "
          "device, or another library's stream of this device.\n\n"
          "Parameters\n----------\nother : Stream, int or object with __cuda_stream__\n    The "
          "stream to wait for.");
  add_stream_protocols(streams);
}

void add_event_class(py::module_& module) {
  auto events = py::class_<Event>(module, "Event", event_text);
  events.attr("__module__") = "skerry";
  events
      .def(py::init([](const py::object& device_argument) {
             const OperationScope scope("Event");
             return Event(usable_device(device_argument.ptr()));
           }),
           py::arg("device"))
      .def_property_readonly("device", [](const Event& self) { return device_of(self.device()); })
      .def_property_readonly(
          "done", [](const Event& self) { return self.done(); },
          "Whether the stream has reached the recorded point; True if none was recorded.")
      .def(
          "record",
          [](Event& self, const py::object& stream_argument) {
            const OperationScope scope("Event.record");
            self.record(any_stream(stream_argument, self.device()));
          },
          py::arg("stream") = py::none(),
          "Record the current point in the work of a stream of the device, by default the current "
          "stream.\n\n"
          "Parameters\n----------\nstream : Stream, int or object with __cuda_stream__, "
          "optional\n    The current stream of the device by default.")
      .def(
          "wait",
          [](const Event& self, const py::object& stream_argument) {
            const OperationScope scope("Event.wait");
            self.wait(any_stream(stream_argument, self.device()));
          },
          py::arg("stream") = py::none(),
          "Make later work on a stream, by default the current one, wait for the recorded "
          "point.\n\n"
          "Parameters\n----------\nstream : Stream, int or object with __cuda_stream__, "
          "optional\n    The current stream of the device by default.")
      .def(
          "synchronize",
          [](const Event& self) {
            const WithoutGil waiting(true);
            self.synchronize();
          },
          "Wait until the stream has reached the recorded point.")
      .def(
          "elapsed",
          [](const Event& self, const Event& end) {
            const OperationScope scope("Event.elapsed");
            return self.elapsed(end);
          },
          py::arg("end"),
          "Seconds from this event to another one of the device, accurate to 0.5 us.\n\n"
          "Negative if the other event was reached first.\n\n"
          "Parameters\n----------\nend : Event\n    An event of the same "
          "device.\n\nReturns\n-------\nfloat\n    Seconds.\n\n"
          "Raises\n------\nDeviceMismatchError\n    If the events belong to different devices.\n"
          "ValueError\n    If one was not recorded or has not been reached: wait with "
          "`end.synchronize()`.");
}

/// A handle, and the object that must be kept alive while it is used.
struct ForeignStream {
  std::uintptr_t handle = 0;
  Object owner;
};

std::uintptr_t handle_of(PyObject* object, const char* argument) {
  if (PyIndex_Check(object) == 0 || PyBool_Check(object) != 0 || is_array(object) ||
      is_numpy_array(object)) {
    throw TypeError(std::string(argument) + " must be an int, not " + Py_TYPE(object)->tp_name);
  }
  const Object integer(PyNumber_Index(object));
  const std::size_t value = PyLong_AsSize_t(integer.get());
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw ValueError(std::string(argument) + " is not a stream handle");
}

/// Reads `__cuda_stream__`, a method (an attribute in the protocol's first drafts).
std::optional<std::uintptr_t> handle_by_protocol(PyObject* object) {
  Object pair = optional_attribute(object, "__cuda_stream__");
  if (pair.get() == nullptr) return std::nullopt;
  if (PyCallable_Check(pair.get()) != 0) pair = Object(PyObject_CallNoArgs(pair.get()));
  if (PyTuple_Check(pair.get()) == 0 || PyTuple_GET_SIZE(pair.get()) != 2) {
    throw TypeError("__cuda_stream__ must return (version, handle)");
  }
  const std::uintptr_t version =
      handle_of(PyTuple_GET_ITEM(pair.get(), 0), "the version of __cuda_stream__");
  if (version != 0) {
    throw ValueError("__cuda_stream__ has version " + std::to_string(version) +
                     "; only 0 is supported");
  }
  const std::uintptr_t handle =
      handle_of(PyTuple_GET_ITEM(pair.get(), 1), "the handle of __cuda_stream__");
  // In this protocol 0 is valid: the default stream.
  return handle == 0 ? legacy_default : handle;
}

/// Converts an attribute to an int: an int, a CUstream of cuda.bindings (`int()`), or a c_void_p
/// (`value`, None for 0) as in Numba. Returns null for other objects.
Object integer_of(const Object& attribute) {
  PyObject* const object = attribute.get();
  if (object == nullptr || PyBool_Check(object) != 0 || PyFloat_Check(object) != 0) return {};
  if (PyIndex_Check(object) != 0) return Object::borrow(object);
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (number != nullptr && number->nb_int != nullptr) return Object(PyNumber_Long(object));
  const Object value = optional_attribute(object, "value");
  if (value.get() == nullptr) return {};
  if (value.get() == Py_None) return Object(PyLong_FromLong(0));
  return PyLong_Check(value.get()) != 0 ? Object::borrow(value.get()) : Object();
}

ForeignStream read_stream(PyObject* object) {
  if (PyIndex_Check(object) != 0) return {handle_of(object, "stream"), {}};
  if (const auto handle = handle_by_protocol(object)) return {*handle, Object::borrow(object)};
  for (const char* name : {"ptr", "cuda_stream", "handle"}) {
    const Object integer = integer_of(optional_attribute(object, name));
    if (integer.get() == nullptr) continue;
    const std::uintptr_t handle = handle_of(integer.get(), name);
    return {handle == 0 ? legacy_default : handle, Object::borrow(object)};
  }
  throw TypeError(std::string("stream must be a Stream, an int handle, or an object with "
                              "__cuda_stream__, not ") +
                  Py_TYPE(object)->tp_name);
}

/// Throws ValueError unless the stream belongs to `device` or another logical device of its GPU.
void check_device(std::uintptr_t handle, Device device) {
  if (!capabilities_of(device).runs_later || handle <= per_thread_default) return;
  auto* const native = reinterpret_cast<void*>(handle);
  if (native == current_stream_handle(device)) return;
  const int ordinal = ordinal_of_stream(device, native);
  if (ordinal < 0) {
    throw ValueError(std::to_string(handle) + " is not a stream of " + to_string(device));
  }
  if (ordinal != physical_index(device)) {
    throw ValueError("the stream belongs to the device of CUDA ordinal " + std::to_string(ordinal) +
                     ", not to " + to_string(device));
  }
}

Stream keep(const ForeignStream& foreign_stream, Device device) {
  std::shared_ptr<void> owner;
  if (foreign_stream.owner.get() != nullptr) {
    owner = std::shared_ptr<void>(Py_NewRef(foreign_stream.owner.get()), drop_reference);
  }
  return Stream::from_handle(device, reinterpret_cast<void*>(foreign_stream.handle),
                             std::move(owner));
}

void set_current_stream(const py::object& stream_argument) {
  if (!py::isinstance<Stream>(stream_argument)) {
    throw TypeError("stream: must be a skerry.Stream, not " + type_name(stream_argument.ptr()));
  }
  set_current_stream(stream_argument.cast<const Stream&>());
}

/// Converts `stream` to a Stream. Without `device`, queries the driver for the stream's device.
py::object as_stream(const py::object& stream_argument, const py::object& device_argument) {
  const OperationScope scope("stream");
  if (!device_argument.is_none())
    return py::cast(parse_stream(stream_argument.ptr(), usable_device(device_argument.ptr())));
  if (py::isinstance<Stream>(stream_argument)) return stream_argument;
  const ForeignStream foreign_stream = read_stream(stream_argument.ptr());
  const Device first = first_cuda_interface_device();
  if (foreign_stream.handle <= per_thread_default) {
    const Device usual = find_default_device().value_or(Device{});
    const bool is_default_kind = usual.kind == first.kind;
    if (devices(first.kind).size() > 1 && !is_default_kind) {
      throw ValueError("each device has its own default stream; pass device=");
    }
    const Device device = is_default_kind ? usual : first;
    require(device);
    return py::cast(keep(foreign_stream, device));
  }
  require(first);
  const int ordinal = ordinal_of_stream(first, reinterpret_cast<void*>(foreign_stream.handle));
  const auto device = ordinal < 0 ? std::nullopt : device_of_physical(ordinal);
  if (!device) {
    throw ValueError(std::to_string(foreign_stream.handle) + " is not a stream of any device");
  }
  return py::cast(keep(foreign_stream, *device));
}

void add_stream_functions(py::module_& module) {
  module.def("as_stream", as_stream, py::arg("stream"), py::arg("device") = py::none(),
             py::pos_only(),
             "Convert a Stream, an int handle or an object with __cuda_stream__ to a Stream.");
  define_public(
      module, "current_stream",
      [](const py::object& device_argument) {
        const OperationScope scope("current_stream");
        return current_stream(device_or_default(device_argument.ptr()));
      },
      py::arg("device") = py::none(),
      "This thread's current Stream of a device.\n\n"
      "The stream of the innermost `with skerry.stream(...)` block of the device, else its default "
      "stream, with handle 1.\nA CPU device has one stream, with handle 0, whose work is always "
      "complete.\n\n"
      "Parameters\n----------\ndevice : Device or str, optional\n    By default the default "
      "device.\n\n"
      "Returns\n-------\nStream\n    With `__cuda_stream__`, so that other libraries can work on "
      "it.\n\n"
      "Raises\n------\nDeviceUnavailableError\n    If the device can't be used.");
  module.def("set_current_stream", set_current_stream, py::arg("stream"), py::pos_only(),
             "Set this thread's current stream of the stream's device.");
}

}  // namespace

Stream parse_stream(PyObject* object, Device device) {
  if (py::isinstance<Stream>(object)) {
    auto stream = py::handle(object).cast<Stream>();
    if (stream.device() != device) {
      throw ValueError("the stream belongs to " + to_string(stream.device()) + ", not to " +
                       to_string(device));
    }
    return stream;
  }
  const ForeignStream foreign_stream = read_stream(object);
  check_device(foreign_stream.handle, device);
  return keep(foreign_stream, device);
}

void add_streams(py::module_& module) {
  add_stream_class(module);
  add_event_class(module);
  add_stream_functions(module);
}

}  // namespace skerry::python
