// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/offset.hpp"
#include "ops/select/kernels.hpp"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <cstdint>

// Selection by a mask in two passes, since the caller needs the size of the result before it is
// written. The first pass reads the mask and stores one bit per byte and a count per chunk; the
// second pass reads the bits and writes the result. The mask is read once, its bits are written
// once and read once (1.25 bytes per element in total), sectors without a selected item are not
// read, and no block waits for another. cub::DeviceSelect instead reads adjacent items per thread
// (CCCL 3.5.0: 6 to 10 times the sectors for one-byte flags).

namespace skerry::native {

/// The counts of a mask; ops/select/kernels.hpp describes the memory layout.
struct MaskBlockCounts {
  static constexpr int words_of_chunk = mask_chunk / 32;

  std::int64_t* total;
  std::int64_t* starts;  ///< of each chunk
  std::uint32_t* flags;  ///< bit i % 32 of word i / 32
  std::int64_t size;
  std::int64_t chunks;

  MaskBlockCounts(std::int64_t* memory, std::int64_t elements)
      : total(memory + mask_blocks(elements)),
        starts(total + 1),
        flags(reinterpret_cast<std::uint32_t*>(starts + mask_chunks(elements))),
        size(elements),
        chunks(mask_chunks(elements)) {}
};

inline constexpr int select_threads = 256;
inline constexpr int warp_threads = 32;
inline constexpr int select_warps = select_threads / warp_threads;

/// Computes the flags and the count of one chunk per block.
__global__ void __launch_bounds__(select_threads)
    count_mask_blocks(const char* mask, MaskBlockCounts block_counts) {
  using reduction = cub::BlockReduce<int, select_threads>;
  __shared__ typename reduction::TempStorage scratch;
  constexpr int words = MaskBlockCounts::words_of_chunk / select_warps;
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const int first = static_cast<int>(threadIdx.x) / warp_threads * words;
  const std::int64_t chunk = blockIdx.x;
  const std::int64_t begin = chunk * mask_chunk + first * warp_threads + lane;
  char bytes[words];
  SKERRY_UNROLL_FULLY
  for (int word = 0; word < words; ++word) {
    const std::int64_t index = begin + word * warp_threads;
    bytes[word] = index < block_counts.size ? mask[index] : char{0};
  }
  std::uint32_t word_flags = 0;
  SKERRY_UNROLL_FULLY
  for (int word = 0; word < words; ++word) {
    const std::uint32_t flags = __ballot_sync(~0U, bytes[word] != 0);
    if (lane == word) word_flags = flags;
  }
  if (lane < words)
    block_counts.flags[chunk * MaskBlockCounts::words_of_chunk + first + lane] = word_flags;
  const int count = reduction(scratch).Sum(__popc(word_flags));
  if (threadIdx.x == 0) block_counts.starts[chunk] = count;
}

inline constexpr int scan_counts_threads = 512;

/// Turns counts into starts. One block suffices: there is one count per 4,096 elements.
__global__ void __launch_bounds__(scan_counts_threads)
    scan_block_counts(MaskBlockCounts block_counts, std::int64_t* number) {
  using scan = cub::BlockScan<std::int64_t, scan_counts_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  constexpr int share = 8;
  std::int64_t running_total = 0;
  for (std::int64_t begin = 0; begin < block_counts.chunks; begin += scan_counts_threads * share) {
    const std::int64_t first = begin + static_cast<std::int64_t>(threadIdx.x) * share;
    std::int64_t counts[share];
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < share; ++i) {
      counts[i] = first + i < block_counts.chunks ? block_counts.starts[first + i] : 0;
    }
    std::int64_t all = 0;
    scan(scratch).ExclusiveSum(counts, counts, all);
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < share; ++i) {
      if (first + i < block_counts.chunks)
        block_counts.starts[first + i] = running_total + counts[i];
    }
    running_total += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *block_counts.total = running_total;
    if (number != nullptr) *number = running_total;
  }
}

/// Selects items, collected in shared memory by chunk, or by half a chunk for items over 8 bytes.
template <class T>
struct SelectedItems {
  using slot = T;

  const char* input;
  T* output;
  bool is_aligned;

  __device__ SKERRY_INLINE T read(std::int64_t index, int) const {
    return load<T>(input + index * static_cast<std::int64_t>(sizeof(T)), is_aligned);
  }
  __device__ SKERRY_INLINE void write(std::int64_t number, T item, std::int64_t) const {
    store<T>(reinterpret_cast<char*>(output + number), item, true);
  }
  /// Returns the number of items between the preceding 128-byte boundary and item `number` of the
  /// result.
  __device__ SKERRY_INLINE int misfit(std::int64_t number) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(output + number) % 128 / sizeof(T));
  }
};

