// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/vector.hpp"

// Radix sort from the least significant digit: stable, and each pass reads in order and writes at
// the ends of at most 2048 runs, which the second-level cache follows. Of wide keys only the top
// bits that differ are sorted so; what they leave undecided are short runs.

namespace skerry::inline SKERRY_TARGET::kernels {

/// Below this many keys, digits are shorter: their counters are sooner cleared and summed.
inline constexpr int64 small_count = 8192;
/// From this size on an array is taken not to stay in the second-level cache.
inline constexpr int64 spilling_bytes = int64{1} << 20;
/// Digits of more bits have their buckets streamed then. The ends of 256 stay in the first-level
/// cache: 2e5 to 1.6e7 indices of bytes take half the time in place (EPYC of Zen 4, x86-64-v4).
inline constexpr int in_place_bits = 8;

/// Writes items to the ends of at most 2048 buckets of what leaves the second-level cache: gathers
/// them in a cache line for each, and writes full ones past the caches. 1.5 ns an item instead of
/// 3.9 (float32, 4e6 items, 2048 buckets, Xeon of family 6, model 167).
template <class V>
class StreamedBuckets {
 public:
  /// `offsets`: where the buckets begin; moved on by what is put.
  StreamedBuckets(V* destination, int64* offsets, int count) : offsets_(offsets), count_(count) {
    // Indices are counted from the line that the output begins in.
    const auto line_offset =
        static_cast<int64>(reinterpret_cast<uint64>(destination) % 64 / sizeof(V));
    destination_ = destination - line_offset;
    for (int i = 0; i < count; ++i) begins_[i] = offsets[i] += line_offset;
  }
  SKERRY_INLINE void put(int64 bucket, V item) {
    const int64 position = offsets_[bucket]++;
    V* const filled = lines_ + bucket * line;
    filled[position % line] = item;
    if (position % line != line - 1) return;
    const int64 first = position - (line - 1);
    if (first >= begins_[bucket]) {
      store_line_past_caches(destination_ + first, filled);
    } else {
      copy(begins_[bucket], position + 1, filled);
    }
  }
  void finish() {
    for (int64 bucket = 0; bucket < count_; ++bucket) {
      const int64 end = offsets_[bucket];
      copy(maximum(begins_[bucket], end / line * line), end, lines_ + bucket * line);
    }
    fence_stores();
  }

 private:
  static constexpr int64 line = 64 / int64(sizeof(V));

  SKERRY_INLINE void copy(int64 begin, int64 end, const V* filled) {
    for (int64 i = begin; i < end; ++i) destination_[i] = filled[i % line];
  }

  V* destination_;
  int64* offsets_;
  int count_;
  alignas(64) V lines_[2048 * line];
  int64 begins_[2048];
};

/// Keys that lie in memory.
template <class K>
struct KeyArray {
  const K* keys;

  SKERRY_INLINE const K* block(int64 position, int64, K*) const { return keys + position; }
};

/// Where a pass puts keys, and as what.
template <class K>
struct KeepKeys {
  using type = K;

  K* destination;

  static SKERRY_INLINE K result(K key) { return key; }
};

/// Sorts by the bits [low, high) of unsigned keys K. `count` first, then `run`, or nothing if
/// passes() is 0: then all keys are equal in these bits.
template <class K>
class RadixSort {
 public:
  static constexpr int64 block_size = 512;

  /// Source: `const K* block(at, n, K* scratch)` gives keys at…at + n, which it may write to
  /// `scratch`.
  template <class Source>
  void count(Source& source, int64 n, int low, int high) {
    const int bits = high - low;
    const int max_width = n < small_count / 8 ? 8 : n < small_count ? 10 : 11;
    digits_ = (bits + max_width - 1) / max_width;
    width_ = digits_ == 0 ? 0 : (bits + digits_ - 1) / digits_;
    low_ = low;
    for (int i = 0; i < digits_ << width_; ++i) offset_[i] = 0;
    // Counters of 32 bits keep to the first-level cache.
    constexpr int64 max_count = int64{1} << 31;
    for (int64 position = 0; position < n; position += max_count)
      count_part(source, position, minimum(position + max_count, n));
    plan(n);
  }

