// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/kernel/cuda/access.cuh"
#include "ops/kernel/unit.hpp"
#include "ops/sort/cuda/order.cuh"
#include "ops/sort/partial_kernels.hpp"
#include "ops/sort/sort_key.hpp"

#include <cub/device/device_for.cuh>

#include <type_traits>

// Sorts the indices of whole rows by the items' keys. Ranks, groups and the best items are read
// from the result.

namespace skerry::native {
namespace {

/// Keys as unsigned integers in the requested order.
template <class T>
struct rank_keys {
  using key = typename kernels::SortKey<T>::type;

  const char* input;
  key inverted;
  bool is_aligned;

  explicit rank_keys(const PartialParams& p)
      : input(p.input),
        inverted(p.largest ? static_cast<key>(~key{0}) : key{0}),
        is_aligned(is_aligned_for<key>(reinterpret_cast<std::intptr_t>(p.input.get()))) {}

  __device__ SKERRY_INLINE key item(std::int64_t i) const {
    return load<key>(input + i * static_cast<std::int64_t>(sizeof(key)), is_aligned);
  }
  __device__ SKERRY_INLINE key operator()(std::int64_t i) const {
    return static_cast<key>(kernels::SortKey<T>::encode(item(i), key{0}) ^ inverted);
  }
};

template <class Of, class Key>
struct write_keys {
  Of key_function;
  Key* keys;

  __device__ void operator()(std::int64_t i) const { keys[i] = static_cast<Key>(key_function(i)); }
};

struct widen_order {
  const std::uint32_t* indices;
  std::int64_t* output;

  __device__ void operator()(std::int64_t i) const {
    output[i] = static_cast<std::int64_t>(indices[i]);
  }
};

/// Computes the stable argsort by the keys that `key_function(i)` returns.
template <class Key, class Of>
cudaError_t order_by(const Of& key_function, std::int64_t rows, std::int64_t length,
                     std::int64_t* indices, LaunchContext* context) {
  using wide = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
  const std::int64_t count = rows * length;
  if (!are_long(rows, length)) {
    auto* const keys = scratch<Key>(context, count);
    if (keys == nullptr) return cudaErrorMemoryAllocation;
    const cudaError_t status =
        cub::DeviceFor::Bulk(count, write_keys<Of, Key>{key_function, keys}, stream_of(context));
    if (status != cudaSuccess) return status;
    return merge_sort_rows({.input = reinterpret_cast<const char*>(keys),
                            .output = reinterpret_cast<char*>(indices),
                            .rows = rows,
                            .length = length,
                            .width = static_cast<int>(sizeof(Key)),
                            .kind = RowItems::unsigned_integers,
                            .infinity = 0,
                            .descending = false,
                            .indices = true},
                           context);
  }
  auto* const keys = scratch<wide>(context, 2 * count);
  auto* const order = scratch<std::uint32_t>(context, count);
  if (keys == nullptr || order == nullptr) return cudaErrorMemoryAllocation;
  cudaError_t status =
      cub::DeviceFor::Bulk(count, write_keys<Of, wide>{key_function, keys}, stream_of(context));
  if (status != cudaSuccess) return status;
  status = order_keys({.keys = keys,
                       .sorted_keys = keys + count,
                       .rows = rows,
                       .length = length,
                       .bits = 8 * static_cast<int>(sizeof(Key))},
                      nullptr, order, context);
  if (status != cudaSuccess) return status;
  return cub::DeviceFor::Bulk(count, widen_order{order, indices}, stream_of(context));
}

/// Returns the position in the sorted order of each column of the result.
struct selected_ranks {
  std::int64_t ranks[max_ranks];
  bool are_first;  ///< column i has rank i

  __device__ SKERRY_INLINE std::int64_t operator()(std::int64_t i) const {
    return are_first ? i : ranks[i];
  }
};

template <class T>
struct pick_items {
  rank_keys<T> keys;
  const std::int64_t* order;
  std::int64_t length;
  std::int64_t columns;
  selected_ranks selected;
  char* values;
  std::int64_t* indices;

