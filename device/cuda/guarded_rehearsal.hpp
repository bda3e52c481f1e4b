// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cuda {

/// If guarded memory is on, guards the memory of rehearsed devices whose kernels are C++ functions.
/// Call before the first use of a device. The emulated GPU checks every access anyway.
void guard_rehearsed_memory() noexcept;

}  // namespace skerry::cuda
