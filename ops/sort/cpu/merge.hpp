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
    int64 low = maximum(0, count - second_size);
    int64 high = minimum(count, first_size);
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
  void merge(int64 begin, int64 end, K* destination) const {
    int64 i = split(begin);
    int64 j = begin - i;
    const int64 stop = split(end);
    const int64 second_stop = end - stop;
    while (i < stop && j < second_stop) {
      const K a = first[i];
      const K b = second[j];
      const bool takes_second = key(b) < key(a);
      *destination++ = takes_second ? b : a;
      j += takes_second;
      i += !takes_second;
    }
    __builtin_memcpy(destination, first + i, static_cast<unsigned long>(stop - i) * sizeof(K));
    destination += stop - i;
    __builtin_memcpy(destination, second + j,
                     static_cast<unsigned long>(second_stop - j) * sizeof(K));
  }
};

/// Merges neighbouring runs of `length` (the last may be shorter) from one array to another.
template <class T>
void merge_runs(const typename SortKey<T>::type* source, typename SortKey<T>::type* destination,
                int64 n, int64 length, RowOrder order) {
  using K = typename SortKey<T>::type;
  constexpr int64 chunk_size = 32768;
  const K flip = order.flip<T>();
  cpu::parallel_for(ceil_div(n, chunk_size), 1, [=](int64 begin_chunk, int64 end_chunk) {
    for (int64 position = begin_chunk * chunk_size;
         position < minimum(n, end_chunk * chunk_size);) {
      const int64 start = position / (2 * length) * (2 * length);
      const int64 middle = minimum(n, start + length);
      const int64 stop = minimum(n, middle + length);
      const RunPair<T> runs{source + start, middle - start, source + middle, stop - middle, flip};
      const int64 end =
          minimum(minimum(stop, minimum(n, end_chunk * chunk_size)), position + chunk_size);
      runs.merge(position - start, end - start, destination + position);
      position = end;
    }
  });
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
