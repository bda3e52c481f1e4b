// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/launch.cuh"

#include <cstdint>

// The order of rows of keys, compiled once, in ops/sort/cuda/order.cu.

namespace skerry::native {

/// Null if there is none.
template <class T>
T* scratch(LaunchContext* context, std::int64_t count) {
  return static_cast<T*>(
      context->workspace(context, static_cast<std::size_t>(count < 1 ? 1 : count) * sizeof(T)));
}

/// Keys in C order, of which the lowest `bits` count; `keys` and `sorted_keys` have room for all.
template <class Key>
struct KeyRows {
  Key* keys;
  Key* sorted_keys;
  std::int64_t rows;
  std::int64_t length;  ///< below 2^32
  int bits;
};

/// indices[i] = the index in its row of what goes to i; stable. `tags`, if not null, stand for the
/// indices of the (single) row: indices[i] = tags[index].
cudaError_t order_keys(const KeyRows<std::uint32_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);
cudaError_t order_keys(const KeyRows<std::uint64_t>& key_rows, const std::uint32_t* tags,
                       std::uint32_t* indices, LaunchContext* context);

}  // namespace skerry::native
