// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace skerry::emulation::linkers {

/// Stands before the PTX text where a program expects a cubin; the emulated driver looks for it. A
/// zero ends the text.
inline constexpr std::string_view image_mark = "SKERRYPTX1\n";

/// A PTX text, which may end in zeros, as what takes the place of machine code. Its c_str() is one
/// byte longer than its size, and both belong to it.
[[nodiscard]] inline std::string image_of(std::string_view text) {
  return std::string(image_mark).append(text.substr(0, text.find('\0')));
}

}  // namespace skerry::emulation::linkers
