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
enum class device_kind : std::uint8_t { cpu = 0 };
inline constexpr std::size_t most_device_kinds = 8;

/// The next number. `name` is kept as a pointer. Throws value_error for a name that is taken or no
/// name (lower-case letters, digits and _, a letter first), and when all numbers are given.
device_kind register_device_kind(const char* name);
/// Kinds have the numbers below this.
[[nodiscard]] int device_kind_count() noexcept;
[[nodiscard]] std::optional<device_kind> find_device_kind(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string> device_kind_names();

/// The name of a device, as a value: it says nothing about whether the device exists.
struct device {
  device_kind kind = device_kind::cpu;
  std::int16_t index = 0;

  friend constexpr auto operator<=>(device, device) = default;
};

/// Whether work runs where the program does: no call to `where` needs to be looked up.
[[nodiscard]] constexpr bool is_host(device where) noexcept {
  return where.kind == device_kind::cpu;
}

/// `"cpu:0"`.
[[nodiscard]] std::string to_string(device where);
[[nodiscard]] const char* to_string(device_kind kind);

/// Reads the name of a kind, alone for index 0 or with an index: `"cpu"`, `"cpu:1"`. Throws
/// value_error that says what is accepted.
[[nodiscard]] device parse_device(const std::string& text);

}  // namespace skerry

template <>
struct std::hash<skerry::device> {
  std::size_t operator()(skerry::device where) const noexcept {
    return static_cast<std::size_t>(where.kind) << 16 | static_cast<std::uint16_t>(where.index);
  }
};