  [[nodiscard]] int passes() const { return passes_; }

  /// The last pass writes sink.to[place] = sink.result(key). `alternate` has room for n keys, and
  /// so has `out`, which may be sink.to, if there are more than two passes. The source must not be
  /// in memory that the first pass writes: `alternate` if passes() is even, else `out`.
  template <class Source, class Sink>
  void run(Source& source, int64 n, K* out, K* alternate, Sink sink) {
    if (passes_ == 1) return pass(source, n, 0, sink);
    for (int i = 0; i < passes_; ++i) {
      const bool writes_alternate = (passes_ - i) % 2 == 0;
      const KeepKeys<K> keep{writes_alternate ? alternate : out};
      KeyArray<K> pass_input{writes_alternate ? out : alternate};
      if (i == 0) {
        pass(source, n, i, keep);
      } else if (i + 1 < passes_) {
        pass(pass_input, n, i, keep);
      } else {
        pass(pass_input, n, i, sink);
      }
    }
  }

 private:
  static constexpr int max_buckets = 3 * 2048;
  static constexpr int max_digits = 8;

  template <class Source>
  void count_part(Source& source, int64 begin, int64 end) {
    uint32 counters[max_buckets];
    const int buckets = digits_ << width_;
    for (int i = 0; i < buckets; ++i) counters[i] = 0;
    for (int64 position = begin; position < end; position += block_size) {
      alignas(64) K scratch[block_size];
      const int64 n = minimum(block_size, end - position);
      const K* keys = source.block(position, n, scratch);
      // All digits of a key at once: their chains of increments overlap.
      switch (digits_) {
        case 1:
          count_digits<1>(keys, n, counters);
          break;
        case 2:
          count_digits<2>(keys, n, counters);
          break;
        case 3:
          count_digits<3>(keys, n, counters);
          break;
        default:
          count_digits<0>(keys, n, counters);
      }
    }
    for (int i = 0; i < buckets; ++i) offset_[i] += counters[i];
  }

  template <int Digits>
  SKERRY_INLINE void count_digits(const K* keys, int64 n, uint32* counters) const {
    const K mask = static_cast<K>((K{1} << width_) - 1);
    const int width = width_;
    const int digits = Digits == 0 ? digits_ : Digits;
    for (int64 i = 0; i < n; ++i) {
      K key = keys[i] >> low_;
      for (int digit = 0; digit < digits; ++digit, key >>= width) {
        ++counters[(digit << width) + static_cast<int>(key & mask)];
      }
    }
  }

  /// Turns counts into the indices where buckets begin, and drops digits that all keys share.
  void plan(int64 n) {
    passes_ = 0;
    const int buckets = 1 << width_;
    for (int digit = 0; digit < digits_; ++digit) {
      int64* const offset = offset_ + (digit << width_);
      int64 begin = 0;
      bool shared = false;
      for (int i = 0; i < buckets; ++i) {
        const int64 count = offset[i];
        shared = shared || count == n;
        offset[i] = begin;
        begin += count;
      }
      if (!shared) used_[passes_++] = digit;
    }
  }

  template <class Source, class Sink>
  void pass(Source& source, int64 n, int index, Sink sink) {
    if (width_ > in_place_bits && n * int64(sizeof(typename Sink::type)) >= spilling_bytes) {
      stream_pass(source, n, index, sink);
      return;
    }
    int64* const offset = offset_ + (used_[index] << width_);
    const int shift = low_ + used_[index] * width_;
    const K mask = static_cast<K>((K{1} << width_) - 1);
    for (int64 position = 0; position < n; position += block_size) {
      alignas(64) K scratch[block_size];
      const int64 count = minimum(block_size, n - position);
      const K* keys = source.block(position, count, scratch);
      for (int64 i = 0; i < count; ++i) {
        const K key = keys[i];
        sink.destination[offset[(key >> shift) & mask]++] = sink.result(key);
      }
    }
  }

