// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::cuda {

/// True if kernels compiled for `architectures` run on a GPU of `compute_capability` (90 for 9.0).
/// `architectures` is CMake's list, separated by commas or semicolons: "90-real,100", where "-real"
/// means machine code only, "-virtual" portable code for later GPUs only, and no suffix both; or
/// one of `native`, `all`, `all-major` and `OFF`, which `by_nvcc` ("800,900") expands. Machine code
/// runs on later minor versions of the same major version. An empty list fits any GPU.
[[nodiscard]] bool compiled_for(std::string_view architectures, std::string_view by_nvcc,
                                int compute_capability) noexcept;

}  // namespace skerry::cuda
