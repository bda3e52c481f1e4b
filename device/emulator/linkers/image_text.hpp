// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace skerry::emulation::linkers {

/// Prefix of PTX text in place of a cubin, which the emulated driver recognizes. The text ends with
/// a zero.
inline constexpr std::string_view image_mark = "SKERRYPTX1\n";

/// Returns the image of a PTX text, which may end in zeros. The zero at the end of c_str() is part
/// of the image.
[[nodiscard]] inline std::string image_of(std::string_view text) {
  return std::string(image_mark).append(text.substr(0, text.find('\0')));
}

}  // namespace skerry::emulation::linkers
