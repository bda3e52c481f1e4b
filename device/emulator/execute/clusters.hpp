// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

// The blocks of a cluster of several run at the same time, and access each other's shared memory.
// Generic addresses of it are the host's. In the window of shared memory a block's own is at 0, and
// that of the block with rank r in its cluster at (r + 1) * cluster_stride, for all of them.
inline constexpr std::uint64_t cluster_stride = std::uint64_t{1} << 24;

/// The number in the grid of the block with that number among all, cluster after cluster.
[[nodiscard]] std::uint64_t number_in_grid(std::uint64_t number, const Extent& grid,
                                           const Extent& cluster) noexcept;
/// For a block in its cluster: x runs first.
[[nodiscard]] std::uint32_t cluster_rank(const Block& block) noexcept;
/// The block whose shared memory is at an address of the window; null: the block's own, or none.
[[nodiscard]] Block* block_in_window(const LaunchState& state, std::uint64_t address) noexcept;
/// The block of the cluster whose shared memory a generic address is in; null if in none.
[[nodiscard]] Block* block_at(const LaunchState& state, std::uint64_t address) noexcept;

/// All blocks of the cluster have come to its barrier, or have ended.
[[nodiscard]] bool is_cluster_complete(const LaunchState& state) noexcept;

}  // namespace skerry::emulation
