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
  StreamedBuckets(V* to, int64* offsets, int count) : offsets_(offsets), count_(count) {
    // Indices are counted from the line that the output begins in.
    const auto before = static_cast<int64>(reinterpret_cast<uint64>(to) % 64 / sizeof(V));
    to_ = to - before;
    for (int i = 0; i < count; ++i) begins_[i] = offsets[i] += before;
  }
  SKERRY_INLINE void put(int64 bucket, V item) {
    const int64 place = offsets_[bucket]++;
    V* const filled = lines_ + bucket * line;
    filled[place % line] = item;
    if (place % line != line - 1) return;
    const int64 first = place - (line - 1);
    if (first >= begins_[bucket]) {
      store_line_past_caches(to_ + first, filled);
    } else {
      copy(begins_[bucket], place + 1, filled);
    }
  }
  void finish() {
    for (int64 bucket = 0; bucket < count_; ++bucket) {
      const int64 end = offsets_[bucket];
      copy(greatest(begins_[bucket], end / line * line), end, lines_ + bucket * line);
    }
    fence_stores();
  }

 private:
  static constexpr int64 line = 64 / int64(sizeof(V));

  SKERRY_INLINE void copy(int64 begin, int64 end, const V* filled) {
    for (int64 i = begin; i < end; ++i) to_[i] = filled[i % line];
  }

  V* to_;
  int64* offsets_;
  int count_;
  alignas(64) V lines_[2048 * line];
  int64 begins_[2048];
};

/// Keys that lie in memory.
template <class K>
struct KeyArray {
  const K* keys;

  SKERRY_INLINE const K* block(int64 at, int64, K*) const { return keys + at; }
};

/// Where a pass puts keys, and as what.
template <class K>
struct KeepKeys {
  using type = K;

