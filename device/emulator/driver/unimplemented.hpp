// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

/// Returns a function that fails with 801 and names itself on stderr at the first call; null for
/// names that CUDA doesn't have.
[[nodiscard]] void* find_unimplemented(std::string_view name) noexcept;

}  // namespace skerry::emulation::driver
