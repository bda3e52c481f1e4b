// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/select.cuh"
#include "ops/sort/cuda/set_items.cuh"
#include "ops/sort/set_kernels.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <cstdint>
#include <type_traits>

// If only values are requested, they are sorted, and the first of equal values is selected.
// Otherwise, the items' indices are sorted, a scan numbers the distinct items, and two passes write
// the results.

namespace skerry::native {

/// Returns 1 if the item's key differs from the previous one; NaN always differs.
template <class T>
struct begins_group {
  const char* items;
  const std::uint32_t* order;
  const typename SetItem<T>::sorted* keys;
  bool is_aligned;

  __device__ std::uint32_t operator()(std::int64_t i) const {
    if (i == 0 || keys[i] != keys[i - 1]) return 1;
    if constexpr (ops::floating<T>) {
      constexpr auto nan =
          static_cast<typename SetItem<T>::sorted>(~std::uint64_t{0} >> (64 - SetItem<T>::bits));
      if (keys[i] == nan) return 1;
    }
    if constexpr (SetItem<T>::has_two_keys) {
      return second(i) != second(i - 1) ? 1 : 0;
    } else {
      return 0;
    }
  }

 private:
  __device__ SKERRY_INLINE typename SetItem<T>::sorted second(std::int64_t i) const {
    const std::int64_t index = order[i];
    return SetItem<T>::encode(items + index * static_cast<std::int64_t>(sizeof(T)), is_aligned, 1);
  }
};

/// Inputs of the passes that write the results.
template <class T>
struct UniqueOutput {
  UniqueParams params;
  const std::uint32_t* order;
  const std::uint32_t* numbers;  ///< by sorted position, from 1
  std::int64_t* starts;          ///< sorted position of the first of each distinct item
  bool is_aligned;

  __device__ SKERRY_INLINE bool begins(std::int64_t i) const {
    return i == 0 || numbers[i] != numbers[i - 1];
  }
  __device__ SKERRY_INLINE std::int64_t number(std::int64_t i) const {
    return static_cast<std::int64_t>(numbers[i]) - 1;
  }
};

template <class T>
struct write_unique {
  UniqueOutput<T> out;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t number = out.number(i);
    const std::int64_t index = out.order[i];
    if (out.begins(i)) {
      constexpr auto size = static_cast<std::int64_t>(sizeof(T));
      copy_item(out.params.values + number * size, out.params.input + index * size);
      if (out.params.indices != nullptr) out.params.indices[number] = index;
      if (out.params.counts != nullptr) out.starts[number] = i;
    }
    if (out.params.inverse != nullptr) out.params.inverse[index] = number;
    if (i == out.params.size - 1) *out.params.distinct = number + 1;
  }

 private:
  __device__ SKERRY_INLINE void copy_item(char* destination, const char* source) const {
    if constexpr (sizeof(T) == 16) {
      store(destination, load<std::uint64_t>(source, out.is_aligned), true);
      store(destination + 8, load<std::uint64_t>(source + 8, out.is_aligned), true);
    } else {
      using key = typename kernels::SortKey<T>::type;
      using item = std::conditional_t<ops::boolean<T>, bool, key>;
      store(destination, load<item>(source, out.is_aligned), true);
    }
  }
};

template <class T>
struct write_counts {
  UniqueOutput<T> out;

  __device__ void operator()(std::int64_t i) const {
    if (i != out.params.size - 1 && !out.begins(i + 1)) return;
    const std::int64_t number = out.number(i);
    out.params.counts[number] = i + 1 - out.starts[number];
  }
};

template <class T>
cudaError_t number_groups(const begins_group<T>& begins, std::int64_t count, std::uint32_t* numbers,
                          LaunchContext* context) {
  const auto flags =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), begins);
  return with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    return cub::DeviceScan::InclusiveSum(memory, nbytes, flags, numbers, count, stream_of(context));
  });
}

