// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/registry.hpp"

#include "device/backend.hpp"
#include "device/cpu/devices.hpp"

namespace skerry {

namespace {

/// Checks the index for a kind whose devices are always usable.
void require_below_count(Device device, const Backend& kind) {
  const int n = kind.devices.count();
  if (device.index >= 0 && device.index < n) return;
  throw DeviceUnavailableError(to_string(device) + " does not exist: there " +
                                   (n == 1 ? "is " : "are ") + std::to_string(n) + " device" +
                                   (n == 1 ? "" : "s") + " of that kind; see skerry.devices()",
                               UnavailableReason::out_of_range);
}

}  // namespace

int device_count(DeviceKind kind) noexcept {
  try {
    return backend_of(kind).devices.count();
  } catch (...) {
    // A CPU device always exists.
    return kind == DeviceKind::cpu ? 1 : 0;
  }
}

std::vector<Device> devices(std::optional<DeviceKind> kind) {
  std::vector<Device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto device_kind = static_cast<DeviceKind>(number);
    if (kind && *kind != device_kind) continue;
    const int n = backend_of(device_kind).devices.count();
    for (int i = 0; i < n; ++i) all.push_back({device_kind, static_cast<std::int16_t>(i)});
  }
  return all;
}

std::vector<Device> devices_to_wait_for() {
  std::vector<Device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto kind = static_cast<DeviceKind>(number);
    const auto used = backend_of(kind).devices.used;
    if (used == nullptr || !used()) continue;
    for (const Device device : devices(kind)) all.push_back(device);
  }
  return all;
}

void require(Device device) {
  if (is_host(device)) [[likely]]
    return cpu::require(device);
  const Backend& kind = backend_of(device);
  if (kind.devices.require != nullptr) return kind.devices.require(device);
  require_below_count(device, kind);
}

DeviceInfo describe(Device device) {
  const Backend& kind = backend_of(device);
  if (kind.devices.describe != nullptr) return kind.devices.describe(device);
  require(device);
  DeviceInfo info;
  info.device = device;
  info.name = kind.name;
  return info;
}

int ordinal_of(Device device) {
  if (const auto find = backend_of(device).devices.ordinal) return find(device);
  require(device);
  return device.index;
}

void shut_down() noexcept {
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto end = backend_of(static_cast<DeviceKind>(number)).devices.shut_down;
    if (end != nullptr) end();
  }
}

}  // namespace skerry
