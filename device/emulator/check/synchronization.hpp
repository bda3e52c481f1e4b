// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/emulator/execute/program.hpp"
#include "device/emulator/execute/warp.hpp"

namespace skerry::emulation {

// What a GPU may get away with, and CUDA does not allow: lanes that are missing where their warp,
// or their block, synchronises. Each is told of, or faults with 719.

/// A collective runs for `group`, whose members name lanes that have ended.
void check_members(const Warp& warp, lane_mask members, lane_mask group);

/// A barrier is about to be released: of a block whose threads have ended in part, or for lanes of
/// one warp that came to it by different instructions, where it is one for whole warps.
void check_barrier(const Block& block, std::size_t barrier);

}  // namespace skerry::emulation
