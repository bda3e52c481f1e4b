// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cuda {

/// The architectures that nvcc compiled for: "800,900". Only nvcc knows them if CMake got `native`
/// or `all-major`.
extern const char* const compiled_by_nvcc;

}  // namespace skerry::cuda
