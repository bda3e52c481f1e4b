// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/cuda/launch.cuh"
#include "ops/kernel/cuda/select.cuh"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/kernels.hpp"
#include "ops/sort/set_kernels.hpp"
#include "ops/sort/sort_key.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_scan.cuh>

#include <cstdint>
#include <type_traits>

// unique: where only values are asked for, a sort and a selection of the first of each; else the
// order of the items, a scan that numbers the distinct ones, and two passes that write the results.
// isin: a search in the sorted set.

namespace skerry {
namespace native {

/// The item as one or two keys, of which the first decides; all ones for a number that is or has
/// NaN.
template <class T>
struct set_item {
  static constexpr bool has_two_keys = false;
  using key = typename kernels::sort_key<T>::type;
  using sorted = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  __device__ static SKERRY_INLINE sorted encode(const char* item, bool is_aligned, int) {
    return static_cast<sorted>(kernels::sort_key<T>::encode(load<key>(item, is_aligned), key{0}));
  }
  static constexpr int bits = 8 * static_cast<int>(sizeof(T));
};

template <>
struct set_item<complex128> {
  static constexpr bool has_two_keys = true;
  using sorted = std::uint64_t;
  using part = kernels::sort_key<float64>;

  __device__ static SKERRY_INLINE sorted encode(const char* item, bool is_aligned, int which) {
    const auto re = load<std::uint64_t>(item, is_aligned);
    const auto im = load<std::uint64_t>(item + 8, is_aligned);
    if (part::is_nan(re) || part::is_nan(im)) return ~sorted{0};
    return part::encode(which == 0 ? re : im, 0);
  }
  static constexpr int bits = 64;
};

/// Whether items of T may be read as one.
template <class T>
[[nodiscard]] bool set_is_aligned(const void* at) {
  return suits<typename set_item<T>::sorted>(reinterpret_cast<std::intptr_t>(at)) ||
         (sizeof(T) < 4 && suits<T>(reinterpret_cast<std::intptr_t>(at)));
}

/// keys[i] = key `which` of item places[i], or of item i.
template <class T>
struct encode_set {
  const char* items;
  const std::uint32_t* places;
  typename set_item<T>::sorted* keys;
  int which;
  bool is_aligned;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t from = places == nullptr ? i : static_cast<std::int64_t>(places[i]);
    keys[i] =
        set_item<T>::encode(items + from * static_cast<std::int64_t>(sizeof(T)), is_aligned, which);
  }
};

/// places[i] is the item that comes at i; sorted_keys its (first) key.
template <class T>
cudaError_t order_set(const char* items, std::int64_t count, std::uint32_t* places,
                      typename set_item<T>::sorted* sorted_keys, launch_context* context) {
  using key = typename set_item<T>::sorted;
  key* const keys = scratch<key>(context, count);
  if (keys == nullptr) return cudaErrorMemoryAllocation;
  const key_rows<key> rows{.keys = keys,
                           .sorted_keys = sorted_keys,
                           .rows = 1,
                           .length = count,
                           .bits = set_item<T>::bits};
  encode_set<T> encode{.items = items,
                       .places = nullptr,
                       .keys = keys,
                       .which = 0,
                       .is_aligned = set_is_aligned<T>(items)};
  const std::uint32_t* tags = nullptr;
  if constexpr (set_item<T>::has_two_keys) {
    // By the second key, then, stably, by the first.
    auto* const by_second = scratch<std::uint32_t>(context, count);
    if (by_second == nullptr) return cudaErrorMemoryAllocation;
    encode.which = 1;
    cudaError_t status = cub::DeviceFor::Bulk(count, encode, stream_of(context));
    if (status == cudaSuccess) status = order_keys(rows, nullptr, by_second, context);
    if (status != cudaSuccess) return status;
    encode.which = 0;
    encode.places = by_second;
    tags = by_second;
  }
  const cudaError_t status = cub::DeviceFor::Bulk(count, encode, stream_of(context));
  return status == cudaSuccess ? order_keys(rows, tags, places, context) : status;
}

// ---- unique

/// 1 where the item differs from the one before it, by keys; NaN always does.
template <class T>
struct begins_group {
  const char* items;
  const std::uint32_t* places;
  const typename set_item<T>::sorted* keys;
  bool is_aligned;

