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

/// A number for each kind of device. That of the CPU is 0; others are given as kinds are
/// registered.
enum class DeviceKind : std::uint8_t { cpu = 0 };
inline constexpr std::size_t max_device_kinds = 8;

/// The next number. `name` is kept as a pointer. Throws ValueError for a name that is taken or no
/// name (lower-case letters, digits and _, a letter first), and when all numbers are given.
DeviceKind register_device_kind(const char* name);
/// Kinds have the numbers below this.
[[nodiscard]] int device_kind_count() noexcept;
[[nodiscard]] std::optional<DeviceKind> find_device_kind(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string> device_kind_names();

/// The name of a device, as a value: it says nothing about whether the device exists.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int16_t index = 0;

  friend constexpr auto operator<=>(Device, Device) = default;
};

/// Whether work runs where the program does: no call to `device` needs to be looked up.
[[nodiscard]] constexpr bool is_host(Device device) noexcept {
  return device.kind == DeviceKind::cpu;
}

/// `"cpu:0"`.
[[nodiscard]] std::string to_string(Device device);
[[nodiscard]] const char* to_string(DeviceKind kind);

/// Reads the name of a kind, alone for index 0 or with an index: `"cpu"`, `"cpu:1"`. Throws
/// ValueError that says what is accepted.
[[nodiscard]] Device parse_device(const std::string& text);

}  // namespace skerry

template <>
struct std::hash<skerry::Device> {
  std::size_t operator()(skerry::Device device) const noexcept {
    return static_cast<std::size_t>(device.kind) << 16 | static_cast<std::uint16_t>(device.index);
  }
};