  template <class Source, class Sink>
  __attribute__((noinline)) void stream_pass(Source& source, int64 n, int index, Sink sink) {
    StreamedBuckets<typename Sink::type> buckets(sink.destination,
                                                 offset_ + (used_[index] << width_), 1 << width_);
    const int shift = low_ + used_[index] * width_;
    const K mask = static_cast<K>((K{1} << width_) - 1);
    for (int64 position = 0; position < n; position += block_size) {
      alignas(64) K scratch[block_size];
      const int64 count = minimum(block_size, n - position);
      const K* keys = source.block(position, count, scratch);
      for (int64 i = 0; i < count; ++i) {
        const K key = keys[i];
        buckets.put(static_cast<int64>((key >> shift) & mask), sink.result(key));
      }
    }
    buckets.finish();
  }

  int digits_;
  int width_;
  int low_;
  int passes_;
  int used_[max_digits];
  int64 offset_[max_buckets];
};

template <class K>
SKERRY_INLINE void insertion_sort(K* keys, int64 n) {
  for (int64 i = 1; i < n; ++i) {
    const K key = keys[i];
    int64 position = i;
    for (; position > 0 && keys[position - 1] > key; --position)
      keys[position] = keys[position - 1];
    keys[position] = key;
  }
}

/// Runs up to this length are sorted by insertion.
inline constexpr int64 short_run = 32;

/// Sorts keys by their bits [low, high); `alternate` has room for as many. Short runs are sorted by
/// all their bits.
template <class K>
void sort_window(K* keys, K* alternate, int64 n, int low, int high) {
  if (n <= short_run) return insertion_sort(keys, n);
  RadixSort<K> radix;
  KeyArray<K> source{keys};
  radix.count(source, n, low, high);
  if (radix.passes() == 0) return;
  if (radix.passes() % 2 != 0) {
    __builtin_memcpy(alternate, keys, static_cast<unsigned long>(n) * sizeof(K));
    source.keys = alternate;
  }
  radix.run(source, n, keys, alternate, KeepKeys<K>{keys});
}

/// Bits of a key that are worth sorting by radix, for n keys that are spread well.
SKERRY_INLINE int window_bits(int64 n) { return n < small_count ? 24 : 33; }

template <class K>
void order_runs(K* keys, K* alternate, int64 n, int low);

/// Sorts keys that differ in their lowest `high` bits only; `alternate` has room for as many.
template <class K>
void sort_keys(K* keys, K* alternate, int64 n, int high) {
  const int low = n <= short_run ? 0 : static_cast<int>(maximum(0, high - window_bits(n)));
  sort_window(keys, alternate, n, low, high);
  order_runs(keys, alternate, n, low);
}

/// Sorts the run around a descent at `i`, of keys that differ in their lowest `low` bits only;
/// returns its end.
template <class K>
int64 order_run(K* keys, K* alternate, int64 n, int low, int64 i) {
  const K high_bits = keys[i] >> low;
  int64 first = i - 1;
  while (first > 0 && keys[first - 1] >> low == high_bits) --first;
  while (i < n && keys[i] >> low == high_bits) ++i;
  sort_keys(keys + first, alternate + first, i - first, low);
  return i;
}

/// Sorts keys that are in order but for their lowest `low` bits: by insertion, unless that takes
/// many steps.
template <class K>
void order_runs(K* keys, K* alternate, int64 n, int low) {
  if (low == 0) return;
  constexpr int64 max_steps = 16;
  for (int64 i = 1; i < n;) {
    const K key = keys[i];
    if (key >= keys[i - 1]) {
      ++i;
      continue;
    }
    const int64 stop = maximum(0, i - max_steps);
    int64 position = i;
    for (; position > stop && keys[position - 1] > key; --position)
      keys[position] = keys[position - 1];
    keys[position] = key;
    const bool is_long = position == stop && position > 0;
    i = is_long ? order_run(keys, alternate, n, low, i) : i + 1;
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
