// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/radix.hpp"

// Large rows are first distributed, by value, to buckets that the caches hold: one pass through
// memory instead of one for each digit.

namespace skerry::inline SKERRY_TARGET::kernels {

inline constexpr int value_buckets = 2048;

/// Equally wide intervals between the least and the greatest of a sample.
template <class T>
class ValueIntervals {
 public:
  /// False if there is no such division.
  bool choose(const EncodedRow<T>& row, int64 n) {
    K low = static_cast<K>(~K{0});
    K high = 0;
    const int64 step = maximum(1, n / 4096);
    for (int64 i = 0; i < n; i += step) {
      const K key = row.key(i);
      low = key < low ? key : low;
      high = key > high ? key : high;
    }
    low_ = low;
    const int bits = bit_width(static_cast<K>(high - low));
    shift_ = static_cast<int>(maximum(0, bits - 11));
    return bits > 0;
  }

  void find(const EncodedRow<T>& row, int64 position, int64 n, uint16* buckets) const {
    for (int64 i = 0; i < n; ++i) {
      const K key = row.key(position + i);
      const K distance = static_cast<K>((key < low_ ? K{0} : static_cast<K>(key - low_)) >> shift_);
      buckets[i] = static_cast<uint16>(distance < K{2047} ? distance : K{2047});
    }
  }

 private:
  using K = typename SortKey<T>::type;

  K low_;
  int shift_;
};

/// For numbers, not of their bits: those are denser near zero than most data is.
template <ops::real_floating T>
class ValueIntervals<T> {
 public:
  bool choose(const EncodedRow<T>& row, int64 n) {
    const T infinity = static_cast<T>(__builtin_inf());
    T low = infinity;
    T high = -infinity;
    const int64 step = maximum(1, n / 4096);
    for (int64 i = 0; i < n; i += step) {
      const T x = load<T>(row.row + i * int64(sizeof(T)));
      if (x > -infinity && x < low) low = x;
      if (x < infinity && x > high) high = x;
    }
    const bool descends = row.flip != 0;
    origin_ = descends ? high : low;
    scale_ = (descends ? -value_buckets : value_buckets) / (high - low);
    return low < high && scale_ != 0 && scale_ - scale_ == 0;
  }

  void find(const EncodedRow<T>& row, int64 position, int64 n, uint16* buckets) const {
    const char* source = row.row + position * int64(sizeof(T));
    constexpr T last = value_buckets - 1;
    for (int64 i = 0; i < n; ++i) {
      const T distance = (load<T>(source + i * int64(sizeof(T))) - origin_) * scale_;
      const T positive = distance < 0 ? T{0} : distance;
      buckets[i] = static_cast<uint16>(static_cast<int32>(positive < last ? positive : last));
    }
  }

 private:
  T origin_;
  T scale_;
};

/// Sorts n keys, and writes their items to `destination`, which is spare memory until then.
template <class T, class K>
void sort_bucket(K* keys, char* destination, int64 n, K flip) {
  K differing = 0;
  for (int64 i = 1; i < n; ++i) differing |= static_cast<K>(keys[i] ^ keys[0]);
  if (differing != 0) sort_keys(keys, reinterpret_cast<K*>(destination), n, bit_width(differing));
  decode_keys<T>(keys, destination, n, flip);
}

/// Sorts a row into `out`, by way of `scratch`; zeros and NaNs as decoding gives them. False, with
/// nothing done, for values that are too unevenly spread.
template <class T>
bool sort_distributed(EncodedRow<T>& row, char* out, typename SortKey<T>::type* scratch, int64 n) {
  using K = typename SortKey<T>::type;
  constexpr int64 block = 512;
  ValueIntervals<T> intervals;
  if (!intervals.choose(row, n)) return false;
  uint16 buckets[block];
  int64 offsets[value_buckets + 1] = {};
  for (int64 position = 0; position < n; position += block) {
    const int64 count = minimum(block, n - position);
    intervals.find(row, position, count, buckets);
    for (int64 i = 0; i < count; ++i) ++offsets[buckets[i]];
  }
  int64 begin = 0;
  int64 crowded = 0;
  for (int64& offset : offsets) {
    const int64 size = offset;
    if (size > 65536) crowded += size;
    offset = begin;
    begin += size;
  }
  if (crowded > n / 8) return false;
  {
    StreamedBuckets<K> streamed_buckets(scratch, offsets, value_buckets);
    for (int64 position = 0; position < n; position += block) {
      alignas(64) K encoded[block];
      const int64 count = minimum(block, n - position);
      row.block(position, count, encoded);
      intervals.find(row, position, count, buckets);
      for (int64 i = 0; i < count; ++i) streamed_buckets.put(buckets[i], encoded[i]);
    }
    streamed_buckets.finish();
  }
  // Each offset is now the end of its bucket, counted from the line that `scratch` begins in.
  const int64 line_offset = offsets[value_buckets - 1] - n;
  begin = 0;
  for (int bucket = 0; bucket < value_buckets; ++bucket) {
    const int64 end = offsets[bucket] - line_offset;
    if (end > begin) {
      sort_bucket<T>(scratch + begin, out + begin * int64(sizeof(T)), end - begin, row.flip);
    }
    begin = end;
  }
  return true;
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
