// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/backend.hpp"

#include <mutex>
#include <string>

#include "core/errors.hpp"
#include "core/launch.hpp"
#include "device/cpu/devices.hpp"
#include "device/cuda/functions.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"

namespace skerry {

namespace detail {

constinit std::array<std::atomic<const Backend*>, most_device_kinds> backends{
    &cpu::backend_in_use, &cuda::native_backend};

}  // namespace detail

namespace {

constinit std::mutex registration;

// While the library is loaded: the table has it already.
[[maybe_unused]] const DeviceKind registered_cuda = register_device_kind("cuda");

void require_function(bool is_there, const char* name, const Backend& fresh) {
  if (is_there) return;
  throw ValueError(std::string("register_backend: ") + fresh.name + " has no " + name +
                   ", which its capabilities demand");
}

void require_complete(const Backend& fresh) {
  const auto need = [&](bool is_there, const char* name) {
    require_function(is_there, name, fresh);
  };
  need(fresh.devices.count != nullptr, "devices.count");
  need(fresh.memory.allocate != nullptr, "memory.allocate");
  need(fresh.transfers.from_host != nullptr, "transfers.from_host");
  need(fresh.transfers.to_host != nullptr, "transfers.to_host");
  need(fresh.transfers.between != nullptr, "transfers.between");
  need(fresh.launch != nullptr, "launch");
  if (fresh.can.form == KernelForm::native) need(fresh.fill_kernels != nullptr, "fill_kernels");
  if (fresh.can.runs_later) {
    need(fresh.streams.synchronize != nullptr, "streams");
    need(fresh.deferred.add != nullptr, "deferred");
  }
  if (fresh.can.has_cuda_interface)
    need(fresh.interchange.inspect_pointer != nullptr, "interchange");
}

}  // namespace

DeviceKind register_backend(const Backend& fresh) {
  require_complete(fresh);
  const std::lock_guard lock(registration);
  // There before its number is known. Nobody reads it if the name is refused.
  const auto number = static_cast<std::size_t>(device_kind_count());
  if (number < most_device_kinds) detail::backends[number].store(&fresh);
  return register_device_kind(fresh.name);
}

Device first_cuda_interface_device() noexcept {
  Device where;
  while (!capabilities_of(where).has_cuda_interface) {
    where.kind = static_cast<DeviceKind>(static_cast<int>(where.kind) + 1);
  }
  return where;
}

void throw_no_form(Device where, const char* note) {
  throw NotImplementedError("launch: this operation has no implementation for " + to_string(where) +
                            note + "; move the arrays to another device");
}

void launch_at_once(Device where, const Kernel& entry, const void* params, std::size_t,
                    std::span<const MemoryUse>) {
  if (entry.host == nullptr) throw_no_form(where);
  entry.host(params);
}

}  // namespace skerry