  __device__ std::uint32_t operator()(std::int64_t i) const {
    if (i == 0 || keys[i] != keys[i - 1]) return 1;
    if constexpr (ops::floating<T>) {
      constexpr auto nan =
          static_cast<typename set_item<T>::sorted>(~std::uint64_t{0} >> (64 - set_item<T>::bits));
      if (keys[i] == nan) return 1;
    }
    if constexpr (set_item<T>::has_two_keys) {
      return second(i) != second(i - 1) ? 1 : 0;
    } else {
      return 0;
    }
  }

 private:
  __device__ SKERRY_INLINE typename set_item<T>::sorted second(std::int64_t i) const {
    const std::int64_t from = places[i];
    return set_item<T>::encode(items + from * static_cast<std::int64_t>(sizeof(T)), is_aligned, 1);
  }
};

/// What the passes that write the results know.
template <class T>
struct unique_output {
  unique_params to;
  const std::uint32_t* places;
  const std::uint32_t* numbers;  ///< by position in the order, from 1 on
  std::int64_t* starts;          ///< position of each distinct item's first
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
  unique_output<T> out;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t number = out.number(i);
    const std::int64_t place = out.places[i];
    if (out.begins(i)) {
      constexpr auto size = static_cast<std::int64_t>(sizeof(T));
      copy_item(out.to.values + number * size, out.to.input + place * size);
      if (out.to.indices != nullptr) out.to.indices[number] = place;
      if (out.to.counts != nullptr) out.starts[number] = i;
    }
    if (out.to.inverse != nullptr) out.to.inverse[place] = number;
    if (i == out.to.size - 1) *out.to.distinct = number + 1;
  }

 private:
  __device__ SKERRY_INLINE void copy_item(char* to, const char* from) const {
    if constexpr (sizeof(T) == 16) {
      store(to, load<std::uint64_t>(from, out.is_aligned), true);
      store(to + 8, load<std::uint64_t>(from + 8, out.is_aligned), true);
    } else {
      using key = typename kernels::sort_key<T>::type;
      using item = std::conditional_t<ops::boolean<T>, bool, key>;
      store(to, load<item>(from, out.is_aligned), true);
    }
  }
};

template <class T>
struct write_counts {
  unique_output<T> out;

  __device__ void operator()(std::int64_t i) const {
    if (i != out.to.size - 1 && !out.begins(i + 1)) return;
    const std::int64_t number = out.number(i);
    out.to.counts[number] = i + 1 - out.starts[number];
  }
};

template <class T>
cudaError_t number_groups(const begins_group<T>& begins, std::int64_t count, std::uint32_t* numbers,
                          launch_context* context) {
  const auto flags =
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), begins);
  return with_workspace(context, [&](void* memory, std::size_t& nbytes) {
    return cub::DeviceScan::InclusiveSum(memory, nbytes, flags, numbers, count, stream_of(context));
  });
}

template <class T>
cudaError_t find_unique(const unique_params& p, launch_context* context) {
  auto* const places = scratch<std::uint32_t>(context, 2 * p.size);
  auto* const keys = scratch<typename set_item<T>::sorted>(context, p.size);
  auto* const starts =
      scratch<std::int64_t>(context, p.counts != nullptr ? distinct_room(p.size, dtype_of<T>) : 1);
  if (places == nullptr || keys == nullptr || starts == nullptr) return cudaErrorMemoryAllocation;
  std::uint32_t* const numbers = places + p.size;
  const bool is_aligned = set_is_aligned<T>(p.input);
  cudaError_t status = order_set<T>(p.input, p.size, places, keys, context);
  if (status == cudaSuccess) {
    status = number_groups<T>(
        {.items = p.input, .places = places, .keys = keys, .is_aligned = is_aligned}, p.size,
        numbers, context);
  }
  const unique_output<T> out{
      .to = p, .places = places, .numbers = numbers, .starts = starts, .is_aligned = is_aligned};
  if (status == cudaSuccess) {
    status = cub::DeviceFor::Bulk(p.size, write_unique<T>{out}, stream_of(context));
  }
  if (status == cudaSuccess && p.counts != nullptr) {
    status = cub::DeviceFor::Bulk(p.size, write_counts<T>{out}, stream_of(context));
  }
  return status;
}

/// is_first[i] = 1 where the sorted value differs from the one before it; NaN always does.
template <class T>
struct mark_first {
  using bits = typename kernels::sort_key<T>::type;

  const bits* sorted;
  char* is_first;

