// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/order_keys.cuh"

#include <cub/device/device_for.cuh>

#include <cstdint>

// Combines the values of each target element in an order that depends only on the indices. First,
// the positions are sorted by index, stably. Then each thread folds the runs of equal indices in
// its chunk. Finally, the thread of the chunk in which a run begins adds the run's parts in the
// following chunks.

namespace skerry::native {

inline constexpr std::int64_t fold_chunk = 32;

/// The sorted indices and partial results. `Fold` has a type `value`, value load(position), static
/// value combine(a, b), and void apply(index, value), which is called once for each index below
/// `limit` that occurs.
template <class Fold>
struct IndexRuns {
  Fold fold;
  const std::uint32_t* sorted_indices;
  const std::uint32_t* source_positions;  ///< of the value for each sorted index
  std::int64_t size;
  std::uint32_t limit;
  typename Fold::value* heads;  ///< per chunk: its first run, if that begins in an earlier chunk
  typename Fold::value* tails;  ///< per chunk: its last run, if that continues in the next chunk

  using value = typename Fold::value;

  __device__ SKERRY_INLINE std::int64_t end_of(std::int64_t chunk) const {
    const std::int64_t end = (chunk + 1) * fold_chunk;
    return end < size ? end : size;
  }
  /// True if the run at the end of a chunk continues in the next chunk.
  __device__ SKERRY_INLINE bool goes_on(std::int64_t end) const {
    return end < size && sorted_indices[end] == sorted_indices[end - 1];
  }
};

template <class Fold>
struct fold_chunks {
  IndexRuns<Fold> runs;

  __device__ void operator()(std::int64_t chunk) const {
    const std::int64_t end = runs.end_of(chunk);
    std::int64_t position = chunk * fold_chunk;
    bool is_begun = position > 0 && runs.sorted_indices[position] ==
                                        runs.sorted_indices[position - 1];  // in an earlier chunk
    while (position < end) {
      const std::uint32_t index = runs.sorted_indices[position];
      typename Fold::value sum = runs.fold.load(runs.source_positions[position]);
      for (++position; position < end && runs.sorted_indices[position] == index; ++position) {
        sum = Fold::combine(sum, runs.fold.load(runs.source_positions[position]));
      }
      if (is_begun) {
        runs.heads[chunk] = sum;
      } else if (position == end && runs.goes_on(end)) {
        runs.tails[chunk] = sum;
      } else if (index < runs.limit) {
        runs.fold.apply(index, sum);
      }
      is_begun = false;
    }
  }
};

template <class Fold>
struct join_chunks {
  IndexRuns<Fold> runs;

  __device__ void operator()(std::int64_t chunk) const {
    std::int64_t end = runs.end_of(chunk);
    if (!runs.goes_on(end)) return;
    const std::uint32_t index = runs.sorted_indices[end - 1];
    const std::int64_t begin = chunk * fold_chunk;
    // A run that began in an earlier chunk is joined by that chunk's thread.
    if (begin > 0 && runs.sorted_indices[begin] == index && runs.sorted_indices[begin - 1] == index)
      return;
    typename Fold::value sum = runs.tails[chunk];
    do {
      ++chunk;
      sum = Fold::combine(sum, runs.heads[chunk]);
      end = runs.end_of(chunk);
    } while (runs.goes_on(end) && runs.sorted_indices[end - 1] == index);
    if (index < runs.limit) runs.fold.apply(index, sum);
  }
};

/// Folds the values of each index, and passes the result to fold.apply(). `keys` are indices below
/// `limit`, or `limit` for values to ignore; the buffer has room for 2 * size keys.
template <class Fold>
cudaError_t fold_by_index(const Fold& fold, std::uint32_t* keys, std::int64_t size,
                          std::uint32_t limit, LaunchContext* context) {
  const std::int64_t chunks = (size + fold_chunk - 1) / fold_chunk;
  auto* const source_positions = scratch<std::uint32_t>(context, size);
  auto* const parts = scratch<typename Fold::value>(context, 2 * chunks);
  if (source_positions == nullptr || parts == nullptr) return cudaErrorMemoryAllocation;
  int bits = 1;
  while (bits < 32 && (limit >> bits) != 0) ++bits;
  cudaError_t status = order_keys(
      {.keys = keys, .sorted_keys = keys + size, .rows = 1, .length = size, .bits = bits}, nullptr,
      source_positions, context);
  if (status != cudaSuccess) return status;
  const IndexRuns<Fold> runs{.fold = fold,
                             .sorted_indices = keys + size,
                             .source_positions = source_positions,
                             .size = size,
                             .limit = limit,
                             .heads = parts,
                             .tails = parts + chunks};
  status = cub::DeviceFor::Bulk(chunks, fold_chunks<Fold>{runs}, stream_of(context));
  if (status != cudaSuccess) return status;
  return cub::DeviceFor::Bulk(chunks, join_chunks<Fold>{runs}, stream_of(context));
}

}  // namespace skerry::native
