// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skerry::emulation::ptx {

// The source of a program that was compiled from a string is in no file. The stand-in for NVRTC
// appends it to the PTX as comments, so that reports can quote its lines.

/// Starts the comments; the rest of the line is the program's name, the lines after it, each
/// preceded by source_line_mark, are the program.
inline constexpr std::string_view source_mark = "//skerry-source ";
inline constexpr std::string_view source_line_mark = "//|";

/// Returns a program as comments of PTX, to be appended to it.
[[nodiscard]] inline std::string embedded_source(std::string_view name, std::string_view program) {
  std::string comments("\n");
  comments.append(source_mark).append(name).append("\n");
  while (!program.empty()) {
    const std::size_t length = program.find('\n');
    comments.append(source_line_mark).append(program.substr(0, length)).append("\n");
    program.remove_prefix(length == std::string_view::npos ? program.size() : length + 1);
  }
  return comments;
}

/// Returns the programs that are appended to a PTX text.
[[nodiscard]] std::string_view embedded_sources(std::string_view text) noexcept;

/// Returns a line (1: the first) of an appended program, if `file`, a path in the PTX's line
/// information, is that program.
[[nodiscard]] std::optional<std::string_view> embedded_line(std::string_view text,
                                                            std::string_view file,
                                                            std::uint32_t line) noexcept;

}  // namespace skerry::emulation::ptx
