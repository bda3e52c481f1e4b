// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::emulation::driver {

/// A function that returns 801, and says the first time which one it is; null for a name that CUDA
/// has not.
[[nodiscard]] void* find_unimplemented(std::string_view name) noexcept;

}  // namespace skerry::emulation::driver
