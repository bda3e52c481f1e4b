// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/sort_key.hpp"

#include <cub/device/device_for.cuh>

#include <cstdint>
#include <type_traits>

// Sorts the items of a set by keys: the first step of unique and isin.

namespace skerry::native {

/// An item as one or two keys, the first being more significant; all ones for a number that is or
/// has NaN.
template <class T>
struct SetItem {
  static constexpr bool has_two_keys = false;
  using key = typename kernels::SortKey<T>::type;
  using sorted = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  __device__ static SKERRY_INLINE sorted encode(const char* item, bool is_aligned, int) {
    return static_cast<sorted>(kernels::SortKey<T>::encode(load<key>(item, is_aligned), key{0}));
  }
  static constexpr int bits = 8 * static_cast<int>(sizeof(T));
};

template <>
struct SetItem<complex128> {
  static constexpr bool has_two_keys = true;
  using sorted = std::uint64_t;
  using component_key = kernels::SortKey<float64>;

  __device__ static SKERRY_INLINE sorted encode(const char* item, bool is_aligned, int key_index) {
    const auto re = load<std::uint64_t>(item, is_aligned);
    const auto im = load<std::uint64_t>(item + 8, is_aligned);
    if (component_key::is_nan(re) || component_key::is_nan(im)) return ~sorted{0};
    return component_key::encode(key_index == 0 ? re : im, 0);
  }
  static constexpr int bits = 64;
};

/// True if the address is aligned for items of T.
template <class T>
[[nodiscard]] bool set_is_aligned(const void* address) {
  return is_aligned_for<typename SetItem<T>::sorted>(reinterpret_cast<std::intptr_t>(address)) ||
         (sizeof(T) < 4 && is_aligned_for<T>(reinterpret_cast<std::intptr_t>(address)));
}

/// keys[i] = key `key_index` of item indices[i], or of item i.
template <class T>
struct encode_set {
  const char* items;
  const std::uint32_t* indices;
  typename SetItem<T>::sorted* keys;
  int key_index;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t index = indices == nullptr ? i : static_cast<std::int64_t>(indices[i]);
    keys[i] = SetItem<T>::encode(items + index * static_cast<std::int64_t>(sizeof(T)), is_aligned,
                                 key_index);
  }
};

/// Sets indices[i] to the index of the item at sorted position i, and sorted_keys[i] to its (first)
/// key.
template <class T>
cudaError_t order_set(const char* items, std::int64_t count, std::uint32_t* indices,
                      typename SetItem<T>::sorted* sorted_keys, LaunchContext* context) {
  using key = typename SetItem<T>::sorted;
  key* const keys = scratch<key>(context, count);
  if (keys == nullptr) return cudaErrorMemoryAllocation;
  const KeyRows<key> rows{.keys = keys,
                          .sorted_keys = sorted_keys,
                          .rows = 1,
                          .length = count,
                          .bits = SetItem<T>::bits};
  encode_set<T> encode{.items = items,
                       .indices = nullptr,
                       .keys = keys,
                       .key_index = 0,
                       .is_aligned = set_is_aligned<T>(items)};
  const std::uint32_t* tags = nullptr;
  if constexpr (SetItem<T>::has_two_keys) {
    // Sort by the second key, then stably by the first.
    auto* const by_second = scratch<std::uint32_t>(context, count);
    if (by_second == nullptr) return cudaErrorMemoryAllocation;
    encode.key_index = 1;
    cudaError_t status = cub::DeviceFor::Bulk(count, encode, stream_of(context));
    if (status == cudaSuccess) status = order_keys(rows, nullptr, by_second, context);
    if (status != cudaSuccess) return status;
    encode.key_index = 0;
    encode.indices = by_second;
    tags = by_second;
  }
  const cudaError_t status = cub::DeviceFor::Bulk(count, encode, stream_of(context));
  return status == cudaSuccess ? order_keys(rows, tags, indices, context) : status;
}

}  // namespace skerry::native
