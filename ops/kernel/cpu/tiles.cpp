// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/tiles.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

void run_tiles(const Plan& plan, const Loop& loop) noexcept { drive(plan, loop); }

}  // namespace skerry::inline SKERRY_TARGET::kernels
