// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cuda/set_items.cuh"
#include "ops/sort/set_kernels.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>

// isin by binary search in the sorted set.

namespace skerry::native {

/// Tests whether items are in a set, by keys.
template <class T>
struct IsinLoop {
  using key = typename SetItem<T>::sorted;

  const char* x;
  const char* test_elements;
  const std::uint32_t* indices;
  const key* keys;
  std::int64_t test_size;
  bool* output;
  bool invert;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const T item = load_item(x + i * static_cast<std::int64_t>(sizeof(T)));
    // NaN equals nothing.
    output[i] = (item == item && has(x + i * static_cast<std::int64_t>(sizeof(T)))) != invert;
  }

 private:
  __device__ SKERRY_INLINE T load_item(const char* source) const {
    if constexpr (sizeof(T) == 16) {
      return T(load<float64>(source, is_aligned), load<float64>(source + 8, is_aligned));
    } else {
      return load<T>(source, is_aligned);
    }
  }

  /// True if the set's item at `position` sorts before the keys; sets `equal` if it matches them.
  __device__ SKERRY_INLINE bool is_before(std::int64_t position, key first, key second,
                                          bool* equal) const {
    *equal = keys[position] == first;
    if constexpr (SetItem<T>::has_two_keys) {
      if (*equal) {
        const std::int64_t index = indices[position];
        const key other = SetItem<T>::encode(
            test_elements + index * static_cast<std::int64_t>(sizeof(T)), is_aligned, 1);
        *equal = other == second;
        return other < second;
      }
    }
    return keys[position] < first;
  }

  __device__ SKERRY_INLINE bool has(const char* item) const {
    const key first = SetItem<T>::encode(item, is_aligned, 0);
    const key second = SetItem<T>::has_two_keys ? SetItem<T>::encode(item, is_aligned, 1) : first;
    std::int64_t begin = 0;
    std::int64_t end = test_size;
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      bool equal = false;
      if (is_before(middle, first, second, &equal)) {
        begin = middle + 1;
      } else if (equal) {
        return true;
      } else {
        end = middle;
      }
    }
    return false;
  }
};

template <class T>
cudaError_t find_members(const IsinParams& p, LaunchContext* context) {
  auto* const indices = scratch<std::uint32_t>(context, p.test_size);
  auto* const keys = scratch<typename SetItem<T>::sorted>(context, p.test_size);
  if (indices == nullptr || keys == nullptr) return cudaErrorMemoryAllocation;
  if (p.test_size > 0) {
    const cudaError_t status = order_set<T>(p.test_elements, p.test_size, indices, keys, context);
    if (status != cudaSuccess) return status;
  }
  const IsinLoop<T> loop{
      .x = p.x,
      .test_elements = p.test_elements,
      .indices = indices,
      .keys = keys,
      .test_size = p.test_size,
      .output = p.output,
      .invert = p.invert,
      .is_aligned = set_is_aligned<T>(p.x) && set_is_aligned<T>(p.test_elements)};
  return cub::DeviceFor::Bulk(p.size, loop, stream_of(context));
}

template <class T>
int isin(const IsinParams& p, LaunchContext* context) {
  return end_launch(find_members<T>(p, context));
}

}  // namespace skerry::native
