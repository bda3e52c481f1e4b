// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cuda {

/// The architectures that nvcc was told, or found: "800,900". It alone knows them where CMake was
/// told `native` or `all-major`.
extern const char* const compiled_by_nvcc;

}  // namespace skerry::cuda
