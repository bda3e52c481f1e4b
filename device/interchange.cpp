// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/backend.hpp"

namespace skerry {

void* make_ready(Storage& memory) {
  return backend_of(memory.where()).interchange.make_ready(memory);
}

void make_ready_on(Storage& memory, void* stream) {
  backend_of(memory.where()).interchange.make_ready_on(memory, stream);
}

void make_ready_on_current(Storage& memory) {
  const auto order = backend_of(memory.where()).interchange.make_ready_on_current;
  if (order != nullptr) order(memory);
}

void come_after_current(Storage& memory) {
  const auto order = backend_of(memory.where()).interchange.come_after_current;
  if (order != nullptr) order(memory);
}

PointerFacts inspect_pointer(const void* data) {
  return backend_of(first_cuda_interface_device()).interchange.inspect_pointer(data);
}

int ordinal_of_stream(Device where, void* handle) {
  return backend_of(where).interchange.ordinal_of_stream(where, handle);
}

CurrentDevice::CurrentDevice(Device where)
    : scope_(backend_of(where).interchange.make_current(where)) {}

}  // namespace skerry
