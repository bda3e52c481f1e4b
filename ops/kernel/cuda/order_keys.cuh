// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"

#include <cstdint>

// Argsort of rows of keys, compiled once, in ops/sort/cuda/order.cu.

namespace skerry::native {

/// Allocates scratch memory; null on failure.
template <class T>
T* scratch(LaunchContext* context, std::int64_t count) {
  return static_cast<T*>(
      context->workspace(context, static_cast<std::size_t>(count < 1 ? 1 : count) * sizeof(T)));
}

/// Keys in C order, compared by their lowest `bits`; `keys` and `sorted_keys` have room for all.
template <class Key>
struct KeyRows {
  Key* keys;
  Key* sorted_keys;
  std::int64_t rows;
  std::int64_t length;  ///< below 2^32
  int bits;
};

/// Sets indices[i] to the index in its row of the key that sorts to i; stable. `tags`, if not null,
/// replace the indices of the (single) row: indices[i] = tags[index].
cudaError_t order_keys(const KeyRows<std::uint32_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);
cudaError_t order_keys(const KeyRows<std::uint64_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);

}  // namespace skerry::native
