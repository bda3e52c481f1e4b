// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"

#include <cstdint>

// Argsort of rows of keys. Compiled only once, in ops/sort/cuda/order.cu.

namespace skerry::native {

/// Allocates scratch memory for `count` items; returns null on failure.
template <class T>
T* scratch(LaunchContext* context, std::int64_t count) {
  return static_cast<T*>(
      context->workspace(context, static_cast<std::size_t>(count < 1 ? 1 : count) * sizeof(T)));
}

/// Rows of keys in C order, compared by their lowest `bits`. Both buffers have room for all keys.
template <class Key>
struct KeyRows {
  Key* keys;
  Key* sorted_keys;
  std::int64_t rows;
  std::int64_t length;  ///< below 2^32
  int bits;
};

/// Sets indices[i] to the index, in its row, of the key that a stable sort moves to i. If `tags` is
/// not null, there must be one row, and indices[i] = tags[index].
cudaError_t order_keys(const KeyRows<std::uint32_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);
cudaError_t order_keys(const KeyRows<std::uint64_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);

}  // namespace skerry::native
