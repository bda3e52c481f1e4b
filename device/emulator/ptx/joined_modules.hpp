// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skerry::emulation::ptx {

/// A module that takes part in a link, with the name that errors give it.
struct LinkPart {
  std::string_view name;
  std::string_view text;
};

/// One module of several, as a linker resolves their names: what one declares as `.extern` is what
/// another one defines; names without linkage stay apart, and `.weak` yields to `.visible`. What
/// nobody defines stays declared: whoever loads the module may know it. Throws ImageError.
[[nodiscard]] std::string join_modules(std::span<const LinkPart> parts);

/// The module with a limit of registers for each kernel that has none of its own.
[[nodiscard]] std::string with_register_limit(std::string_view text, int registers);

}  // namespace skerry::emulation::ptx
