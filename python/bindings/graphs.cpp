// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "core/errors.hpp"
#include "core/operation.hpp"
#include "device/graph.hpp"
#include "ops/fuse/recording.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/device_args.hpp"
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
            return self.writes_to(*value_of(array.ptr()).memory());
          },
          py::arg("array"), py::pos_only(),
          "Whether captured work writes to an array that was created during the capture.")
      .def(
          "replay",
          [](Graph& self) {
            const OperationScope scope("Graph");
            if (Recording::current() != nullptr) {
              throw ValueError(
                  "a function decorated with skerry.fuse can't replay a graph; call both one after "
                  "the other");
            }
            self.replay();
          },
          "Enqueue the work on the current stream of its first device.");
  module.def("begin_capture", begin_capture, py::arg("devices"), py::pos_only(),
             "Begin the capture of this thread's work. These devices take part, and those in use.");
}

}  // namespace skerry::python