/// Selects coordinates in C order, a column per axis.
struct SelectedIndices {
  using slot = std::uint16_t;

  std::int64_t* output;
  std::int64_t count;
  std::int32_t rank;
  FastDivider<std::uint64_t> extents[max_rank];

  __device__ SKERRY_INLINE slot read(std::int64_t, int within) const {
    return static_cast<slot>(within);
  }
  __device__ SKERRY_INLINE void write(std::int64_t number, slot within, std::int64_t begin) const {
    std::int64_t rest = begin + within;
    SKERRY_DO_NOT_UNROLL
    for (int axis = rank - 1; axis > 0; --axis) {
      const auto [quotient, coordinate] = extents[axis].divide(rest);
      output[axis * count + number] = coordinate;
      rest = quotient;
    }
    output[number] = rest;
  }
  __device__ SKERRY_INLINE int misfit(std::int64_t number) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(output + number) % 128 /
                            sizeof *output);
  }
};

/// One chunk per block: collects selected slots in shared memory, then writes them contiguously.
template <class Selection>
__global__ void __launch_bounds__(select_threads)
    write_selected(const __grid_constant__ Selection selection,
                   const MaskBlockCounts block_counts) {
  using slot = typename Selection::slot;
  using scan = cub::BlockScan<int, select_threads>;
  constexpr int all_words = MaskBlockCounts::words_of_chunk;
  constexpr int words = sizeof(slot) > 8 ? all_words / 2 : all_words;
  __shared__ typename scan::TempStorage scratch;
  __shared__ std::uint32_t flags[all_words];
  __shared__ int begins[all_words + 1];
  __shared__ alignas(16) unsigned char memory[words * warp_threads * sizeof(slot)];
  auto* const slots = reinterpret_cast<slot*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp_threads;
  const std::int64_t chunk = blockIdx.x;

  const std::uint32_t word_flags =
      thread < all_words ? block_counts.flags[chunk * all_words + thread] : 0;
  int prefix = 0;
  int in_chunk = 0;
  scan(scratch).ExclusiveSum(__popc(word_flags), prefix, in_chunk);
  if (thread < all_words) {
    flags[thread] = word_flags;
    begins[thread] = prefix;
  }
  if (thread == 0) begins[all_words] = in_chunk;
  if (in_chunk == 0) return;
  __syncthreads();

  const std::uint32_t lower_lanes = (1U << lane) - 1;
  const std::int64_t start = block_counts.starts[chunk];
  SKERRY_DO_NOT_UNROLL
  for (int first_word = 0; first_word < all_words; first_word += words) {
    const int collected = begins[first_word];
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < words / select_warps; ++i) {
      const int word = first_word + i * select_warps + thread / warp_threads;
      const std::uint32_t selected = flags[word];
      if ((selected >> lane & 1) == 0) continue;
      const int within = word * warp_threads + lane;
      slots[begins[word] - collected + __popc(selected & lower_lanes)] =
          selection.read(chunk * mask_chunk + within, within);
    }
    __syncthreads();
    const int count = begins[first_word + words] - collected;
    const std::int64_t first = start + collected;
    for (int i = thread - selection.misfit(first); i < count; i += select_threads) {
      if (i >= 0) selection.write(first + i, slots[i], chunk * mask_chunk);
    }
    __syncthreads();
  }
}

inline cudaError_t launch_block_counts(const char* mask, const MaskBlockCounts& block_counts,
                                       std::int64_t* number, cudaStream_t stream) {
  if (block_counts.chunks > 0) {
    count_mask_blocks<<<static_cast<unsigned>(block_counts.chunks), select_threads, 0, stream>>>(
        mask, block_counts);
  }
  scan_block_counts<<<1, scan_counts_threads, 0, stream>>>(block_counts, number);
  return cudaGetLastError();
}

template <class Selection>
cudaError_t launch_selection(const Selection& selection, const MaskBlockCounts& block_counts,
                             cudaStream_t stream) {
  if (block_counts.chunks == 0) return cudaSuccess;
  write_selected<<<static_cast<unsigned>(block_counts.chunks), select_threads, 0, stream>>>(
      selection, block_counts);
  return cudaGetLastError();
}

}  // namespace skerry::native
