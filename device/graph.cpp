// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/graph.hpp"

#include <string>

#include "core/errors.hpp"
#include "device/backend.hpp"

namespace skerry {

std::shared_ptr<Graph> Graph::begin_capture(std::span<const Device> devices) {
  reject_in_capture("another capture");
  const Device first = devices.empty() ? first_cuda_interface_device() : devices.front();
  const auto begin = backend_of(first).begin_capture;
  if (begin == nullptr) {
    throw ValueError("work on " + to_string(first) +
                     " can't be captured: it is done when a call returns; call the function "
                     "itself, or move its arguments to a CUDA device");
  }
  for (const Device device : devices) {
    if (device.kind == first.kind) continue;
    throw DeviceMismatchError("a graph has devices of one kind: " + to_string(first) + ", " +
                                  to_string(device) + "; move the arrays to one device",
                              {first, device});
  }
  return begin(devices);
}

void reject_in_capture(const char* call) {
  if (Graph::captured() == nullptr) return;
  throw ValueError("this thread captures a graph, which can't contain " + std::string(call) +
                   "; leave it out of the captured function");
}

}  // namespace skerry
