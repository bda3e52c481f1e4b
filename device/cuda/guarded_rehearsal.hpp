// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::cuda {

/// With guarded memory, makes that of rehearsed devices so, before the first of them is used: of
/// those whose kernels are C++ functions. The emulated GPU looks at each access anyway.
void guard_rehearsed_memory() noexcept;

}  // namespace skerry::cuda
