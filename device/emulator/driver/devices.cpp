// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Device queries, with the same attributes as the runtime's.

#include "device/emulator/runtime/device_attributes.hpp"

#include <cstdio>
#include <span>

#include "device/emulator/driver/calls.hpp"
#include "device/emulator/runtime/entry_points.hpp"
#include "device/rehearsal/settings.hpp"

namespace skerry::emulation::driver {

namespace {

template <class Body>
int with_device(int device, Body body) noexcept {
  return run_entry_point([&]() -> int { return exists(device) ? body() : code::invalid_device; });
}

}  // namespace

int device_get_count(int* count) {
  return run_entry_point([&]() -> int {
    if (has_null(count)) return code::invalid_value;
    *count = current_emulator_settings().devices;
    return code::success;
  });
}

int device_get(int* device, int ordinal) {
  return with_device(ordinal, [&]() -> int {
    if (has_null(device)) return code::invalid_value;
    *device = ordinal;
    return code::success;
  });
}

int device_get_name(char* name, int nbytes, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(name) || nbytes <= 0) return code::invalid_value;
    write_device_name({name, static_cast<std::size_t>(nbytes)});
    return code::success;
  });
}

int device_get_uuid(unsigned char* uuid, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(uuid)) return code::invalid_value;
    write_device_uuid(std::span<unsigned char, 16>(uuid, 16), device);
    return code::success;
  });
}

int device_get_uuid_v1(unsigned char* uuid, int device) { return device_get_uuid(uuid, device); }

// Windows only.
int device_get_luid(char*, unsigned*, int) {
  return run_entry_point([] { return unsupported("cuDeviceGetLuid"); });
}

int device_total_memory(std::size_t* nbytes, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(nbytes)) return code::invalid_value;
    *nbytes = rehearsal::current_settings().memory_bytes.load();
    return code::success;
  });
}

int device_get_attribute(int* value, int attribute, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(value)) return code::invalid_value;
    return entry_points::get_device_attribute(value, attribute, device);
  });
}

int device_capability(int* major, int* minor, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(major, minor)) return code::invalid_value;
    const int capability = current_emulator_settings().model.compute_capability;
    *major = capability / 10;
    *minor = capability % 10;
    return code::success;
  });
}

int device_get_pci_bus_id(char* text, int nbytes, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(text) || nbytes <= 0) return code::invalid_value;
    std::snprintf(text, static_cast<std::size_t>(nbytes), "0000:%02x:00.0", device + 1);
    return code::success;
  });
}

int device_get_by_pci_bus_id(int* device, const char* text) {
  return run_entry_point([&]() -> int {
    if (has_null(device, text)) return code::invalid_value;
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned slot = 0;
    const bool has_domain = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3;
    if (!has_domain && std::sscanf(text, "%x:%x", &bus, &slot) != 2) return code::invalid_value;
    const int ordinal = static_cast<int>(bus) - 1;
    if (domain != 0 || slot != 0 || !exists(ordinal)) return code::invalid_device;
    *device = ordinal;
    return code::success;
  });
}

int device_can_access_peer(int* can, int reader, int owner) {
  return run_entry_point([&]() -> int {
    if (has_null(can)) return code::invalid_value;
    return driver_api().can_access_peer(can, reader, owner);
  });
}

int device_get_peer_attribute(int* value, int attribute, int reader, int owner) {
  constexpr int performance_rank = 1;
  constexpr int access_supported = 2;
  constexpr int native_atomics = 3;
  constexpr int array_access = 4;
  return run_entry_point([&]() -> int {
    if (has_null(value)) return code::invalid_value;
    if (!exists(reader) || !exists(owner)) return code::invalid_device;
    if (reader == owner) return code::invalid_device;
    switch (attribute) {
      case access_supported:
      case native_atomics:
        return driver_api().can_access_peer(value, reader, owner);
      case performance_rank:
      case array_access:
        *value = 0;
        return code::success;
      default:
        return code::invalid_value;
    }
  });
}

int device_get_affinity_support(int* supported, int, int device) {
  return with_device(device, [&]() -> int {
    if (has_null(supported)) return code::invalid_value;
    *supported = 0;
    return code::success;
  });
}

int device_get_texture_width(std::size_t*, int, unsigned, int) {
  return run_entry_point([] { return unsupported("cuDeviceGetTexture1DLinearMaxWidth"); });
}

}  // namespace skerry::emulation::driver
