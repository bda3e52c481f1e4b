// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

/// Returns, for a name in unimplemented.inc, a function that fails with 801 and prints the name to
/// stderr at the first call. Returns null for other names.
[[nodiscard]] void* find_unimplemented(std::string_view name) noexcept;

}  // namespace skerry::emulation::driver
