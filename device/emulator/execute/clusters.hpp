// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/emulator/execute/block.hpp"

namespace skerry::emulation {

// Blocks of a cluster run concurrently and access each other's shared memory. Generic addresses of
// shared memory are host addresses. In the shared window, a block's own memory is at 0, and that of
// the block with rank r is at (r + 1) * cluster_stride for all blocks of the cluster.
inline constexpr std::uint64_t cluster_stride = std::uint64_t{1} << 24;

/// Converts a block's number in launch order, cluster by cluster, to its number in the grid.
[[nodiscard]] std::uint64_t number_in_grid(std::uint64_t number, const Extent& grid,
                                           const Extent& cluster) noexcept;
/// Returns the block's rank in its cluster; x varies fastest.
[[nodiscard]] std::uint32_t cluster_rank(const Block& block) noexcept;
/// Returns the block that owns an address of the shared window; null for the own block's addresses
/// or an invalid one.
[[nodiscard]] Block* block_in_window(const LaunchState& state, std::uint64_t address) noexcept;
/// Returns the block of the cluster whose shared memory contains a generic address, or null.
[[nodiscard]] Block* block_at(const LaunchState& state, std::uint64_t address) noexcept;

/// True if all live threads of the cluster have arrived at its barrier.
[[nodiscard]] bool is_cluster_complete(const LaunchState& state) noexcept;

}  // namespace skerry::emulation
