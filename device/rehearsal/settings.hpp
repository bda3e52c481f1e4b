// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <string_view>

namespace skerry::rehearsal {

inline constexpr int max_devices = 64;

/// Values of the SKERRY_REHEARSE_* variables.
struct Settings {
  std::atomic<int> max_delay_us{0};  ///< per work item
  std::atomic<int> min_delay_us{0};
  std::atomic<std::size_t> memory_bytes{std::size_t{8} << 30};
  bool supports_pools = true;
  bool supports_managed_memory = true;
  /// [reader][owner]: true if the reader can get peer access to the owner.
  std::array<std::bitset<max_devices>, max_devices> peers;
};

/// Returns the settings, read from the environment by the first call; never destroyed.
[[nodiscard]] Settings& current_settings() noexcept;

/// Changes a setting of all devices, by the name of its variable: SKERRY_REHEARSE_MEMORY, which
/// keeps what is allocated, or SKERRY_REHEARSE_PEERS. No device may be in use meanwhile. False for
/// other names and malformed values.
[[nodiscard]] bool change_setting(std::string_view name, std::string_view value) noexcept;

/// Parses "512MiB", "2G" or "1048576"; returns 0 for other texts.
[[nodiscard]] std::size_t parse_bytes(std::string_view text) noexcept;

}  // namespace skerry::rehearsal
