// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/registry.hpp"

#include "device/backend.hpp"
#include "device/cpu/devices.hpp"

namespace skerry {

namespace {

/// For a kind whose devices can all be used.
void require_below_count(device where, const backend& kind) {
  const int n = kind.devices.count();
  if (where.index >= 0 && where.index < n) return;
  throw device_unavailable_error(to_string(where) + " does not exist: there " +
                                     (n == 1 ? "is " : "are ") + std::to_string(n) + " device" +
                                     (n == 1 ? "" : "s") + " of that kind; see skerry.devices()",
                                 unavailable_reason::out_of_range);
}

}  // namespace

int device_count(device_kind kind) noexcept {
  try {
    return backend_of(kind).devices.count();
  } catch (...) {
    // There is always a CPU.
    return kind == device_kind::cpu ? 1 : 0;
  }
}

std::vector<device> devices(std::optional<device_kind> kind) {
  std::vector<device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto each = static_cast<device_kind>(number);
    if (kind && *kind != each) continue;
    const int n = backend_of(each).devices.count();
    for (int i = 0; i < n; ++i) all.push_back({each, static_cast<std::int16_t>(i)});
  }
  return all;
}

std::vector<device> devices_to_wait_for() {
  std::vector<device> all;
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto kind = static_cast<device_kind>(number);
    const auto used = backend_of(kind).devices.used;
    if (used == nullptr || !used()) continue;
    for (const device each : devices(kind)) all.push_back(each);
  }
  return all;
}

void require(device where) {
  if (is_host(where)) [[likely]]
    return cpu::require(where);
  const backend& kind = backend_of(where);
  if (kind.devices.require != nullptr) return kind.devices.require(where);
  require_below_count(where, kind);
}

device_info describe(device where) {
  const backend& kind = backend_of(where);
  if (kind.devices.describe != nullptr) return kind.devices.describe(where);
  require(where);
  device_info info;
  info.where = where;
  info.name = kind.name;
  return info;
}

int ordinal_of(device where) {
  if (const auto find = backend_of(where).devices.ordinal) return find(where);
  require(where);
  return where.index;
}

void shut_down() noexcept {
  for (int number = 0; number < device_kind_count(); ++number) {
    const auto end = backend_of(static_cast<device_kind>(number)).devices.shut_down;
    if (end != nullptr) end();
  }
}

}  // namespace skerry
