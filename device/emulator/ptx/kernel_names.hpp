// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skerry::emulation {

/// Demangles the name of a kernel like c++filt or, for kernels compiled by Numba, returns the
/// Python name such as "module.function.<locals>.kernel", without Numba's version and option tags
/// and without argument types, which have no short form.
[[nodiscard]] std::string readable_kernel_name(const std::string& mangled);

}  // namespace skerry::emulation
