// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace skerry::emulation {

/// What reads a string in device memory.
using string_reader = std::function<std::string_view(std::uint64_t address)>;

struct FormattedText {
  std::string text;
  int arguments = 0;
};

/// As the device's printf: the arguments lie one behind the other, integers up to 4 bytes as 4,
/// all else as 8 bytes, each at a multiple of its size. Throws out_of_range where they end before
/// the format does.
[[nodiscard]] FormattedText format_printf(std::string_view format,
                                          std::span<const std::byte> arguments,
                                          const string_reader& strings);

}  // namespace skerry::emulation
