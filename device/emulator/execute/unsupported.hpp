// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace skerry::emulation {

/// Why an instruction is not executed, and what to do, from its text, such as "@%p1 mma.sync...".
[[nodiscard]] std::string why_unsupported(std::string_view text);

}  // namespace skerry::emulation
