// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/select.cuh"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/kernels.hpp"
#include "ops/sort/sort_key.hpp"

#include <cuda_fp16.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstdint>
#include <type_traits>

// Short rows are merge-sorted (merge_rows.cuh). Values of long rows are sorted by
// cub::DeviceRadixSort, which treats -0 as +0; NaNs are replaced by one that sorts last and then
// restored. Indices of long rows are sorted by keys (order.cuh).

namespace skerry::native {

/// Key type of T, at least 32 bits wide, so that fewer sorts are compiled.
template <class T>
struct wide_key {
  using type = std::uint32_t;
};
template <class T>
  requires(sizeof(T) == 8)
struct wide_key<T> {
  using type = std::uint64_t;
};

template <class T>
struct encode_keys {
  using bits = typename kernels::SortKey<T>::type;
  using key = typename wide_key<T>::type;

  const char* input;
  key* keys;
  bits flip;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const bits item = load<bits>(input + i * static_cast<std::int64_t>(sizeof(bits)), is_aligned);
    keys[i] = static_cast<key>(kernels::SortKey<T>::encode(item, flip));
  }
};

/// Computes the argsort of rows of T.
template <class T>
cudaError_t order_items(const char* input, std::int64_t rows, std::int64_t length, bool descending,
                        std::uint32_t* indices, LaunchContext* context) {
  using key = typename wide_key<T>::type;
  using bits = typename kernels::SortKey<T>::type;
  const std::int64_t count = rows * length;
  key* const keys = scratch<key>(context, 2 * count);
  if (keys == nullptr) return cudaErrorMemoryAllocation;
  const encode_keys<T> encode{
      .input = input,
      .keys = keys,
      .flip = descending ? static_cast<bits>(~bits{0}) : bits{0},
      .is_aligned = is_aligned_for<bits>(reinterpret_cast<std::intptr_t>(input))};
  const cudaError_t status = cub::DeviceFor::Bulk(count, encode, stream_of(context));
  if (status != cudaSuccess) return status;
  return order_keys({.keys = keys,
                     .sorted_keys = keys + count,
                     .rows = rows,
                     .length = length,
                     .bits = 8 * static_cast<int>(sizeof(bits))},
                    nullptr, indices, context);
}

// ---- indices

struct widen_indices {
  const std::uint32_t* indices;
  std::int64_t* output;

  __device__ void operator()(std::int64_t i) const {
    output[i] = static_cast<std::int64_t>(indices[i]);
  }
};

template <class T>
cudaError_t sort_indices(const RowsToSort& p, LaunchContext* context) {
  auto* const indices = scratch<std::uint32_t>(context, p.rows * p.length);
  if (indices == nullptr) return cudaErrorMemoryAllocation;
  const cudaError_t status =
      order_items<T>(p.input, p.rows, p.length, p.descending, indices, context);
  if (status != cudaSuccess) return status;
  const widen_indices widen{.indices = indices,
                            .output = reinterpret_cast<std::int64_t*>(p.output)};
  return cub::DeviceFor::Bulk(p.rows * p.length, widen, stream_of(context));
}

// ---- values

/// Item type that CUB sorts for T: bytes for bool, and CUDA's half type for the stored-only dtypes,
/// whose bits are in the same order.
template <class T>
struct radix_item {
  using type = T;
};
template <ops::stored_only T>
struct radix_item<T> {
  using type = __half;
};
template <>
struct radix_item<bool> {
  using type = std::uint8_t;
};

/// Transforms items so that CUB's ascending order is the requested one: NaNs become positive, which
/// sorts last; for descending order, floats are negated and integers inverted. Applied twice, it
/// restores all items but NaNs. `nans`, if not null, records which items are NaN.
template <class T>
struct reverse_items {
  using bits = typename kernels::SortKey<T>::type;
  static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));

  const char* input;
  bits* output;
  char* nans;
  bool descending;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const bits item = load<bits>(input + i * static_cast<std::int64_t>(sizeof(bits)), is_aligned);
    if constexpr (ops::real_floating<T>) {
      const bool is_nan = kernels::SortKey<T>::is_nan(item);
      const bits flipped = descending ? static_cast<bits>(item ^ sign) : item;
      output[i] = is_nan ? static_cast<bits>(item & ~sign) : flipped;
      if (nans != nullptr) nans[i] = is_nan ? 1 : 0;
    } else if constexpr (ops::boolean<T>) {
      output[i] = static_cast<bits>((item != 0) != descending);
    } else {
      output[i] = descending ? static_cast<bits>(~item) : item;
    }
  }
};

