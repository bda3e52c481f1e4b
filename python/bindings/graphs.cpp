// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "core/errors.hpp"
#include "core/operation.hpp"
#include "device/graph.hpp"
#include "ops/fuse/recording.hpp"
#include "ops/move/copy.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
#include "python/bindings/errors.hpp"
#include "python/bindings/pybind.hpp"

// Graphs, for skerry._graph.

namespace skerry::python {
namespace {

std::shared_ptr<Graph> begin_capture(const py::iterable& device_objects) {
  const OperationScope scope("capture");
  if (Recording::current() != nullptr) {
    throw ValueError(
        "a function decorated with skerry.fuse can't capture; decorate the captured function");
  }
  std::vector<Device> devices;
  for (const py::handle object : device_objects) devices.push_back(usable_device(object.ptr()));
  return Graph::begin_capture(devices);
}

/// True if an argument can be copied to an array of the graph as at the capture.
bool is_like(PyObject* argument, PyObject* array) {
  if (!is_array(argument) || !is_array(array)) return false;
  const NdArray& x = header_of(argument);
  const NdArray& input = value_of(array);
  return x.dtype() == input.dtype() && header_device(argument) == input.device() &&
         x.shape() == input.shape();
}

/// Copies arguments to the graph's arrays and enqueues the work, by `launch` unless it is None.
/// Returns false, and does nothing, if the arguments differ from those of the capture.
bool replay(Graph& self, const py::tuple& inputs, const py::tuple& arguments,
            const py::object& launch) {
  const OperationScope scope("Graph");
  if (Recording::current() != nullptr) {
    throw ValueError(
        "a function decorated with skerry.fuse can't replay a graph; call both one after the "
        "other");
  }
  reject_in_capture("a replay of a graph");
  if (inputs.size() != arguments.size()) return false;
  const std::size_t count = inputs.size();
  const auto item = [](const py::tuple& items, std::size_t i) {
    return PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i));
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_like(item(arguments, i), item(inputs, i))) return false;
  }
  // Before the copies, which would become part of the other library's graph.
  for (std::size_t i = 0; i < count; ++i)
    reject_in_foreign_capture(value_of(item(inputs, i)).device());
  for (std::size_t i = 0; i < count; ++i) {
    if (item(arguments, i) != item(inputs, i))
      assign(value_of(item(inputs, i)), value_of(item(arguments, i)));
  }
  if (launch.is_none()) {
    self.replay();
  } else {
    static_cast<void>(launch());
  }
  return true;
}

}  // namespace

void add_graphs(py::module_& module) {
  auto graphs = py::class_<Graph, std::shared_ptr<Graph>>(
      module, "DeviceGraph", "Captured work of devices, for skerry.Graph.");
  graphs
      .def(
          "end_capture",
          [](Graph& self) {
            const OperationScope scope("capture");
            self.end_capture();
          },
          "End the capture, on the thread that began it.")
      .def(
          "abandon_capture", [](Graph& self) { self.abandon_capture(); },
          "End the capture and discard the work.")
      .def(
          "writes_to",
          [](const Graph& self, const py::object& array) {
            const OperationScope scope("capture");
            if (!is_array(array.ptr())) {
              throw TypeError("array must be a skerry.Array, not " + type_name(array.ptr()));
            }
            return self.writes_to(*value_of(array.ptr()).memory());
          },
          py::arg("array"), py::pos_only(),
          "Whether captured work writes to an array that was created during the capture.")
      .def(
          "launch",
          [](Graph& self) {
            const OperationScope scope("Graph");
            self.replay();
          },
          "Enqueue the work.")
      .def("replay", replay, py::arg("inputs"), py::arg("arguments"), py::arg("launch"),
           py::pos_only(),
           "Copy arguments to the graph's arrays and enqueue the work, by `launch` unless it is "
           "None. False, and nothing is done, if they differ from the arrays in dtype, device or "
           "shape.");
  module.def("begin_capture", begin_capture, py::arg("devices"), py::pos_only(),
             "Begin the capture of this thread's work. These devices take part, and those in use.");
}

}  // namespace skerry::python
