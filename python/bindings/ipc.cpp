// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"
#include "core/errors.hpp"
#include "core/view.hpp"
#include "device/interchange.hpp"
#include "device/ipc.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/pybind.hpp"

// The parts of `skerry.ipc_handle` and `skerry.open_ipc` that need C++; python/skerry/_ipc.py has
// the rest.

namespace skerry::python {
namespace {

constexpr const char* operation = "ipc";

const NdArray& array_of(const py::object& x) {
  if (!is_array(x.ptr())) throw TypeError("x must be a skerry.Array, not " + type_name(x.ptr()));
  return value_of(x.ptr());
}

py::bytes to_python(const IpcBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

IpcBytes to_bytes(const py::bytes& object) {
  const std::string_view text(object);
  IpcBytes bytes{};
  if (text.size() != bytes.size()) throw ValueError("a handle has 64 bytes");
  std::ranges::copy(text, bytes.begin());
  return bytes;
}

/// Returns a copy of x in memory that other processes can open.
py::object copy_to_shareable(const py::object& x) {
  const OperationScope scope(operation);
  const NdArray& source = array_of(x);
  const StorageRef memory =
      allocate_shareable(source.device(), static_cast<std::size_t>(source.nbytes()));
  NdArray target(memory, source.shape(), source.dtype());
  assign(target, source);
  return py::reinterpret_steal<py::object>(wrap(std::move(target)));
}

/// (handle, offset, bytes of the allocation), or None if other processes can't open the memory.
py::object export_array(const py::object& x) {
  const OperationScope scope(operation);
  const NdArray& array = array_of(x);
  const auto description = export_memory(*array.memory(), array.data());
  if (!description) return py::none();
  array.memory()->begin_export();  // for good: other processes may write to it at any time
  return py::make_tuple(to_python(description->bytes), description->offset, description->nbytes);
}

/// True if all elements are in the first `nbytes` bytes. The numbers are of another process: no sum
/// may overflow.
bool is_inside(const Layout& layout, std::int64_t itemsize, std::size_t nbytes) {
  const auto size = static_cast<std::int64_t>(nbytes);
  if (layout.offset < 0 || layout.offset > size) return false;
  if (layout.size() == 0) return true;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    const std::int64_t steps = layout.shape[axis] - 1;
    const std::int64_t stride = layout.strides[axis];
    if (steps > 0 && (stride > size / steps || stride < -size / steps)) return false;
  }
  const auto [first, last] = extent(layout, itemsize);
  return first >= 0 && last <= size;
}

/// An array in an allocation of another process; None if the allocation does not exist any more.
py::object open_array(const py::object& device_argument, const py::bytes& bytes, std::size_t nbytes,
                      const py::object& dtype_argument, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& strides, std::int64_t offset) {
  const OperationScope scope(operation);
  const Device device = usable_device(device_argument.ptr());
  const Dtype dtype = parse_dtype(dtype_argument.ptr());
  check_shape(shape, itemsize(dtype));
  if (strides.size() != shape.size()) throw ValueError("shape and strides have different lengths");
  Layout layout{Dims(shape), Dims(strides), offset};
  if (!is_inside(layout, itemsize(dtype), nbytes))
    throw ValueError("the elements are outside of the memory");
  StorageRef memory = open_memory(device, {to_bytes(bytes), 0, nbytes});
  if (!memory) return py::none();
  return py::reinterpret_steal<py::object>(
      wrap(NdArray(std::move(memory), std::move(layout), dtype)));
}

py::bytes uuid_of(const py::object& device_argument) {
  const OperationScope scope(operation);
  const auto uuid = device_uuid(usable_device(device_argument.ptr()));
  return {reinterpret_cast<const char*>(uuid.data()), uuid.size()};
}

void add_event_class(py::module_& module) {
  py::class_<IpcEvent>(module, "IpcEvent", "An event that other processes can wait for.")
      .def_property_readonly("bytes", [](const IpcEvent& self) { return to_python(self.bytes()); })
      .def(
          "record",
          [](const IpcEvent& self, const py::object& x) {
            const OperationScope scope(operation);
            make_ready_on_current(*array_of(x).memory());
            self.record();
          },
          py::arg("x"), py::pos_only(), "Record the point after the work on an array so far.")
      .def(
          "wait",
          [](const IpcEvent& self, const py::object& x) {
            const OperationScope scope(operation);
            const NdArray& array = array_of(x);
            self.wait();
            note_import_on_current(*array.memory());
          },
          py::arg("x"), py::pos_only(),
          "Make later work on an array wait for the last record of any process.");
  module.def(
      "create_ipc_event",
      [](const py::object& device_argument) {
        const OperationScope scope(operation);
        return IpcEvent::create(usable_device(device_argument.ptr()));
      },
      py::arg("device"), py::pos_only(), "Create an event that other processes can wait for.");
  module.def(
      "open_ipc_event",
      [](const py::object& device_argument, const py::bytes& bytes) -> py::object {
        const OperationScope scope(operation);
        IpcEvent event = IpcEvent::open(usable_device(device_argument.ptr()), to_bytes(bytes));
        return event ? py::cast(std::move(event)) : py::none();
      },
      py::arg("device"), py::arg("handle"), py::pos_only(),
      "Open an event of another process; None if it does not exist any more.");
}

}  // namespace

void add_ipc(py::module_& module) {
  add_event_class(module);
  module.def("copy_to_shareable", copy_to_shareable, py::arg("x"), py::pos_only(),
             "Copy an array to memory that other processes can open.");
  module.def("export_ipc_memory", export_array, py::arg("x"), py::pos_only(),
             "(handle, offset, bytes of the allocation) of an array's memory, or None if other "
             "processes can't open it.");
  module.def("open_ipc_memory", open_array, py::arg("device"), py::arg("handle"), py::arg("nbytes"),
             py::arg("dtype"), py::arg("shape"), py::arg("strides"), py::arg("offset"),
             py::pos_only(),
             "An array in an allocation of another process; None if that does not exist any more. "
             "Strides and offset in bytes.");
  module.def("device_uuid", uuid_of, py::arg("device"), py::pos_only(),
             "The UUID of a CUDA device, 16 bytes; all 0 for a rehearsed device.");
}

}  // namespace skerry::python
