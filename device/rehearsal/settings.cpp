// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/rehearsal/settings.hpp"

#include <charconv>

#include "device/environment.hpp"
#include "device/rehearsal/control.hpp"

namespace skerry::rehearsal {

namespace {

/// Removes the number at the front of `text` and returns it; -1 if there is none.
long long take_number(std::string_view& text) noexcept {
  long long value = -1;
  const auto [end, error_code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error_code != std::errc{} || value < 0) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Parses "all", "none" or "0-1,2-3". Changes nothing if it is malformed.
bool read_peers(std::string_view text, Settings& settings) noexcept {
  decltype(settings.peers) peers{};
  if (text == "all") {
    for (auto& row : peers) row.set();
    text = "none";
  }
  while (text != "none") {
    const long long a = take_number(text);
    if (a < 0 || a >= max_devices || text.empty() || text.front() != '-') return false;
    text.remove_prefix(1);
    const long long b = take_number(text);
    if (b < 0 || b >= max_devices) return false;
    peers[static_cast<std::size_t>(a)].set(static_cast<std::size_t>(b));
    peers[static_cast<std::size_t>(b)].set(static_cast<std::size_t>(a));
    if (text.empty()) break;
    if (text.front() != ',') return false;
    text.remove_prefix(1);
  }
  settings.peers = peers;
  return true;
}

bool read_failure(std::string_view text) noexcept {
  long long k = -1;
  long long code = -1;
  bool sticky = false;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(','));
    text.remove_prefix(field.size() < text.size() ? field.size() + 1 : text.size());
    if (field == "sticky") {
      sticky = true;
    } else if (field.starts_with("k=")) {
      std::string_view digits = field.substr(2);
      k = take_number(digits);
    } else if (field.starts_with("code=")) {
      std::string_view digits = field.substr(5);
      code = take_number(digits);
    } else {
      return false;
    }
  }
  if (k < 1 || code < 1 || code > 9999) return false;
  fail_call(static_cast<std::uint64_t>(k), static_cast<int>(code), sticky);
  return true;
}

/// Parses "500" or "0-2000".
bool read_delay(std::string_view text, Settings& settings) noexcept {
  constexpr long long limit_us = 60'000'000;
  const long long min_us = take_number(text);
  long long max_us = min_us;
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    max_us = take_number(text);
  }
  if (min_us < 0 || max_us < min_us || max_us > limit_us || !text.empty()) return false;
  settings.min_delay_us = static_cast<int>(min_us);
  settings.max_delay_us = static_cast<int>(max_us);
  return true;
}

bool read_memory(std::string_view text, Settings& settings) noexcept {
  const std::size_t nbytes = parse_bytes(text);
  if (nbytes > 0) settings.memory_bytes = nbytes;
  return nbytes > 0;
}

/// Invalid values count as unset, as in device/environment.hpp.
void read_environment(Settings& settings) noexcept {
  if (const char* value = environment_text("SKERRY_REHEARSE_DELAY_US")) {
    static_cast<void>(read_delay(value, settings));
  }
  static_cast<void>(read_peers("all", settings));
  if (const char* value = environment_text("SKERRY_REHEARSE_MEMORY"))
    static_cast<void>(read_memory(value, settings));
  if (const char* value = environment_text("SKERRY_REHEARSE_PEERS"))
    static_cast<void>(read_peers(value, settings));
  settings.supports_pools = flag_from_environment("SKERRY_REHEARSE_POOLS", true);
  settings.supports_managed_memory = flag_from_environment("SKERRY_REHEARSE_MANAGED_MEMORY", true);
}

}  // namespace

std::size_t parse_bytes(std::string_view text) noexcept {
  const long long number = take_number(text);
  if (number <= 0) return 0;
  unsigned shift = 0;
  if (text == "KiB" || text == "K") {
    shift = 10;
  } else if (text == "MiB" || text == "M") {
    shift = 20;
  } else if (text == "GiB" || text == "G") {
    shift = 30;
  } else if (!text.empty()) {
    return 0;
  }
  if (number > (1LL << 46) >> shift) return 0;  // 64 TiB: larger sizes are invalid
  return static_cast<std::size_t>(number) << shift;
}

bool change_setting(std::string_view name, std::string_view value) noexcept {
  if (name == "SKERRY_REHEARSE_MEMORY") return read_memory(value, current_settings());
  return name == "SKERRY_REHEARSE_PEERS" && read_peers(value, current_settings());
}

Settings& current_settings() noexcept {
  static Settings* const the_settings = [] {
    auto* settings = new Settings;
    read_environment(*settings);
    if (const char* value = environment_text("SKERRY_REHEARSE_FAIL")) {
      static_cast<void>(read_failure(value));
    }
    return settings;
  }();
  return *the_settings;
}

}  // namespace skerry::rehearsal
