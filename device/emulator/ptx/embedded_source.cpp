// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/ptx/embedded_source.hpp"

namespace skerry::emulation::ptx {
namespace {

/// Removes the first line of a text and returns it without its end.
[[nodiscard]] std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t length = text.find('\n');
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  return line;
}

/// True if a program of this name is the file: NVRTC prefixes a relative name with a folder.
[[nodiscard]] bool is_name_of(std::string_view name, std::string_view file) noexcept {
  if (!file.ends_with(name)) return false;
  return file.size() == name.size() || file[file.size() - name.size() - 1] == '/';
}

}  // namespace

std::string_view embedded_sources(std::string_view text) noexcept {
  std::size_t begin = text.find(source_mark);
  while (begin != std::string_view::npos && begin > 0 && text[begin - 1] != '\n') {
    begin = text.find(source_mark, begin + 1);
  }
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

std::optional<std::string_view> embedded_line(std::string_view text, std::string_view file,
                                              std::uint32_t line) noexcept {
  std::string_view rest = embedded_sources(text);
  bool is_in_file = false;
  std::uint32_t number = 0;
  while (!rest.empty()) {
    const std::string_view comment = take_line(rest);
    if (comment.starts_with(source_mark)) {
      is_in_file = is_name_of(comment.substr(source_mark.size()), file);
      number = 0;
    } else if (is_in_file && comment.starts_with(source_line_mark) && ++number == line) {
      return comment.substr(source_line_mark.size());
    }
  }
  return std::nullopt;
}

}  // namespace skerry::emulation::ptx
