// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/ipc.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "core/errors.hpp"
#include "device/backend.hpp"
#include "device/cuda/functions.hpp"
#include "device/cuda/runtime.hpp"
#include "device/graph.hpp"
#include "device/host_action.hpp"
#include "device/interchange.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace {

using cuda::Api;
using cuda::call;
using cuda::DeviceGuard;
using cuda::DeviceState;

static_assert(sizeof(IpcBytes) == sizeof(cuda::IpcHandle));

constexpr const char* sharing = "sharing memory between processes";

DeviceState& state_of(Device device) {
  reject_in_capture("memory of several processes");
  if (!capabilities_of(device).has_cuda_interface) {
    throw ValueError("only memory of CUDA devices has handles for other processes, not that of " +
                     to_string(device) + "; use multiprocessing.shared_memory");
  }
  return cuda::usable_state(device);
}

IpcBytes to_bytes(const cuda::IpcHandle& handle) noexcept {
  IpcBytes bytes{};
  std::memcpy(bytes.data(), &handle, bytes.size());
  return bytes;
}

cuda::IpcHandle to_handle(const IpcBytes& bytes) noexcept {
  cuda::IpcHandle handle{};
  std::memcpy(&handle, bytes.data(), bytes.size());
  return handle;
}

/// True for the statuses of a handle whose memory or event does not exist, or is of this process.
bool is_of_handle(int code) noexcept {
  constexpr int map_failed = 205;
  constexpr int device_uninitialized = 201;
  return code == cuda::invalid_value || code == cuda::invalid_resource_handle ||
         code == map_failed || code == device_uninitialized;
}

/// Memory that `release` gives back to the runtime.
struct RuntimeMemory {
  DeviceState& device_state;
  void* data;
};

template <auto Release>
void release(void* owner) noexcept {
  const std::unique_ptr<RuntimeMemory> memory(static_cast<RuntimeMemory*>(owner));
  DeviceState& device_state = memory->device_state;
  // The runtime does not order the release after work that uses the memory.
  if (!cuda::alive() || device_state.lost() || !cuda::finish_work(device_state)) return;
  const DeviceGuard guard(device_state, std::nothrow);
  if (guard.ok()) cuda::note_failure(call<Release>(memory->data), device_state, sharing);
}

template <auto Release>
StorageRef adopt_runtime_memory(DeviceState& device_state, void* data, std::size_t nbytes) {
  auto owner = std::unique_ptr<RuntimeMemory>(new (std::nothrow) RuntimeMemory{device_state, data});
  if (owner == nullptr) {
    const DeviceGuard guard(device_state);
    cuda::note_failure(call<Release>(data), device_state, sharing);
    throw std::bad_alloc();
  }
  StorageRef storage =
      adopt(device_state.device,
            {.data = data, .nbytes = nbytes, .owner = owner.get(), .release = release<Release>});
  static_cast<void>(owner.release());
  return storage;
}

std::shared_ptr<void> own_event(DeviceState& device_state, void* handle) {
  return {handle, [state = &device_state](void* event) {
            if (!cuda::alive() || state->lost()) return;
            const DeviceGuard guard(*state, std::nothrow);
            if (guard.ok()) cuda::note_failure(call<&Api::event_destroy>(event), *state, sharing);
          }};
}

}  // namespace

std::array<unsigned char, 16> device_uuid(Device device) {
  std::array<unsigned char, 16> uuid{};
  std::ranges::copy(state_of(device).properties.uuid, uuid.begin());
  return uuid;
}

StorageRef allocate_shareable(Device device, std::size_t nbytes) {
  DeviceState& device_state = state_of(device);
  const Announcement announcement([&] {
    return HostAction{.kind = ActionKind::allocation,
                      .cause = "memory for other processes",
                      .source = device,
                      .nbytes = nbytes};
  });
  void* data = nullptr;
  {
    const DeviceGuard guard(device_state);
    cuda::check(call<&Api::allocate>(&data, std::max<std::size_t>(nbytes, 1)), device_state,
                sharing);
  }
  return adopt_runtime_memory<&Api::deallocate>(device_state, data, nbytes);
}

std::optional<IpcMemory> export_memory(Storage& memory, const char* data) {
  DeviceState& device_state = state_of(memory.device());
  const PointerInfo pointer = inspect_pointer(data);
  if (pointer.kind != PointerKind::device) return std::nullopt;
  const DeviceGuard guard(device_state);
  cuda::IpcHandle handle{};
  const int code = call<&Api::ipc_export_memory>(&handle, pointer.allocation);
  if (is_of_handle(code) || code == cuda::not_supported) {
    cuda::clear_last_error();
    return std::nullopt;
  }
  cuda::check(code, device_state, sharing);
  return IpcMemory{to_bytes(handle),
                   static_cast<std::size_t>(data - static_cast<const char*>(pointer.allocation)),
                   pointer.allocation_bytes};
}

StorageRef open_memory(Device device, const IpcMemory& description) {
  DeviceState& device_state = state_of(device);
  const cuda::IpcHandle handle = to_handle(description.bytes);
  void* data = nullptr;
  {
    const DeviceGuard guard(device_state);
    const int code = call<&Api::ipc_open_memory>(&data, &handle);
    if (is_of_handle(code)) {
      cuda::clear_last_error();
      return {};
    }
    cuda::check(code, device_state, sharing);
  }
  return adopt_runtime_memory<&Api::ipc_close_memory>(device_state, data, description.nbytes);
}

IpcEvent IpcEvent::create(Device device) {
  DeviceState& device_state = state_of(device);
  void* event = nullptr;
  const DeviceGuard guard(device_state);
  cuda::check(call<&Api::event_create_shared>(&event), device_state, sharing);
  return {device, own_event(device_state, event)};
}

IpcEvent IpcEvent::open(Device device, const IpcBytes& bytes) {
  DeviceState& device_state = state_of(device);
  const cuda::IpcHandle handle = to_handle(bytes);
  void* event = nullptr;
  const DeviceGuard guard(device_state);
  const int code = call<&Api::ipc_open_event>(&event, &handle);
  if (is_of_handle(code)) {
    cuda::clear_last_error();
    return {device, nullptr};
  }
  cuda::check(code, device_state, sharing);
  return {device, own_event(device_state, event)};
}

IpcBytes IpcEvent::bytes() const {
  DeviceState& device_state = state_of(device_);
  const DeviceGuard guard(device_state);
  cuda::IpcHandle handle{};
  cuda::check(call<&Api::ipc_export_event>(&handle, native_.get()), device_state, sharing);
  return to_bytes(handle);
}

void IpcEvent::record() const {
  backend_of(device_).streams.record(device_, native_.get(), current_stream_handle(device_));
}

void IpcEvent::wait() const {
  backend_of(device_).streams.wait_for_event(device_, current_stream_handle(device_), device_,
                                             native_.get());
}

}  // namespace skerry
