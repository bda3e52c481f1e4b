// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

// Occupancy: how many blocks of a kernel fit a multiprocessor.

#include <algorithm>

#include "device/emulator/driver/kernels.hpp"

namespace skerry::emulation::driver {

namespace {

constexpr int warp = 32;

struct BlockSize {
  int threads = 0;
  int blocks = 0;  ///< per multiprocessor
};

/// Finds the block size with the most resident threads; the largest if several are equal.
int best_size(BlockSize* best, const RegisteredKernel& kernel, std::size_t (*shared_for)(int),
              std::size_t shared, int block_size_limit) {
  const KernelAttributes attributes = kernel.find().code->attributes();
  int max_threads = attributes.max_threads_per_block;
  if (block_size_limit > 0) max_threads = std::min(max_threads, block_size_limit);
  for (int threads = max_threads; threads > 0; threads = (threads - 1) / warp * warp) {
    const std::size_t dynamic = shared_for != nullptr ? shared_for(threads) : shared;
    int blocks = 0;
    if (const int status = active_blocks(&blocks, kernel, threads, dynamic);
        status != code::success) {
      return status;
    }
    if (blocks * threads > best->blocks * best->threads) *best = {threads, blocks};
  }
  return code::success;
}

}  // namespace

int occupancy_blocks(int* blocks, void* function, int threads, std::size_t shared) {
  return occupancy_blocks_with_flags(blocks, function, threads, shared, 0);
}

int occupancy_blocks_with_flags(int* blocks, void* function, int threads, std::size_t shared,
                                unsigned flags) {
  constexpr unsigned known_flags = 1;
  return with_kernel(function, [&](const auto& named) -> int {
    if (has_null(blocks) || (flags & ~known_flags) != 0) return code::invalid_value;
    return active_blocks(blocks, *named, threads, shared);
  });
}

int occupancy_block_size(int* min_grid_size, int* threads, void* function,
                         std::size_t (*shared_for)(int), std::size_t shared, int block_size_limit) {
  return occupancy_block_size_with_flags(min_grid_size, threads, function, shared_for, shared,
                                         block_size_limit, 0);
}

int occupancy_block_size_with_flags(int* min_grid_size, int* threads, void* function,
                                    std::size_t (*shared_for)(int), std::size_t shared,
                                    int block_size_limit, unsigned) {
  return with_kernel(function, [&](const auto& named) -> int {
    if (has_null(min_grid_size, threads)) return code::invalid_value;
    BlockSize best;
    const int status = best_size(&best, *named, shared_for, shared, block_size_limit);
    if (status != code::success) return status;
    *threads = best.threads;
    *min_grid_size = best.blocks * current_emulator_settings().model.multiprocessors;
    return code::success;
  });
}

int occupancy_shared_bytes(std::size_t* nbytes, void* function, int blocks, int threads) {
  constexpr std::size_t reserved = 1 << 10;  // per block
  return with_kernel(function, [&](const auto& named) -> int {
    if (has_null(nbytes) || blocks <= 0) return code::invalid_value;
    int fitting = 0;
    const int status = active_blocks(&fitting, *named, threads, 0);
    if (status != code::success) return status;
    if (blocks > fitting) return code::invalid_value;
    const KernelAttributes attributes = named->find().code->attributes();
    const std::size_t bytes_per_block =
        current_emulator_settings().model.shared_bytes_per_multiprocessor /
            static_cast<std::size_t>(blocks) -
        reserved;
    const std::size_t left =
        bytes_per_block - std::min(bytes_per_block, attributes.static_shared_bytes);
    *nbytes = std::min(left, named->max_dynamic_bytes(attributes));
    return code::success;
  });
}

}  // namespace skerry::emulation::driver
