// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/cuda/merge_rows.cuh"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/kernels.hpp"

#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>

namespace skerry::native {
namespace {

struct number_indices {
  std::uint32_t* indices;

  __device__ void operator()(std::int64_t i) const { indices[i] = static_cast<std::uint32_t>(i); }
};

/// Sorts row by row, with one shared workspace.
template <class Key>
cudaError_t order_long_rows(const KeyRows<Key>& key_rows, const std::uint32_t* tags,
                            std::uint32_t* indices, LaunchContext* context) {
  return with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    cudaError_t status = cudaSuccess;
    const std::int64_t rows = memory == nullptr ? 1 : key_rows.rows;
    for (std::int64_t row = 0; row < rows && status == cudaSuccess; ++row) {
      const std::int64_t offset = row * key_rows.length;
      // All rows use the same tags.
      status = cub::DeviceRadixSort::SortPairs(
          memory, nbytes, key_rows.keys + offset, key_rows.sorted_keys + offset, tags,
          indices + offset, key_rows.length, 0, key_rows.bits, stream_of(context));
    }
    return status;
  });
}

template <class Key>
cudaError_t order_rows(const KeyRows<Key>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context) {
  if (tags == nullptr) {
    auto* const numbers = scratch<std::uint32_t>(context, key_rows.length);
    if (numbers == nullptr) return cudaErrorMemoryAllocation;
    const cudaError_t status = cub::DeviceFor::Bulk(
        key_rows.length, number_indices{.indices = numbers}, stream_of(context));
    if (status != cudaSuccess) return status;
    tags = numbers;
  }
  return order_long_rows(key_rows, tags, indices, context);
}

}  // namespace

cudaError_t order_keys(const KeyRows<std::uint32_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context) {
  return order_rows(key_rows, tags, indices, context);
}

cudaError_t order_keys(const KeyRows<std::uint64_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context) {
  return order_rows(key_rows, tags, indices, context);
}

cudaError_t merge_sort_rows(const RowFormat& format, LaunchContext* context) {
  return merge_sort_by_size(format, context);
}

}  // namespace skerry::native