template <class T>
cudaError_t reverse(const char* input, char* output, char* nans, std::int64_t count,
                    bool descending, LaunchContext* context) {
  using bits = typename kernels::SortKey<T>::type;
  const reverse_items<T> turn{
      .input = input,
      .output = reinterpret_cast<bits*>(output),
      .nans = nans,
      .descending = descending,
      .is_aligned = is_aligned_for<bits>(reinterpret_cast<std::intptr_t>(input))};
  return cub::DeviceFor::Bulk(count, turn, stream_of(context));
}

/// Replaces the last items of a row by the NaNs of the input, with their signs and payloads.
template <class Bits>
struct put_back_nans {
  const Bits* nans;
  const std::int64_t* number;
  Bits* row;
  std::int64_t length;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t first = length - *number;
    if (i >= first) row[i] = nans[i - first];
  }
};

/// Restores the NaNs of all rows from the input; `workspace` has room for those of one row.
template <class T>
cudaError_t restore_nans(const RowsToSort& p, const char* is_nan, char* workspace,
                         LaunchContext* context) {
  using bits = typename kernels::SortKey<T>::type;
  auto* const nans = reinterpret_cast<bits*>(workspace);
  auto* const number = scratch<std::int64_t>(context, 1);
  if (number == nullptr) return cudaErrorMemoryAllocation;
  cudaError_t status = cudaSuccess;
  for (std::int64_t row = 0; row < p.rows && status == cudaSuccess; ++row) {
    const std::int64_t offset = row * p.length;
    const char* const source = p.input + offset * static_cast<std::int64_t>(sizeof(T));
    status = select_items(is_nan + offset, source, nans, number, p.length, context);
    if (status != cudaSuccess) break;
    const put_back_nans<bits> put{.nans = nans,
                                  .number = number,
                                  .row = reinterpret_cast<bits*>(p.output) + offset,
                                  .length = p.length};
    status = cub::DeviceFor::Bulk(p.length, put, stream_of(context));
  }
  return status;
}

template <class T>
cudaError_t sort_long_rows(const RowsToSort& p, LaunchContext* context) {
  using item = typename radix_item<T>::type;
  const std::int64_t count = p.rows * p.length;
  const char* input = p.input;
  char* flipped = nullptr;
  char* nans = nullptr;
  cudaError_t status = cudaSuccess;
  if (p.descending || ops::real_floating<T> || ops::boolean<T> ||
      !is_aligned_for<T>(reinterpret_cast<std::intptr_t>(input))) {
    flipped = scratch<char>(context, count * static_cast<std::int64_t>(sizeof(T)));
    if (flipped == nullptr) return cudaErrorMemoryAllocation;
    if constexpr (ops::real_floating<T>) {
      nans = scratch<char>(context, count);
      if (nans == nullptr) return cudaErrorMemoryAllocation;
    }
    status = reverse<T>(input, flipped, nans, count, p.descending, context);
    input = flipped;
  }
  if (status != cudaSuccess) return status;
  const auto* const source = reinterpret_cast<const item*>(input);
  auto* const destination = reinterpret_cast<item*>(p.output);
  status = with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    cudaError_t sorted = cudaSuccess;
    const std::int64_t rows = memory == nullptr ? 1 : p.rows;
    for (std::int64_t row = 0; row < rows && sorted == cudaSuccess; ++row) {
      const std::int64_t offset = row * p.length;
      sorted = cub::DeviceRadixSort::SortKeys(memory, nbytes, source + offset, destination + offset,
                                              p.length, 0, 8 * static_cast<int>(sizeof(T)),
                                              stream_of(context));
    }
    return sorted;
  });
  if (status == cudaSuccess && p.descending) {
    status = reverse<T>(p.output, p.output, nullptr, count, true, context);
  }
  if constexpr (ops::real_floating<T>) {
    if (status == cudaSuccess) status = restore_nans<T>(p, nans, flipped, context);
  }
  return status;
}

template <class T>
inline constexpr RowItems row_items_of = ops::boolean<T>           ? RowItems::booleans
                                         : ops::real_floating<T>   ? RowItems::floating
                                         : ops::signed_integral<T> ? RowItems::signed_integers
                                                                   : RowItems::unsigned_integers;

