// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skerry::emulation::ptx {

/// An input of a link, and its name in errors.
struct LinkPart {
  std::string_view name;
  std::string_view text;
};

/// Links modules into one. An `.extern` declaration is resolved to the definition in another
/// module; names without linkage stay local, and `.weak` yields to `.visible`. Undefined names stay
/// declared: the loader of the module may know them. Throws ImageError.
[[nodiscard]] std::string join_modules(std::span<const LinkPart> parts);

/// Returns the module with .maxnreg added to each kernel that has none.
[[nodiscard]] std::string with_register_limit(std::string_view text, int registers);

}  // namespace skerry::emulation::ptx
