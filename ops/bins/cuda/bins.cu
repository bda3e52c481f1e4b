// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/bins/kernels.hpp"
#include "ops/kernel/cuda/fold_by_index.cuh"

#include <algorithm>

namespace skerry::native {
namespace {

// Counts are added atomically: the order does not matter for integers. Each block first counts in
// shared memory if there are few bins.

inline constexpr int count_threads = 256;
inline constexpr std::int64_t shared_bins = 4096;
inline constexpr std::int64_t max_blocks = 1024;
/// Minimum number of items per thread: each block adds its bins to the total at the end.
inline constexpr std::int64_t items_each = 16;

/// `bin_of(i)` is negative or at least `bins` for an item outside all bins.
template <class BinOf>
__global__ void __launch_bounds__(count_threads)
    count_items(BinOf bin_of, std::int64_t size, std::int64_t bins, unsigned long long* counts) {
  __shared__ unsigned block_counts[shared_bins];
  const bool is_shared = bins <= shared_bins;
  if (is_shared) {
    for (std::int64_t bin = threadIdx.x; bin < bins; bin += count_threads) block_counts[bin] = 0;
    __syncthreads();
  }
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * count_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * count_threads + threadIdx.x;
       i < size; i += step) {
    const std::int64_t bin = bin_of(i);
    if (static_cast<std::uint64_t>(bin) >= static_cast<std::uint64_t>(bins)) continue;
    if (is_shared) {
      atomicAdd(&block_counts[bin], 1u);
    } else {
      atomicAdd(&counts[bin], 1ull);
    }
  }
  if (!is_shared) return;
  __syncthreads();
  for (std::int64_t bin = threadIdx.x; bin < bins; bin += count_threads) {
    if (block_counts[bin] != 0)
      atomicAdd(&counts[bin], static_cast<unsigned long long>(block_counts[bin]));
  }
}

/// Counts items by bin. 32-bit counts per block suffice: a block takes 1 in max_blocks of the
/// items.
template <class BinOf>
cudaError_t count_bins(const BinOf& bin_of, std::int64_t size, std::int64_t bins, void* counts,
                       LaunchContext* context) {
  const cudaError_t status =
      cudaMemsetAsync(counts, 0, static_cast<std::size_t>(bins) * 8, stream_of(context));
  if (status != cudaSuccess || size == 0) return status;
  const std::int64_t required_blocks =
      (size + count_threads * items_each - 1) / (count_threads * items_each);
  count_items<<<static_cast<unsigned>(std::min(required_blocks, max_blocks)), count_threads, 0,
                stream_of(context)>>>(bin_of, size, bins, static_cast<unsigned long long*>(counts));
  return cudaGetLastError();
}

struct bincount_bin {
  const char* numbers;
  bool is_aligned;

  __device__ SKERRY_INLINE std::int64_t operator()(std::int64_t i) const {
    return load<std::int64_t>(numbers + i * 8, is_aligned);
  }
};

struct number_keys {
  bincount_bin number;
  std::int64_t bins;
  std::uint32_t* keys;

  __device__ void operator()(std::int64_t i) const {
    const auto bin = static_cast<std::uint64_t>(number(i));
    keys[i] = static_cast<std::uint32_t>(
        bin < static_cast<std::uint64_t>(bins) ? bin : static_cast<std::uint64_t>(bins));
  }
};

struct WeightFold {
  using value = double;

  const char* weights;
  double* sums;
  bool is_aligned;

