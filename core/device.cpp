// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "core/device.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/errors.hpp"

namespace skerry {
namespace {

constexpr int max_index = std::numeric_limits<std::int16_t>::max();

/// Decimal digits only, no sign, no leading zero: a device has one spelling.
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

/// The text as a message can show it: short, on one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char letter : text.substr(0, longest)) {
    result += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return result + (text.size() > longest ? "…'" : "'");
}

[[noreturn]] void reject(const std::string& text) {
  throw value_error("device: not the name of a device: " + quoted(text) +
                    "; use 'cpu', 'cuda', 'cpu:N' or 'cuda:N' with N from 0 to " +
                    std::to_string(max_index));
}

}  // namespace

int device_kind_count() noexcept { return 2; }

const char* to_string(device_kind kind) { return kind == device_kind::cpu ? "cpu" : "cuda"; }

std::string to_string(device where) {
  return std::string(to_string(where.kind)) + ':' + std::to_string(where.index);
}

device parse_device(const std::string& text) {
  std::string_view rest = text;
  device result;
  if (rest.starts_with("cpu")) {
    result.kind = device_kind::cpu;
  } else if (rest.starts_with("cuda")) {
    result.kind = device_kind::cuda;
  } else {
    reject(text);
  }
  rest.remove_prefix(std::string_view(to_string(result.kind)).size());
  if (rest.empty()) return result;
  if (rest.front() != ':') reject(text);
  const std::optional<std::int16_t> index = parse_index(rest.substr(1));
  if (!index) reject(text);
  result.index = *index;
  return result;
}

}  // namespace skerry
