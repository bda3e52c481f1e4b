// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cuda/set_items.cuh"
#include "ops/sort/set_kernels.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>

// A search in the sorted set.

namespace skerry::native {

/// Whether items are in a set, by keys.
template <class T>
struct IsinLoop {
  using key = typename SetItem<T>::sorted;

  const char* x;
  const char* among;
  const std::uint32_t* indices;
  const key* keys;
  std::int64_t among_size;
  bool* output;
  bool invert;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const T item = load_item(x + i * static_cast<std::int64_t>(sizeof(T)));
    // NaN equals nothing.
    output[i] = (item == item && has(x + i * static_cast<std::int64_t>(sizeof(T)))) != invert;
  }

 private:
  __device__ SKERRY_INLINE T load_item(const char* from) const {
    if constexpr (sizeof(T) == 16) {
      return T(load<float64>(from, is_aligned), load<float64>(from + 8, is_aligned));
    } else {
      return load<T>(from, is_aligned);
    }
  }

  /// Whether the set's item at a position comes before the keys; `equal` if it is them.
  __device__ SKERRY_INLINE bool is_before(std::int64_t at, key first, key second,
                                          bool* equal) const {
    *equal = keys[at] == first;
    if constexpr (SetItem<T>::has_two_keys) {
      if (*equal) {
        const std::int64_t from = indices[at];
        const key other =
            SetItem<T>::encode(among + from * static_cast<std::int64_t>(sizeof(T)), is_aligned, 1);
        *equal = other == second;
        return other < second;
      }
    }
    return keys[at] < first;
  }

  __device__ SKERRY_INLINE bool has(const char* item) const {
    const key first = SetItem<T>::encode(item, is_aligned, 0);
    const key second = SetItem<T>::has_two_keys ? SetItem<T>::encode(item, is_aligned, 1) : first;
    std::int64_t begin = 0;
    std::int64_t end = among_size;
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
  auto* const indices = scratch<std::uint32_t>(context, p.among_size);
  auto* const keys = scratch<typename SetItem<T>::sorted>(context, p.among_size);
  if (indices == nullptr || keys == nullptr) return cudaErrorMemoryAllocation;
  if (p.among_size > 0) {
    const cudaError_t status = order_set<T>(p.among, p.among_size, indices, keys, context);
    if (status != cudaSuccess) return status;
  }
  const IsinLoop<T> loop{.x = p.x,
                         .among = p.among,
                         .indices = indices,
                         .keys = keys,
                         .among_size = p.among_size,
                         .output = p.output,
                         .invert = p.invert,
                         .is_aligned = set_is_aligned<T>(p.x) && set_is_aligned<T>(p.among)};
  return cub::DeviceFor::Bulk(p.size, loop, stream_of(context));
}

template <class T>
int isin(const void* params, LaunchContext* context) {
  return launched(find_members<T>(*static_cast<const IsinParams*>(params), context));
}

}  // namespace skerry::native