  __device__ void operator()(std::int64_t i) const {
    using key = typename rank_keys<T>::key;
    const std::int64_t row = i / columns;
    const std::int64_t index = order[row * length + selected(i - row * columns)];
    if (indices != nullptr) indices[i] = index;
    if (values == nullptr) return;
    // An imported bool may be any byte.
    const key item = keys.item(row * length + index);
    reinterpret_cast<key*>(values)[i] =
        ops::boolean<T> ? static_cast<key>(item != 0 ? 1 : 0) : item;
  }
};

template <class T>
cudaError_t pick(const PartialParams& p, const std::int64_t* order, std::int64_t columns,
                 bool are_first, LaunchContext* context) {
  pick_items<T> loop{.keys = rank_keys<T>(p),
                     .order = order,
                     .length = p.length,
                     .columns = columns,
                     .selected = {.ranks = {}, .are_first = are_first},
                     .values = p.values,
                     .indices = p.indices};
  for (int i = 0; i < p.rank_count; ++i) loop.selected.ranks[i] = p.ranks[i];
  return cub::DeviceFor::Bulk(p.rows * columns, loop, stream_of(context));
}

/// The group of an item in a partition: 0 if less than the item at the rank, 1 if equal to it, 2 if
/// greater.
template <class T>
struct group_of {
  rank_keys<T> keys;
  const std::int64_t* order;
  std::int64_t length;
  std::int64_t rank;

  __device__ SKERRY_INLINE std::uint8_t operator()(std::int64_t i) const {
    const std::int64_t first = i / length * length;
    const auto key = keys(i);
    const auto bound = keys(first + order[first + rank]);
    return static_cast<std::uint8_t>((key >= bound ? 1 : 0) + (key > bound ? 1 : 0));
  }
};

template <class T>
cudaError_t order_rows(const PartialParams& p, std::int64_t* order, LaunchContext* context) {
  using key = typename rank_keys<T>::key;
  return order_by<key>(rank_keys<T>(p), p.rows, p.length, order, context);
}

template <class T>
int statistics(const PartialParams& p, LaunchContext* context) {
  auto* const order = scratch<std::int64_t>(context, p.rows * p.length);
  if (order == nullptr) return end_launch(cudaErrorMemoryAllocation);
  const cudaError_t status = order_rows<T>(p, order, context);
  if (status != cudaSuccess) return end_launch(status);
  return end_launch(pick<T>(p, order, p.rank_count, false, context));
}

template <class T>
int topk(const PartialParams& p, LaunchContext* context) {
  auto* const order = scratch<std::int64_t>(context, p.rows * p.length);
  if (order == nullptr) return end_launch(cudaErrorMemoryAllocation);
  const cudaError_t status = order_rows<T>(p, order, context);
  if (status != cudaSuccess) return end_launch(status);
  return end_launch(pick<T>(p, order, p.best, true, context));
}

template <class T>
int partition(const PartialParams& p, LaunchContext* context) {
  auto* const order = scratch<std::int64_t>(context, 2 * p.rows * p.length);
  if (order == nullptr) return end_launch(cudaErrorMemoryAllocation);
  cudaError_t status = order_rows<T>(p, order, context);
  if (status != cudaSuccess) return end_launch(status);
  const group_of<T> groups{
      .keys = rank_keys<T>(p), .order = order, .length = p.length, .rank = p.ranks[0]};
  std::int64_t* const grouped = order + p.rows * p.length;
  status = order_by<std::uint8_t>(groups, p.rows, p.length, grouped, context);
  if (status != cudaSuccess) return end_launch(status);
  return end_launch(pick<T>(p, grouped, p.length, true, context));
}

template <class T>
void fill([[maybe_unused]] PartialKernels& table) {
  if constexpr (!ops::complex_floating<T>) {
    constexpr int row = static_cast<int>(dtype_of<T>);
    table.statistics[row].set_native<statistics<T>>();
    table.partition[row].set_native<partition<T>>();
    table.topk[row].set_native<topk<T>>();
  }
}

}  // namespace

SKERRY_KERNEL_UNIT(partial, PartialKernels)

}  // namespace skerry::native
