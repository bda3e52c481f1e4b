// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::cuda {

/// Whether kernels compiled for `architectures` (CMake's words: "90-real;100", where "-real" means
/// machine code only, "-virtual" code for later GPUs only, neither means both) run on a GPU of
/// compute capability 90, say. Machine code runs on later minor versions of the same major one. An
/// empty list says nothing and is taken as fitting.
[[nodiscard]] bool compiled_for(std::string_view architectures, int compute_capability) noexcept;

}  // namespace skerry::cuda
