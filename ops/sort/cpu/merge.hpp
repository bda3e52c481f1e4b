// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/encoded_row.hpp"

// Merging of sorted runs, in pieces that threads take: where a piece of the result begins in the
// two runs is found by a binary search (the "merge path").

namespace skerry::inline SKERRY_TARGET::kernels {

/// Two sorted runs, the items of the first before equal ones of the second.
template <class T>
struct RunPair {
  using K = typename SortKey<T>::type;

  const K* first;
  int64 first_size;
  const K* second;
  int64 second_size;
  K flip;

  [[nodiscard]] SKERRY_INLINE K key(K bits) const { return SortKey<T>::encode(bits, flip); }

  /// How many of the first `count` results are from the first run.
  [[nodiscard]] int64 split(int64 count) const {
    int64 low = greatest(0, count - second_size);
    int64 high = least(count, first_size);
    while (low < high) {
      const int64 middle = low + (high - low) / 2;
      if (key(second[count - middle - 1]) < key(first[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /// Results begin…end, to `to` on.
  void merge(int64 begin, int64 end, K* to) const {
    int64 i = split(begin);
    int64 j = begin - i;
    const int64 stop = split(end);
    const int64 second_stop = end - stop;
    while (i < stop && j < second_stop) {
      const K a = first[i];
      const K b = second[j];
      const bool takes_second = key(b) < key(a);
      *to++ = takes_second ? b : a;
      j += takes_second;
      i += !takes_second;
    }
    __builtin_memcpy(to, first + i, static_cast<unsigned long>(stop - i) * sizeof(K));
    to += stop - i;
    __builtin_memcpy(to, second + j, static_cast<unsigned long>(second_stop - j) * sizeof(K));
  }
};

/// Merges neighbouring runs of `length` (the last may be shorter) from one array to another.
template <class T>
void merge_runs(const typename SortKey<T>::type* from, typename SortKey<T>::type* to, int64 n,
                int64 length, RowOrder order) {
  using K = typename SortKey<T>::type;
  constexpr int64 piece = 32768;
  const K flip = order.flip<T>();
  cpu::parallel_for(ceil_div(n, piece), 1, [=](int64 begin_piece, int64 end_piece) {
    for (int64 at = begin_piece * piece; at < least(n, end_piece * piece);) {
      const int64 start = at / (2 * length) * (2 * length);
      const int64 middle = least(n, start + length);
      const int64 stop = least(n, middle + length);
      const RunPair<T> runs{from + start, middle - start, from + middle, stop - middle, flip};
      const int64 end = least(least(stop, least(n, end_piece * piece)), at + piece);
      runs.merge(at - start, end - start, to + at);
      at = end;
    }
  });
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
