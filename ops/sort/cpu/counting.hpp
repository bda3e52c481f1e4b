// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/encoded_row.hpp"

// Counting sort of long rows of two-byte items: how often each of the 65,536 is there is counted in
// pieces that threads take, and each is written as often.

namespace skerry::inline SKERRY_TARGET::kernels {

/// From this length on; the counters fit the scratch memory of 2^17 items. 1e6 int16 take 1.3 ms
/// instead of 5.0 by digits, 2e5 as long; with float16, whose digits are those of keys that have to
/// be made, counting is ahead from 2^17 on (EPYC of Zen 4, x86-64-v3).
template <class T>
inline constexpr int64 counted_from = int64{1} << (ops::real_floating<T> ? 17 : 18);

template <class T>
  requires(sizeof(T) == 2)
class CountedRow {
 public:
  /// `chunks` of 2^17 items at least; `workspace` has room for n items.
  CountedRow(const char* row, int64 n, char* workspace, int64 chunks, RowOrder order)
      : counters_(reinterpret_cast<uint32*>(workspace)), chunks_(chunks), flip_(order.flip<T>()) {
    cpu::parallel_for(chunks, 1, [&](int64 first, int64 last) {
      for (int64 chunk = first; chunk < last; ++chunk) {
        const int64 begin = n / chunks * chunk;
        const int64 end = chunk + 1 < chunks ? begin + n / chunks : n;
        count_chunk(row + begin * 2, end - begin, counters_ + chunk * values);
      }
    });
  }

  /// Writes the items in order, all NaNs left out; returns how many there are.
  int64 write(uint16* out) const {
    int64 begins[spans + 1];
    cpu::parallel_for(spans, 1, [&](int64 first, int64 last) {
      for (int64 span = first; span < last; ++span) {
        begins[span] = 0;
        for_each(span, [&](uint16, int64 count) { begins[span] += count; });
      }
    });
    int64 begin = 0;
    for (int64& span_begin : begins) {
      const int64 count = &span_begin == begins + spans ? 0 : span_begin;
      span_begin = begin;
      begin += count;
    }
    cpu::parallel_for(spans, 1, [&](int64 first, int64 last) {
      for (int64 span = first; span < last; ++span) {
        uint16* destination = out + begins[span];
        for_each(span, [&](uint16 item, int64 count) {
          for (int64 i = 0; i < count; ++i) destination[i] = item;
          destination += count;
        });
      }
    });
    return begin;
  }

  [[nodiscard]] int64 count(uint16 item) const {
    int64 all = 0;
    for (int64 chunk = 0; chunk < chunks_; ++chunk) all += counters_[chunk * values + item];
    return all;
  }

 private:
  static constexpr int64 values = 65536;
  static constexpr int64 spans = 256;  ///< of keys, of which threads take one at a time
  static_assert(values * int64(sizeof(uint32)) <= (int64{1} << 17) * 2);

  static void count_chunk(const char* items, int64 n, uint32* counters) {
    __builtin_memset(counters, 0, values * sizeof *counters);
    for (int64 i = 0; i < n; ++i) ++counters[load<uint16>(items + i * 2)];
  }

  /// Calls what(item, count) for the items of a span, in order.
  template <class F>
  SKERRY_INLINE void for_each(int64 span, const F& visitor) const {
    for (int64 key = span * (values / spans); key < (span + 1) * (values / spans); ++key) {
      const uint16 item = SortKey<T>::decode(static_cast<uint16>(key), flip_);
      if (!SortKey<T>::is_nan(item)) visitor(item, count(item));
    }
  }

  uint32* counters_;
  int64 chunks_;
  uint16 flip_;
};

/// Sorts a row of at least 2^17 items by up to `threads`; returns whether there are NaNs,
/// which are lost, or zeros with a sign, which may be at any zero's place.
template <class T>
bool sort_by_counting(const char* row, char* out, char* workspace, int64 n, int64 threads,
                      RowOrder order) {
  constexpr int64 max_count = int64{1} << 31;  // that a counter holds
  const int64 chunks = maximum(ceil_div(n, max_count), threads);
  const CountedRow<T> counts(row, n, workspace, chunks, order);
  const int64 written = counts.write(reinterpret_cast<uint16*>(out));
  return ops::real_floating<T> && (written < n || counts.count(SortKey<T>::top) > 0);
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
