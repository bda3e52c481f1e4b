// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/interchange.hpp"

#include "device/backend.hpp"

namespace skerry {

void* make_ready(storage& memory) {
  return backend_of(memory.where()).interchange.make_ready(memory);
}

void make_ready_on(storage& memory, void* stream) {
  backend_of(memory.where()).interchange.make_ready_on(memory, stream);
}

void make_ready_on_current(storage& memory) {
  const auto order = backend_of(memory.where()).interchange.make_ready_on_current;
  if (order != nullptr) order(memory);
}

void come_after_current(storage& memory) {
  const auto order = backend_of(memory.where()).interchange.come_after_current;
  if (order != nullptr) order(memory);
}

pointer_facts inspect_pointer(const void* data) {
  return backend_of(first_cuda_interface_device()).interchange.inspect_pointer(data);
}

int ordinal_of_stream(device where, void* handle) {
  return backend_of(where).interchange.ordinal_of_stream(where, handle);
}

current_device::current_device(device where)
    : scope_(backend_of(where).interchange.make_current(where)) {}

}  // namespace skerry
