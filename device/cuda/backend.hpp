// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/backend.hpp"

namespace skerry::cuda {

/// CUDA devices, and what stands for them until the first use of one tells which there are.
extern const backend native_backend;
/// The same devices where their kernels' host forms run, on a thread for each stream.
extern const backend rehearsed_backend;

/// By the probe: which of the two is in use from now on.
void use_backend(const backend& chosen) noexcept;

}  // namespace skerry::cuda