  __device__ SKERRY_INLINE value load(std::int64_t i) const {
    return native::load<double>(weights + i * 8, is_aligned);
  }
  __device__ static SKERRY_INLINE value combine(value a, value b) { return a + b; }
  __device__ SKERRY_INLINE void apply(std::int64_t i, value x) const { sums[i] = x; }
};

int bincount(const BincountParams& p, LaunchContext* context) {
  const bincount_bin number{
      .numbers = reinterpret_cast<const char*>(p.numbers.get()),
      .is_aligned = is_aligned_for<std::int64_t>(reinterpret_cast<std::intptr_t>(p.numbers.get()))};
  if (p.weights == nullptr) {
    return end_launch(count_bins(number, p.size, p.bins, p.output, context));
  }
  cudaError_t status =
      cudaMemsetAsync(p.output, 0, static_cast<std::size_t>(p.bins) * 8, stream_of(context));
  if (status != cudaSuccess || p.size == 0) return end_launch(status);
  auto* const keys = scratch<std::uint32_t>(context, 2 * p.size);
  if (keys == nullptr) return end_launch(cudaErrorMemoryAllocation);
  status = cub::DeviceFor::Bulk(p.size, number_keys{.number = number, .bins = p.bins, .keys = keys},
                                stream_of(context));
  if (status != cudaSuccess) return end_launch(status);
  const WeightFold fold{
      .weights = reinterpret_cast<const char*>(p.weights.get()),
      .sums = static_cast<double*>(p.output.get()),
      .is_aligned = is_aligned_for<double>(reinterpret_cast<std::intptr_t>(p.weights.get()))};
  return end_launch(fold_by_index(fold, keys, p.size, static_cast<std::uint32_t>(p.bins), context));
}

template <class T>
struct histogram_bin {
  using C = ops::computed_t<T>;

  const char* items;
  const char* edges;
  std::int64_t bins;
  double first, scale;
  bool uniform;
  bool is_aligned;

  __device__ SKERRY_INLINE std::int64_t operator()(std::int64_t i) const {
    const C item =
        static_cast<C>(load<T>(items + i * static_cast<std::int64_t>(sizeof(T)), is_aligned));
    if (!(item >= edge(0) && item <= edge(bins))) return -1;
    return uniform ? estimated(item) : sought(item);
  }

 private:
  __device__ SKERRY_INLINE C edge(std::int64_t i) const {
    return static_cast<C>(load<T>(edges + i * static_cast<std::int64_t>(sizeof(T)), is_aligned));
  }
  __device__ SKERRY_INLINE std::int64_t estimated(C item) const {
    const double guess = (static_cast<double>(item) - first) * scale;
    const auto max_bin = static_cast<double>(bins - 1);
    auto bin = static_cast<std::int64_t>(guess < max_bin ? guess : max_bin);
    if (bin < 0) bin = 0;
    while (item < edge(bin)) --bin;
    while (bin < bins - 1 && item >= edge(bin + 1)) ++bin;
    return bin;
  }
  __device__ SKERRY_INLINE std::int64_t sought(C item) const {
    std::int64_t bin = 0;
    for (std::int64_t left = bins; left > 1; left -= left / 2) {
      if (edge(bin + left / 2) <= item) bin += left / 2;
    }
    return bin;
  }
};

template <class T>
int histogram(const HistogramParams& p, LaunchContext* context) {
  const histogram_bin<T> bin{
      .items = p.items,
      .edges = p.edges,
      .bins = p.bins,
      .first = p.first,
      .scale = p.scale,
      .uniform = p.uniform,
      .is_aligned = is_aligned_for<T>(reinterpret_cast<std::intptr_t>(p.items.get())) &&
                    is_aligned_for<T>(reinterpret_cast<std::intptr_t>(p.edges.get()))};
  return end_launch(count_bins(bin, p.size, p.bins, p.output, context));
}

template <class T>
void fill_histogram(BinsKernels& table) {
  if constexpr (ops::real_floating<T>) {
    table.histogram[static_cast<int>(dtype_of<T>)].set_native<histogram<T>>();
  }
}

}  // namespace

void fill_bins(BinsKernels& table) {
  table.bincount.set_native<bincount>();
#define SKERRY_FILL(name, type, kind, typestr) fill_histogram<type>(table);
  SKERRY_FOR_EACH_DTYPE(SKERRY_FILL)
#undef SKERRY_FILL
}

}  // namespace skerry::native
