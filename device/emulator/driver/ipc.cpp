// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Memory of cuMemAlloc and events that other processes of the machine open.

#include "device/emulator/driver/calls.hpp"

namespace skerry::emulation::driver {

int ipc_get_memory(cuda::IpcHandle* handle, address data) {
  return in_context([&]() -> int {
    if (has_null(handle)) return code::invalid_value;
    return driver_api().ipc_export_memory(handle, pointer(data));
  });
}

int ipc_open_memory(address* data, cuda::IpcHandle handle, unsigned flags) {
  constexpr unsigned lazy_enable_peer_access = 1;
  return in_context([&]() -> int {
    if (has_null(data) || flags != lazy_enable_peer_access) return code::invalid_value;
    void* new_data = nullptr;
    const int status = driver_api().ipc_open_memory(&new_data, &handle);
    if (status == code::success) *data = address_of(new_data);
    return status;
  });
}

int ipc_close_memory(address data) {
  return release_in_context([&] { return driver_api().ipc_close_memory(pointer(data)); });
}

int ipc_get_event(cuda::IpcHandle* handle, void* event) {
  return in_context([&]() -> int {
    if (has_null(handle)) return code::invalid_value;
    return driver_api().ipc_export_event(handle, event);
  });
}

int ipc_open_event(void** event, cuda::IpcHandle handle) {
  return in_context([&]() -> int {
    if (has_null(event)) return code::invalid_value;
    return driver_api().ipc_open_event(event, &handle);
  });
}

}  // namespace skerry::emulation::driver