  K* to;

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
    const int widest = n < small_count / 8 ? 8 : n < small_count ? 10 : 11;
    digits_ = (bits + widest - 1) / widest;
    width_ = digits_ == 0 ? 0 : (bits + digits_ - 1) / digits_;
    low_ = low;
    for (int i = 0; i < digits_ << width_; ++i) offset_[i] = 0;
    // Counters of 32 bits keep to the first-level cache.
    constexpr int64 most = int64{1} << 31;
    for (int64 at = 0; at < n; at += most) count_part(source, at, least(at + most, n));
    plan(n);
  }

  [[nodiscard]] int passes() const { return passes_; }

  /// The last pass writes sink.to[place] = sink.result(key). `spare` has room for n keys, and so
  /// has `out`, which may be sink.to, if there are more than two passes. The source must not be in
  /// memory that the first pass writes: `spare` if passes() is even, else `out`.
  template <class Source, class Sink>
  void run(Source& source, int64 n, K* out, K* spare, Sink sink) {
    if (passes_ == 1) return pass(source, n, 0, sink);
    for (int i = 0; i < passes_; ++i) {
      const bool to_spare = (passes_ - i) % 2 == 0;
      const KeepKeys<K> keep{to_spare ? spare : out};
      KeyArray<K> from{to_spare ? out : spare};
      if (i == 0) {
        pass(source, n, i, keep);
      } else if (i + 1 < passes_) {
        pass(from, n, i, keep);
      } else {
        pass(from, n, i, sink);
      }
    }
  }

 private:
  static constexpr int most_buckets = 3 * 2048;
  static constexpr int most_digits = 8;

  template <class Source>
  void count_part(Source& source, int64 begin, int64 end) {
    uint32 fresh[most_buckets];
    const int buckets = digits_ << width_;
    for (int i = 0; i < buckets; ++i) fresh[i] = 0;
    for (int64 at = begin; at < end; at += block_size) {
      alignas(64) K scratch[block_size];
      const int64 n = least(block_size, end - at);
      const K* keys = source.block(at, n, scratch);
      // All digits of a key at once: their chains of increments overlap.
      switch (digits_) {
        case 1:
          count_digits<1>(keys, n, fresh);
          break;
        case 2:
          count_digits<2>(keys, n, fresh);
          break;
        case 3:
          count_digits<3>(keys, n, fresh);
          break;
        default:
          count_digits<0>(keys, n, fresh);
      }
    }
    for (int i = 0; i < buckets; ++i) offset_[i] += fresh[i];
  }

  template <int Digits>
  SKERRY_INLINE void count_digits(const K* keys, int64 n, uint32* fresh) const {
    const K mask = static_cast<K>((K{1} << width_) - 1);
    const int width = width_;
    const int digits = Digits == 0 ? digits_ : Digits;
    for (int64 i = 0; i < n; ++i) {
      K key = keys[i] >> low_;
      for (int digit = 0; digit < digits; ++digit, key >>= width) {
        ++fresh[(digit << width) + static_cast<int>(key & mask)];
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
    for (int64 at = 0; at < n; at += block_size) {
      alignas(64) K scratch[block_size];
      const int64 count = least(block_size, n - at);
      const K* keys = source.block(at, count, scratch);
      for (int64 i = 0; i < count; ++i) {
        const K key = keys[i];
        sink.to[offset[(key >> shift) & mask]++] = sink.result(key);
      }
    }
  }

  template <class Source, class Sink>
  __attribute__((noinline)) void stream_pass(Source& source, int64 n, int index, Sink sink) {
    StreamedBuckets<typename Sink::type> buckets(sink.to, offset_ + (used_[index] << width_),
                                                 1 << width_);
    const int shift = low_ + used_[index] * width_;
    const K mask = static_cast<K>((K{1} << width_) - 1);
    for (int64 at = 0; at < n; at += block_size) {
      alignas(64) K scratch[block_size];
      const int64 count = least(block_size, n - at);
      const K* keys = source.block(at, count, scratch);
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
  int used_[most_digits];
  int64 offset_[most_buckets];
};

template <class K>
SKERRY_INLINE void insertion_sort(K* keys, int64 n) {
  for (int64 i = 1; i < n; ++i) {
    const K key = keys[i];
    int64 at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

/// Runs up to this length are sorted by insertion.
inline constexpr int64 short_run = 32;

/// Sorts keys by their bits [low, high); `spare` has room for as many. Short runs are sorted by all
/// their bits.
template <class K>
void sort_window(K* keys, K* spare, int64 n, int low, int high) {
  if (n <= short_run) return insertion_sort(keys, n);
  RadixSort<K> radix;
  KeyArray<K> source{keys};
  radix.count(source, n, low, high);
  if (radix.passes() == 0) return;
  if (radix.passes() % 2 != 0) {
    __builtin_memcpy(spare, keys, static_cast<unsigned long>(n) * sizeof(K));
    source.keys = spare;
  }
  radix.run(source, n, keys, spare, KeepKeys<K>{keys});
}

/// Bits of a key that are worth sorting by radix, for n keys that are spread well.
SKERRY_INLINE int window_bits(int64 n) { return n < small_count ? 24 : 33; }

template <class K>
void order_runs(K* keys, K* spare, int64 n, int low);

/// Sorts keys that differ in their lowest `high` bits only; `spare` has room for as many.
template <class K>
void sort_keys(K* keys, K* spare, int64 n, int high) {
  const int low = n <= short_run ? 0 : static_cast<int>(greatest(0, high - window_bits(n)));
  sort_window(keys, spare, n, low, high);
  order_runs(keys, spare, n, low);
}

/// Sorts the run around a descent at `i`, of keys that differ in their lowest `low` bits only;
/// returns its end.
template <class K>
int64 order_run(K* keys, K* spare, int64 n, int low, int64 i) {
  const K run = keys[i] >> low;
  int64 first = i - 1;
  while (first > 0 && keys[first - 1] >> low == run) --first;
  while (i < n && keys[i] >> low == run) ++i;
  sort_keys(keys + first, spare + first, i - first, low);
  return i;
}

/// Sorts keys that are in order but for their lowest `low` bits: by insertion, unless that takes
/// many steps.
template <class K>
void order_runs(K* keys, K* spare, int64 n, int low) {
  if (low == 0) return;
  constexpr int64 most_steps = 16;
  for (int64 i = 1; i < n;) {
    const K key = keys[i];
    if (key >= keys[i - 1]) {
      ++i;
      continue;
    }
    const int64 stop = greatest(0, i - most_steps);
    int64 at = i;
    for (; at > stop && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
    const bool is_long = at == stop && at > 0;
    i = is_long ? order_run(keys, spare, n, low, i) : i + 1;
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
