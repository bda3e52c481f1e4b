// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry::emulation {

/// As c++filt writes it, or, of a kernel that Numba compiled, as Python does:
/// "module.function.<locals>.kernel". Without what Numba says of versions and options, and without
/// the types of arguments, which have no short name there.
[[nodiscard]] std::string readable_kernel_name(const std::string& mangled);

}  // namespace skerry::emulation
