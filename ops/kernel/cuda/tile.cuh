// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace skerry::native {

/// Threads of a block that works on a tile in shared memory.
inline constexpr int tile_threads = 256;

}  // namespace skerry::native
