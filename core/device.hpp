// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skerry {

/// A number for each kind of device: 0 for the CPU, others in the order of registration.
enum class DeviceKind : std::uint8_t { cpu = 0 };
inline constexpr std::size_t max_device_kinds = 8;

/// Registers a kind and returns its number. Keeps the pointer `name`. Throws ValueError if the name
/// is taken or invalid (lower-case letters, digits and _, a letter first), and if no number is
/// left.
DeviceKind register_device_kind(const char* name);
/// Returns the number of kinds; they are numbered from 0.
[[nodiscard]] int device_kind_count() noexcept;
[[nodiscard]] std::optional<DeviceKind> find_device_kind(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string> device_kind_names();

/// A device as a value; it need not exist.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int16_t index = 0;

  friend constexpr auto operator<=>(Device, Device) = default;
};

/// True for the CPU, whose work runs in the calling process without a backend lookup.
[[nodiscard]] constexpr bool is_host(Device device) noexcept {
  return device.kind == DeviceKind::cpu;
}

/// Formats a device: `"cpu:0"`.
[[nodiscard]] std::string to_string(Device device);
[[nodiscard]] const char* to_string(DeviceKind kind);

/// Parses a kind's name, with an optional index (default 0): `"cpu"`, `"cpu:1"`. Throws ValueError,
/// whose text lists what is accepted.
[[nodiscard]] Device parse_device(const std::string& text);

}  // namespace skerry

template <>
struct std::hash<skerry::Device> {
  std::size_t operator()(skerry::Device device) const noexcept {
    return static_cast<std::size_t>(device.kind) << 16 | static_cast<std::uint16_t>(device.index);
  }
};
