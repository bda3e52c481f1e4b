// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace skerry {

enum class device_kind : std::uint8_t { cpu, cuda };
inline constexpr std::size_t most_device_kinds = 8;
[[nodiscard]] int device_kind_count() noexcept;

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

/// `"cpu:0"`, `"cuda:1"`.
[[nodiscard]] std::string to_string(device where);
[[nodiscard]] const char* to_string(device_kind kind);

/// Reads `"cpu"`, `"cpu:1"`, `"cuda"`, `"cuda:3"`. Throws value_error that says what is accepted.
[[nodiscard]] device parse_device(const std::string& text);

}  // namespace skerry

template <>
struct std::hash<skerry::device> {
  std::size_t operator()(skerry::device where) const noexcept {
    return static_cast<std::size_t>(where.kind) << 16 | static_cast<std::uint16_t>(where.index);
  }
};