template <class T>
cudaError_t find_unique(const UniqueParams& p, LaunchContext* context) {
  auto* const order = scratch<std::uint32_t>(context, 2 * p.size);
  auto* const keys = scratch<typename SetItem<T>::sorted>(context, p.size);
  auto* const starts = scratch<std::int64_t>(
      context, p.counts != nullptr ? distinct_capacity(p.size, dtype_of<T>) : 1);
  if (order == nullptr || keys == nullptr || starts == nullptr) return cudaErrorMemoryAllocation;
  std::uint32_t* const numbers = order + p.size;
  const bool is_aligned = set_is_aligned<T>(p.input);
  cudaError_t status = order_set<T>(p.input, p.size, order, keys, context);
  if (status == cudaSuccess) {
    status =
        number_groups<T>({.items = p.input, .order = order, .keys = keys, .is_aligned = is_aligned},
                         p.size, numbers, context);
  }
  const UniqueOutput<T> out{
      .params = p, .order = order, .numbers = numbers, .starts = starts, .is_aligned = is_aligned};
  if (status == cudaSuccess) {
    status = cub::DeviceFor::Bulk(p.size, write_unique<T>{out}, stream_of(context));
  }
  if (status == cudaSuccess && p.counts != nullptr) {
    status = cub::DeviceFor::Bulk(p.size, write_counts<T>{out}, stream_of(context));
  }
  return status;
}

/// Sets is_first[i] to 1 if the sorted value differs from the previous one; NaN always differs.
template <class T>
struct mark_first {
  using bits = typename kernels::SortKey<T>::type;

  const bits* sorted;
  char* is_first;

  __device__ void operator()(std::int64_t i) const {
    const bits value = kernels::SortKey<T>::encode(sorted[i], bits{0});
    is_first[i] = i == 0 || kernels::SortKey<T>::is_nan(sorted[i]) ||
                  value != kernels::SortKey<T>::encode(sorted[i - 1], bits{0});
  }
};

template <class Bits>
struct write_first {
  UniqueParams params;
  const Bits* sorted;
  const std::int64_t* starts;  ///< position of the first of each distinct value

  __device__ void operator()(std::int64_t number) const {
    const std::int64_t distinct = *params.distinct;
    if (number >= distinct) return;
    const std::int64_t start = starts[number];
    reinterpret_cast<Bits*>(params.values.get())[number] = sorted[start];
    if (params.counts == nullptr) return;
    params.counts[number] = (number + 1 < distinct ? starts[number + 1] : params.size) - start;
  }
};

template <class T>
cudaError_t find_unique_values(const UniqueParams& p, LaunchContext* context) {
  using bits = typename kernels::SortKey<T>::type;
  auto* const sorted = scratch<bits>(context, p.size);
  auto* const is_first = scratch<char>(context, p.size);
  const std::int64_t max_distinct = distinct_capacity(p.size, dtype_of<T>);
  auto* const starts = scratch<std::int64_t>(context, max_distinct);
  if (sorted == nullptr || is_first == nullptr || starts == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  const RowsToSort input{.input = p.input,
                         .output = reinterpret_cast<char*>(sorted),
                         .rows = 1,
                         .length = p.size,
                         .descending = false};
  cudaError_t status = sort_rows<T, false>(input, context);
  if (status != cudaSuccess) return status;
  status = cub::DeviceFor::Bulk(p.size, mark_first<T>{.sorted = sorted, .is_first = is_first},
                                stream_of(context));
  if (status != cudaSuccess) return status;
  status = select_indices(is_first, starts, p.distinct, p.size, context);
  if (status != cudaSuccess) return status;
  const write_first<bits> write{.params = p, .sorted = sorted, .starts = starts};
  return cub::DeviceFor::Bulk(max_distinct, write, stream_of(context));
}

template <class T>
int unique(const UniqueParams& p, LaunchContext* context) {
  if constexpr (!ops::complex_floating<T>) {
    if (unique_by_values(dtype_of<T>, p.indices != nullptr, p.inverse != nullptr)) {
      return end_launch(find_unique_values<T>(p, context));
    }
  }
  return end_launch(find_unique<T>(p, context));
}

}  // namespace skerry::native
