// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/registry.hpp"

#include "device/backend.hpp"
#include "device/cpu/devices.hpp"

namespace skerry {

namespace {

/// For a kind whose devices can all be used.
void require_below_count(Device where, const Backend& kind) {
  const int n = kind.devices.count();
  if (where.index >= 0 && where.index < n) return;
  throw DeviceUnavailableError(to_string(where) + " does not exist: there " +
                                   (n == 1 ? "is " : "are ") + std::to_string(n) + " device" +
                                   (n == 1 ? "" : "s") + " of that kind; see skerry.devices()",
                               UnavailableReason::out_of_range);
}

}  // namespace

int device_count(DeviceKind kind) noexcept {
  try {
    return backend_of(kind).devices.count();
  } catch (...) {
    // There is always a CPU.
    return kind == DeviceKind::cpu ? 1 : 0;
  }
}

std::vector<Device> devices(std::optional<DeviceKind> kind) {
  std::vector<Device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto each = static_cast<DeviceKind>(number);
    if (kind && *kind != each) continue;
    const int n = backend_of(each).devices.count();
    for (int i = 0; i < n; ++i) all.push_back({each, static_cast<std::int16_t>(i)});
  }
  return all;
}

std::vector<Device> devices_to_wait_for() {
  std::vector<Device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto kind = static_cast<DeviceKind>(number);
    const auto used = backend_of(kind).devices.used;
    if (used == nullptr || !used()) continue;
    for (const Device each : devices(kind)) all.push_back(each);
  }
  return all;
}

void require(Device where) {
  if (is_host(where)) [[likely]]
    return cpu::require(where);
  const Backend& kind = backend_of(where);
  if (kind.devices.require != nullptr) return kind.devices.require(where);
  require_below_count(where, kind);
}

DeviceInfo describe(Device where) {
  const Backend& kind = backend_of(where);
  if (kind.devices.describe != nullptr) return kind.devices.describe(where);
  require(where);
  DeviceInfo info;
  info.where = where;
  info.name = kind.name;
  return info;
}

int ordinal_of(Device where) {
  if (const auto find = backend_of(where).devices.ordinal) return find(where);
  require(where);
  return where.index;
}

void shut_down() noexcept {
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto end = backend_of(static_cast<DeviceKind>(number)).devices.shut_down;
    if (end != nullptr) end();
  }
}

}  // namespace skerry