  __device__ void operator()(std::int64_t i) const {
    const bits value = kernels::sort_key<T>::encode(sorted[i], bits{0});
    is_first[i] = i == 0 || kernels::sort_key<T>::is_nan(sorted[i]) ||
                  value != kernels::sort_key<T>::encode(sorted[i - 1], bits{0});
  }
};

template <class Bits>
struct write_first {
  unique_params to;
  const Bits* sorted;
  const std::int64_t* starts;  ///< position of each distinct value's first

  __device__ void operator()(std::int64_t number) const {
    const std::int64_t distinct = *to.distinct;
    if (number >= distinct) return;
    const std::int64_t start = starts[number];
    reinterpret_cast<Bits*>(to.values)[number] = sorted[start];
    if (to.counts == nullptr) return;
    to.counts[number] = (number + 1 < distinct ? starts[number + 1] : to.size) - start;
  }
};

template <class T>
cudaError_t find_unique_values(const unique_params& p, launch_context* context) {
  using bits = typename kernels::sort_key<T>::type;
  auto* const sorted = scratch<bits>(context, p.size);
  auto* const is_first = scratch<char>(context, p.size);
  const std::int64_t most = distinct_room(p.size, dtype_of<T>);
  auto* const starts = scratch<std::int64_t>(context, most);
  if (sorted == nullptr || is_first == nullptr || starts == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  const sort_params sort{.input = p.input,
                         .output = reinterpret_cast<char*>(sorted),
                         .scratch = nullptr,
                         .slots = 0,
                         .rows = 1,
                         .length = p.size,
                         .descending = false};
  auto status = static_cast<cudaError_t>(sort_rows<T, false>(&sort, context));
  if (status != cudaSuccess) return status;
  status = cub::DeviceFor::Bulk(p.size, mark_first<T>{.sorted = sorted, .is_first = is_first},
                                stream_of(context));
  if (status != cudaSuccess) return status;
  status = select_places(is_first, starts, p.distinct, p.size, context);
  if (status != cudaSuccess) return status;
  const write_first<bits> write{.to = p, .sorted = sorted, .starts = starts};
  return cub::DeviceFor::Bulk(most, write, stream_of(context));
}

template <class T>
int unique(const void* params, launch_context* context) {
  const auto& p = *static_cast<const unique_params*>(params);
  if constexpr (!ops::complex_floating<T>) {
    if (unique_by_values(dtype_of<T>, p.indices != nullptr, p.inverse != nullptr)) {
      return launched(find_unique_values<T>(p, context));
    }
  }
  return launched(find_unique<T>(p, context));
}

// ---- isin

/// Whether items are in a set, by keys.
template <class T>
struct isin_loop {
  using key = typename set_item<T>::sorted;

  const char* x;
  const char* among;
  const std::uint32_t* places;
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
    if constexpr (set_item<T>::has_two_keys) {
      if (*equal) {
        const std::int64_t from = places[at];
        const key other =
            set_item<T>::encode(among + from * static_cast<std::int64_t>(sizeof(T)), is_aligned, 1);
        *equal = other == second;
        return other < second;
      }
    }
    return keys[at] < first;
  }

  __device__ SKERRY_INLINE bool has(const char* item) const {
    const key first = set_item<T>::encode(item, is_aligned, 0);
    const key second = set_item<T>::has_two_keys ? set_item<T>::encode(item, is_aligned, 1) : first;
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
cudaError_t find_members(const isin_params& p, launch_context* context) {
  auto* const places = scratch<std::uint32_t>(context, p.among_size);
  auto* const keys = scratch<typename set_item<T>::sorted>(context, p.among_size);
  if (places == nullptr || keys == nullptr) return cudaErrorMemoryAllocation;
  if (p.among_size > 0) {
    const cudaError_t status = order_set<T>(p.among, p.among_size, places, keys, context);
    if (status != cudaSuccess) return status;
  }
  const isin_loop<T> loop{.x = p.x,
                          .among = p.among,
                          .places = places,
                          .keys = keys,
                          .among_size = p.among_size,
                          .output = p.output,
                          .invert = p.invert,
                          .is_aligned = set_is_aligned<T>(p.x) && set_is_aligned<T>(p.among)};
  return cub::DeviceFor::Bulk(p.size, loop, stream_of(context));
}

template <class T>
int isin(const void* params, launch_context* context) {
  return launched(find_members<T>(*static_cast<const isin_params*>(params), context));
}

}  // namespace native
}  // namespace skerry
