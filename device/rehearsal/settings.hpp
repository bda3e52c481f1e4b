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

/// What the SKERRY_REHEARSE_* variables say.
struct Settings {
  std::atomic<int> max_delay_us{0};  ///< of each piece of work, at most
  std::atomic<int> min_delay_us{0};  ///< at least
  std::atomic<std::size_t> memory_bytes{std::size_t{8} << 30};
  bool supports_pools = true;
  /// [reader][owner]
  std::array<std::bitset<max_devices>, max_devices> peers;
};

/// Read from the environment by the first call, never destroyed.
[[nodiscard]] Settings& current_settings() noexcept;

/// "512MiB", "2G", "1048576"; 0 if it is none of these.
[[nodiscard]] std::size_t parse_bytes(std::string_view text) noexcept;

}  // namespace skerry::rehearsal
