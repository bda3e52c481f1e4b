// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/backend.hpp"

#include <mutex>
#include <string>

#include "core/errors.hpp"
#include "device/cpu/devices.hpp"
#include "device/cuda/functions.hpp"
#include "device/kernel.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace detail {

constinit std::array<std::atomic<const Backend*>, max_device_kinds> backends{&cpu::backend_in_use,
                                                                             &cuda::native_backend};

}  // namespace detail

namespace {

constinit std::mutex registration;

// Registers the kind when the library is loaded; its backend is already in the table above.
[[maybe_unused]] const DeviceKind registered_cuda = register_device_kind("cuda");

void require_function(bool is_there, const char* name, const Backend& backend) {
  if (is_there) return;
  throw ValueError(std::string("register_backend: ") + backend.name + " has no " + name +
                   "; backends with its capabilities need it");
}

void require_complete(const Backend& backend) {
  const auto need = [&](bool is_there, const char* name) {
    require_function(is_there, name, backend);
  };
  need(backend.devices.count != nullptr, "devices.count");
  need(backend.memory.allocate != nullptr, "memory.allocate");
  need(backend.transfers.from_host != nullptr, "transfers.from_host");
  need(backend.transfers.to_host != nullptr, "transfers.to_host");
  need(backend.transfers.between != nullptr, "transfers.between");
  need(backend.launch != nullptr, "launch");
  if (backend.can.kernel_form == KernelForm::native)
    need(backend.fill_kernels != nullptr, "fill_kernels");
  if (backend.can.runs_later) {
    need(backend.streams.synchronize != nullptr, "streams");
    need(backend.deferred.add != nullptr, "deferred");
  }
  if (backend.can.has_cuda_interface)
    need(backend.interchange.inspect_pointer != nullptr, "interchange");
}

}  // namespace

DeviceKind register_backend(const Backend& backend) {
  require_complete(backend);
  const std::lock_guard lock(registration);
  // Stored before the kind's number is published; never read if the name is then rejected.
  const auto number = static_cast<std::size_t>(device_kind_count());
  if (number < max_device_kinds) detail::backends[number].store(&backend);
  return register_device_kind(backend.name);
}

Device first_cuda_interface_device() noexcept {
  Device device;
  while (!capabilities_of(device).has_cuda_interface) {
    device.kind = static_cast<DeviceKind>(static_cast<int>(device.kind) + 1);
  }
  return device;
}

void throw_no_form(Device device, const char* note) {
  throw NotImplementedError("this operation has no implementation for " + to_string(device) + note +
                            "; move the arrays to another device");
}

void launch_at_once(Device device, const AnyKernel& entry, const void* params, std::size_t,
                    std::span<const MemoryUse>) {
  if (entry.host == nullptr) throw_no_form(device);
  entry.host(params);
}

}  // namespace skerry
