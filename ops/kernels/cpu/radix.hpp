// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernels/cpu/memory.hpp"

// Radix sort from the least significant digit: stable, and each pass reads in order and writes at
// the ends of at most 2048 runs, which the second-level cache follows. Of wide keys only the top
// bits that differ are sorted so; what they leave undecided are short runs.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace kernels {

/// Keys that lie in memory.
template <class K>
struct key_array {
  const K* keys;

  SKERRY_INLINE const K* block(int64 at, int64, K*) const { return keys + at; }
};

/// Sorts by the bits [low, high) of unsigned keys K. `count` first, then `run`, or nothing if
/// passes() is 0: then all keys are equal in these bits.
template <class K>
class radix_sort {
 public:
  static constexpr int64 block_size = 512;

  /// Source: `const K* block(at, n, K* room)` gives keys at…at + n, which it may write to `room`.
  template <class Source>
  void count(Source& source, int64 n, int low, int high) {
    const int bits = high - low;
    const int widest = n < 8192 ? 8 : 11;
    digits_ = (bits + widest - 1) / widest;
    width_ = digits_ == 0 ? 0 : (bits + digits_ - 1) / digits_;
    low_ = low;
    clear();
    // Counters of 32 bits keep to the first-level cache.
    constexpr int64 most = int64{1} << 31;
    for (int64 at = 0; at < n; at += most) count_part(source, at, least(at + most, n));
    plan(n);
  }

  [[nodiscard]] int passes() const { return passes_; }

  /// The last pass calls sink(place, key), which may write to `out` where keys and results are of
  /// one size; `spare` has room for n keys, and so has `out` if there are more than two passes. The
  /// source must not be in memory that the first pass writes: `spare` if passes() is even, else
  /// `out`.
  template <class Source, class Sink>
  void run(Source& source, int64 n, K* out, K* spare, Sink&& sink) {
    if (passes_ == 1) return pass(source, n, 0, sink);
    for (int i = 0; i < passes_; ++i) {
      K* const to = (passes_ - i) % 2 == 0 ? spare : out;
      key_array<K> from{(passes_ - i) % 2 == 0 ? out : spare};
      const auto keep = [to](int64 place, K key) { to[place] = key; };
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

  void clear() {
    for (int i = 0; i < digits_ << width_; ++i) offset_[i] = 0;
  }

  template <class Source>
  void count_part(Source& source, int64 begin, int64 end) {
    uint32 fresh[most_buckets];
    const int buckets = digits_ << width_;
    for (int i = 0; i < buckets; ++i) fresh[i] = 0;
    const K mask = static_cast<K>((K{1} << width_) - 1);
    for (int64 at = begin; at < end; at += block_size) {
      alignas(64) K room[block_size];
      const int64 n = least(block_size, end - at);
      const K* keys = source.block(at, n, room);
      for (int digit = 0; digit < digits_; ++digit) {
        uint32* const counter = fresh + (digit << width_);
        const int shift = low_ + digit * width_;
        for (int64 i = 0; i < n; ++i) ++counter[(keys[i] >> shift) & mask];
      }
    }
    for (int i = 0; i < buckets; ++i) offset_[i] += fresh[i];
  }

  /// Turns counts into the places where buckets begin, and drops digits that all keys share.
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
  void pass(Source& source, int64 n, int index, Sink& sink) {
    int64* const offset = offset_ + (used_[index] << width_);
    const int shift = low_ + used_[index] * width_;
    const K mask = static_cast<K>((K{1} << width_) - 1);
    for (int64 at = 0; at < n; at += block_size) {
      alignas(64) K room[block_size];
      const int64 count = least(block_size, n - at);
      const K* keys = source.block(at, count, room);
      for (int64 i = 0; i < count; ++i) {
        const K key = keys[i];
        sink(offset[(key >> shift) & mask]++, key);
      }
    }
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
  radix_sort<K> radix;
  key_array<K> source{keys};
  radix.count(source, n, low, high);
  if (radix.passes() == 0) return;
  if (radix.passes() % 2 != 0) {
    __builtin_memcpy(spare, keys, static_cast<unsigned long>(n) * sizeof(K));
    source.keys = spare;
  }
  radix.run(source, n, keys, spare, [keys](int64 place, K key) { keys[place] = key; });
}

/// Bits of a key that are worth sorting by radix, for n keys that are spread well.
SKERRY_INLINE int window_bits(int64 n) { return n < 8192 ? 16 : n < (1 << 18) ? 22 : 33; }

template <class K>
void order_runs(K* keys, K* spare, int64 n, int low);

/// Sorts keys that differ in their lowest `high` bits only; `spare` has room for as many.
template <class K>
void sort_keys(K* keys, K* spare, int64 n, int high) {
  const int low = n <= short_run ? 0 : static_cast<int>(greatest(0, high - window_bits(n)));
  sort_window(keys, spare, n, low, high);
  order_runs(keys, spare, n, low);
}

/// Sorts keys that are in order but for their lowest `low` bits.
template <class K>
void order_runs(K* keys, K* spare, int64 n, int low) {
  if (low == 0) return;
  constexpr int64 block = 256;
  for (int64 at = 1; at < n;) {
    const int64 end = least(at + block, n);
    K descents = 0;
    for (int64 i = at; i < end; ++i) descents |= static_cast<K>(keys[i] < keys[i - 1]);
    int64 i = at;
    while (descents != 0 && i < end) {
      if (keys[i] >= keys[i - 1]) {
        ++i;
        continue;
      }
      const K run = keys[i] >> low;
      int64 first = i - 1;
      while (first > 0 && keys[first - 1] >> low == run) --first;
      while (i < n && keys[i] >> low == run) ++i;
      sort_keys(keys + first, spare + first, i - first, low);
    }
    at = greatest(end, i);
  }
}

}  // namespace kernels
}  // namespace SKERRY_TARGET
}  // namespace skerry
