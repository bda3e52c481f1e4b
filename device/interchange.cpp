// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/backend.hpp"
#include "device/host_action.hpp"
#include "device/stream.hpp"

namespace skerry {

void* make_ready_on_legacy(Storage& memory) {
  return backend_of(memory.device()).interchange.make_ready_on_legacy(memory);
}

void make_ready_on(Storage& memory, void* stream) {
  backend_of(memory.device()).interchange.make_ready_on(memory, stream);
}

void make_ready_on_current(Storage& memory) {
  const auto order = backend_of(memory.device()).interchange.make_ready_on_current;
  if (order != nullptr) order(memory);
}

void note_import_on_current(Storage& memory) {
  const auto order = backend_of(memory.device()).interchange.note_import_on_current;
  if (order != nullptr) order(memory);
}

void make_ready_on_host(const StorageRef& memory) {
  const Device device = memory->device();
  const Announcement announcement([&] {
    return HostAction{.cause = "access of the host to managed memory",
                      .source = device,
                      .stream = current_stream_handle(device),
                      .waits = true};
  });
  backend_of(device).interchange.make_ready_on_host(memory);
}

PointerInfo inspect_pointer(const void* data) {
  return backend_of(first_cuda_interface_device()).interchange.inspect_pointer(data);
}

int ordinal_of_stream(Device device, void* handle) {
  return backend_of(device).interchange.ordinal_of_stream(device, handle);
}

CurrentDevice::CurrentDevice(Device device)
    : scope_(backend_of(device).interchange.make_device_current(device)) {}

}  // namespace skerry
