// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/cuda/order.cuh"
#include "ops/kernels/sort.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace skerry {
namespace native {
namespace {

struct number_places {
  std::uint32_t* places;
  std::int64_t length;

  __device__ void operator()(std::int64_t i) const {
    places[i] = static_cast<std::uint32_t>(i % length);
  }
};

struct row_begin {
  std::int64_t length;

  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

/// Row by row, with one piece of scratch memory.
template <class Key>
cudaError_t order_long_rows(const key_rows<Key>& of, const std::uint32_t* tags,
                            std::uint32_t* places, launch_context* context) {
  return with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    cudaError_t status = cudaSuccess;
    const std::int64_t rows = memory == nullptr ? 1 : of.rows;
    for (std::int64_t row = 0; row < rows && status == cudaSuccess; ++row) {
      const std::int64_t at = row * of.length;
      // The same places serve all rows.
      status =
          cub::DeviceRadixSort::SortPairs(memory, nbytes, of.keys + at, of.sorted_keys + at, tags,
                                          places + at, of.length, 0, of.bits, stream_of(context));
    }
    return status;
  });
}

template <class Key>
cudaError_t order_short_rows(const key_rows<Key>& of, const std::uint32_t* tags,
                             std::uint32_t* places, launch_context* context) {
  const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                     row_begin{of.length});
  return with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(memory, nbytes, of.keys, of.sorted_keys, tags,
                                                     places, of.rows * of.length, of.rows, begin,
                                                     begin + 1, stream_of(context));
  });
}

template <class Key>
cudaError_t order_rows(const key_rows<Key>& of, const std::uint32_t* tags, std::uint32_t* places,
                       launch_context* context) {
  const bool by_device = are_long(of.rows, of.length);
  if (tags == nullptr) {
    const std::int64_t count = by_device ? of.length : of.rows * of.length;
    auto* const numbers = scratch<std::uint32_t>(context, count);
    if (numbers == nullptr) return cudaErrorMemoryAllocation;
    const cudaError_t status = cub::DeviceFor::Bulk(
        count, number_places{.places = numbers, .length = of.length}, stream_of(context));
    if (status != cudaSuccess) return status;
    tags = numbers;
  }
  return by_device ? order_long_rows(of, tags, places, context)
                   : order_short_rows(of, tags, places, context);
}

}  // namespace

cudaError_t order_keys(const key_rows<std::uint32_t>& of, const std::uint32_t* tags,
                       std::uint32_t* places, launch_context* context) {
  return order_rows(of, tags, places, context);
}

cudaError_t order_keys(const key_rows<std::uint64_t>& of, const std::uint32_t* tags,
                       std::uint32_t* places, launch_context* context) {
  return order_rows(of, tags, places, context);
}

/// The kernels themselves are compiled per dtype, from sort.cu.in.
void fill_sort(sort_kernels&) {}

}  // namespace native
}  // namespace skerry
