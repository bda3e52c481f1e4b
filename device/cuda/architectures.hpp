// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace skerry::cuda {

/// Whether kernels compiled for `architectures` run on a GPU of compute capability 90, say. These
/// are CMake's words: "90-real,100" (by commas or semicolons), where "-real" means machine code
/// only, "-virtual" code for later GPUs only, neither means both; or one of `native`, `all`,
/// `all-major` and `OFF`, of which `by_nvcc` ("800,900") says what they came to. Machine code runs
/// on later minor versions of the same major one. An empty list says nothing and is taken as
/// fitting.
[[nodiscard]] bool compiled_for(std::string_view architectures, std::string_view by_nvcc,
                                int compute_capability) noexcept;

}  // namespace skerry::cuda
