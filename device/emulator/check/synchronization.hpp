// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

// Checks for threads that are missing when their warp or block synchronizes. CUDA forbids this, but
// a GPU may tolerate it. Each case is reported, or faults with 719.

/// Checks that the member mask of a collective, which the lanes `group` execute, contains no lanes
/// that have exited.
void check_members(const Warp& warp, lane_mask members, lane_mask group);

/// Checks a complete barrier: that no thread of the block has exited before it, and that all lanes
/// of a warp arrived at the same instruction if the barrier is for whole warps.
void check_barrier(const Block& block, std::size_t barrier);

}  // namespace skerry::emulation
