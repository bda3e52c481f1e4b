// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/sort_lane_keys.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Keeps the first of equal neighbours of sorted values, as far as whole vectors go: up to `i`.
/// Returns how many are kept; `begins`, if not null, gets where each was.
template <class T>
int64 keep_first_by_lanes(char* values, int64 n, int64* begins, int64& i);

#if defined(SKERRY_PACKS_LANES)

/// Writes at + lane for each lane of the set.
template <class K>
SKERRY_INLINE void put_indices(int64* destination, int64 position, unsigned set) {
  constexpr int step = lane_count<int64>;
  lanes_of<int64> index;
  for (int lane = 0; lane < step; ++lane) index[lane] = position + lane;
  unroll<lane_count<K> / step>([&](auto i) __attribute__((always_inline)) {
    const unsigned some = set >> decltype(i)::value * step & every_lane<int64>;
    store_lanes(destination, pack_lanes<int64>(index + decltype(i)::value * step, some));
    destination += __builtin_popcount(some);
  });
}

template <class T>
int64 keep_first_by_lanes(char* values, int64 n, int64* begins, int64& i) {
  using K = lane_key_t<T>;
  constexpr int lanes = lane_count<K>;
  K* const keys = reinterpret_cast<K*>(values);
  if (n < lanes) return 0;
  lanes_of<K> previous_lanes{};
  int64 distinct_count = 0;
  for (i = 0; i + lanes <= n; i += lanes) {
    const lanes_of<K> v = load_lanes(keys + i);
    const lanes_of<K> shifted = lanes_before(previous_lanes, v);
    const unsigned set = lanes_unequal<K>(v, shifted) | (i == 0 ? 1 : 0);
    store_lanes(keys + distinct_count, pack_lanes<K>(v, set));
    if (begins != nullptr) put_indices<K>(begins + distinct_count, i, set);
    distinct_count += __builtin_popcount(set);
    previous_lanes = v;
  }
  return distinct_count;
}

#endif

}  // namespace skerry::inline SKERRY_TARGET::kernels