/// Bits of infinity; 0 if T has none.
template <class T>
inline constexpr std::uint64_t infinity_bits = 0;
template <ops::real_floating T>
inline constexpr std::uint64_t infinity_bits<T> = kernels::SortKey<T>::infinity;

template <class T, bool Indices>
cudaError_t sort_rows(const RowsToSort& p, LaunchContext* context) {
  if (p.rows <= 0 || p.length <= 0) return cudaSuccess;
  if (!are_long(p.rows, p.length)) {
    const RowFormat format{.input = p.input,
                           .output = p.output,
                           .rows = p.rows,
                           .length = p.length,
                           .width = static_cast<int>(sizeof(T)),
                           .kind = row_items_of<T>,
                           .infinity = infinity_bits<T>,
                           .descending = p.descending,
                           .indices = Indices};
    return merge_sort_rows(format, context);
  }
  if constexpr (Indices) {
    return sort_indices<T>(p, context);
  } else {
    return sort_long_rows<T>(p, context);
  }
}

template <class T, bool Indices>
int run_sort(const SortParams& p, LaunchContext* context) {
  const RowsToSort rows{.input = p.input,
                        .output = p.output,
                        .rows = p.rows,
                        .length = p.length,
                        .descending = p.descending};
  return end_launch(sort_rows<T, Indices>(rows, context));
}

// ---- search

template <class T>
struct SearchLoop {
  const char* sorted;
  std::int64_t sorted_size;
  const char* sorter;
  std::int64_t* out_of_range_index;
  const char* values;
  std::int64_t* output;
  bool right;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const T value = load<T>(values + i * static_cast<std::int64_t>(sizeof(T)), is_aligned);
    if constexpr (ops::real_floating<T>) {
      if (value != value) {  // after all numbers, or after everything
        output[i] = right ? sorted_size : find(static_cast<T>(INFINITY), true);
        return;
      }
    }
    output[i] = find(value, right);
  }

 private:
  /// Returns the number of items before `value`; NaN items never are. Takes the same steps as the
  /// host's search, so that results agree even if the items are unsorted.
  __device__ SKERRY_INLINE std::int64_t find(T value, bool or_equal) const {
    if (sorted_size == 0) return 0;
    std::int64_t begin = 0;
    for (std::int64_t left = sorted_size; left > 1; left -= left / 2) {
      if (is_before(begin + left / 2 - 1, value, or_equal)) begin += left / 2;
    }
    return begin + (is_before(begin, value, or_equal) ? 1 : 0);
  }

  __device__ SKERRY_INLINE bool is_before(std::int64_t i, T value, bool or_equal) const {
    const T item = read_item(i);
    return or_equal ? item <= value : item < value;
  }

  __device__ SKERRY_INLINE T read_item(std::int64_t i) const {
    if (sorter != nullptr) {
      i = load<std::int64_t>(sorter + i * 8, is_aligned);
      if (static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(sorted_size)) {
        *out_of_range_index = i;  // any out-of-bounds index is reported
        i = 0;
      }
    }
    return load<T>(sorted + i * static_cast<std::int64_t>(sizeof(T)), is_aligned);
  }
};

template <class T>
int search(const SearchParams& p, LaunchContext* context) {
  if (p.out_of_range_index != nullptr && p.sorter != nullptr) {
    const cudaError_t status =
        cudaMemsetAsync(p.out_of_range_index, 0, sizeof(std::int64_t), stream_of(context));
    if (status != cudaSuccess) return end_launch(status);
  }
  const SearchLoop<T> loop{
      .sorted = p.sorted,
      .sorted_size = p.sorted_size,
      .sorter = reinterpret_cast<const char*>(p.sorter.get()),
      .out_of_range_index = p.out_of_range_index,
      .values = p.values,
      .output = p.output,
      .right = p.right,
      .is_aligned = is_aligned_for<T>(reinterpret_cast<std::intptr_t>(p.sorted.get())) &&
                    is_aligned_for<T>(reinterpret_cast<std::intptr_t>(p.values.get())) &&
                    is_aligned_for<std::int64_t>(reinterpret_cast<std::intptr_t>(p.sorter.get()))};
  return end_launch(cub::DeviceFor::Bulk(p.size, loop, stream_of(context)));
}

}  // namespace skerry::native
