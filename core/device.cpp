// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

#include "core/errors.hpp"

namespace skerry {
namespace {

constinit std::array<const char*, max_device_kinds> names{"cpu"};
constinit std::atomic<int> name_count{1};
constinit std::mutex registration;

bool is_name(std::string_view text) {
  const auto is_lowercase = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_lowercase(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_lowercase(c) || c == '_' || (c >= '0' && c <= '9'); });
}

constexpr int max_index = std::numeric_limits<std::int16_t>::max();

/// Parses decimal digits, without sign or leading zero, so that a device has one spelling.
std::optional<std::int16_t> parse_index(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  int value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = 10 * value + (digit - '0');
    if (value > max_index) return std::nullopt;
  }
  return static_cast<std::int16_t>(value);
}

/// Quotes a text for a message: shortened, on one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t max_length = 40;
  std::string result = "'";
  for (const char character : text.substr(0, max_length)) {
    result += character >= ' ' && character <= '~' ? character : '?';
  }
  return result + (text.size() > max_length ? "…'" : "'");
}

[[noreturn]] void reject(const std::string& text) {
  std::string accepted;
  const std::vector<std::string> kinds = device_kind_names();
  for (const std::string& kind : kinds) accepted += "'" + kind + "', ";
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) accepted += i + 1 < kinds.size() ? ", " : " or ";
    accepted += "'" + kinds[i] + ":N'";
  }
  throw ValueError("not the name of a device: " + quoted(text) + "; use " + accepted +
                   " with N from 0 to " + std::to_string(max_index));
}

}  // namespace

DeviceKind register_device_kind(const char* name) {
  const std::lock_guard lock(registration);
  const int number = device_kind_count();
  if (!is_name(name)) {
    throw ValueError("not the name of a kind: " + quoted(name) +
                     "; use lower-case letters, digits and _, a letter first");
  }
  if (find_device_kind(name)) {
    throw ValueError("a kind of that name is already registered: " + quoted(name));
  }
  if (number == static_cast<int>(max_device_kinds)) {
    throw ValueError("too many kinds of devices; at most " + std::to_string(number) +
                     " are possible");
  }
  names[static_cast<std::size_t>(number)] = name;
  name_count.store(number + 1, std::memory_order_release);
  return static_cast<DeviceKind>(number);
}

int device_kind_count() noexcept { return name_count.load(std::memory_order_acquire); }

std::optional<DeviceKind> find_device_kind(std::string_view name) noexcept {
  for (int number = 0; number < device_kind_count(); ++number) {
    if (name == names[static_cast<std::size_t>(number)]) return static_cast<DeviceKind>(number);
  }
  return std::nullopt;
}

std::vector<std::string> device_kind_names() {
  return {names.begin(), names.begin() + device_kind_count()};
}

const char* to_string(DeviceKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::string to_string(Device device) {
  return std::string(to_string(device.kind)) + ':' + std::to_string(device.index);
}

Device parse_device(const std::string& text) {
  const std::string_view all = text;
  const std::size_t colon = all.find(':');
  const std::optional<DeviceKind> kind = find_device_kind(all.substr(0, colon));
  if (!kind) reject(text);
  if (colon == std::string_view::npos) return {*kind, 0};
  const std::optional<std::int16_t> index = parse_index(all.substr(colon + 1));
  if (!index) reject(text);
  return {*kind, *index};
}

}  // namespace skerry
