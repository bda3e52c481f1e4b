// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/nccl/settings.hpp"

#include <charconv>
#include <mutex>
#include <utility>

#include "device/environment.hpp"

namespace skerry::emulation::nccl {

namespace {

constexpr std::uint64_t max_seconds = 86400;
constexpr std::uint64_t max_seed = std::uint64_t{1} << 62;

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

/// Removes and returns the text before a separator, or all of it.
std::string_view take_word(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

/// Parses slow:RANK-RANK:SECONDS, dead:RANK:CALL or abort:RANK:CALL.
bool parse_fault(std::string_view text, Fault& fault) {
  const std::string_view kind = take_word(text, ':');
  if (kind == "slow") {
    std::string_view link = take_word(text, ':');
    return parse(take_word(link, '-'), fault.rank) && parse(link, fault.peer) &&
           parse(text, fault.seconds) && fault.seconds >= 0 && fault.seconds <= max_seconds;
  }
  if (kind != "dead" && kind != "abort") return false;
  fault.kind = kind == "dead" ? Fault::Kind::dead : Fault::Kind::abort;
  return parse(take_word(text, ':'), fault.rank) && parse(text, fault.call) && fault.call > 0;
}

bool parse_faults(std::string_view text, std::vector<Fault>& faults) {
  while (!text.empty()) {
    Fault fault;
    if (!parse_fault(take_word(text, ','), fault)) return false;
    faults.push_back(fault);
  }
  return true;
}

std::string read_setting(std::string_view name, std::string_view value, Settings& settings) {
  const Settings defaults;
  bool is_valid = true;
  if (name == "SKERRY_NCCL_TIMEOUT") {
    std::uint64_t seconds = 0;
    is_valid = value.empty() || (parse(value, seconds) && seconds > 0 && seconds <= max_seconds);
    settings.timeout_seconds =
        value.empty() ? defaults.timeout_seconds : static_cast<double>(seconds);
  } else if (name == "SKERRY_NCCL_ERRORS") {
    is_valid = value.empty() || value == "sticky" || value == "async";
    settings.is_async = value == "async";
  } else if (name == "SKERRY_NCCL_ORDER") {
    std::uint64_t seed = 0;
    is_valid = value.empty() || (parse(value, seed) && seed <= max_seed);
    settings.order_seed = value.empty() ? defaults.order_seed : seed;
  } else if (name == "SKERRY_NCCL_FAULT") {
    settings.faults.clear();
    is_valid = parse_faults(value, settings.faults);
  } else {
    return std::string(name) + " is not a setting of the rehearsed NCCL";
  }
  return is_valid ? "" : std::string(name) + "=" + std::string(value) + " is not understood";
}

/// An invalid value counts as unset (device/environment.hpp).
void read_variable(const char* name, Settings& settings) {
  const char* const value = environment_text(name);
  Settings changed = settings;
  if (value != nullptr && read_setting(name, value, changed).empty()) settings = std::move(changed);
}

std::mutex& settings_mutex() {
  static auto* const mutex = new std::mutex;  // leaked: threads of streams may outlive main()
  return *mutex;
}

Settings& changeable_settings() {
  static auto* const the_settings = [] {
    auto* const settings = new Settings;
    read_variable("SKERRY_NCCL_TIMEOUT", *settings);
    read_variable("SKERRY_NCCL_ERRORS", *settings);
    read_variable("SKERRY_NCCL_ORDER", *settings);
    read_variable("SKERRY_NCCL_FAULT", *settings);
    return settings;
  }();
  return *the_settings;
}

}  // namespace

Settings current_settings() {
  const std::lock_guard lock(settings_mutex());
  return changeable_settings();
}

std::string change_setting(std::string_view name, std::string_view value) {
  const std::lock_guard lock(settings_mutex());
  Settings changed = changeable_settings();
  std::string error_message = read_setting(name, value, changed);
  if (error_message.empty()) changeable_settings() = std::move(changed);
  return error_message;
}

}  // namespace skerry::emulation::nccl
