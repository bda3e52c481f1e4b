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

/// Reads a string from device memory.
using string_reader = std::function<std::string_view(std::uint64_t address)>;

struct FormattedText {
  std::string text;
  int arguments = 0;
};

/// Formats text like printf in CUDA kernels. Arguments are stored one after the other, each aligned
/// to its size: integers of up to 4 bytes as 4 bytes, everything else as 8. Throws
/// std::out_of_range if there are fewer than the format requires.
[[nodiscard]] FormattedText format_printf(std::string_view format,
                                          std::span<const std::byte> arguments,
                                          const string_reader& strings);

}  // namespace skerry::emulation
