// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace skerry::emulation {

/// Returns why an instruction such as "@%p1 mma.sync..." is not supported, and what to do instead.
[[nodiscard]] std::string why_unsupported(std::string_view text);

}  // namespace skerry::emulation
