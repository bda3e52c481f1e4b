// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enabled_dtypes.hpp"
#include "ops/sort/cpu/hash.hpp"
#include "ops/sort/cpu/indices.hpp"
#include "ops/sort/cpu/sort.hpp"
#include "ops/sort/cpu/unique_lanes.hpp"
#include "ops/sort/set_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

// The dearest part of these units to compile is in those of sort.
#define SKERRY_EXTERN_SORT(name)                                                                   \
  extern template void sort_whole_row<row_item_t<type_of<Dtype::name>>>(const char*, char*, char*, \
                                                                        int64, RowOrder);
SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_EXTERN_SORT)
#undef SKERRY_EXTERN_SORT

template <class T>
SKERRY_INLINE T item_at(const char* array, int64 i) {
  return load<T>(array + i * int64(sizeof(T)));
}

// ---- few distinct items: a hash table finds them in one pass

/// Distinct items in the order of their first occurrence.
template <class T>
class DistinctItems {
 public:
  static constexpr int64 max_distinct = 2048;

  /// Numbers the items of the input; false if there are more than `max_distinct` distinct ones, or
  /// NaNs.
  bool find(const UniqueParams& p) {
    using key = HashKey<T>;
    constexpr int64 size = sizeof(T);
    for (uint32& number : numbers_) number = none;
    for (int64 i = 0; i < p.size; ++i) {
      const K item_key = key::load_key(p.input + i * size);
      if (equals_nothing<T>(item_key)) return false;
      uint64 slot = key::hash(item_key) >> (64 - slot_bits);
      while (numbers_[slot] != none && !(keys_[slot] == item_key)) slot = (slot + 1) % slots;
      if (numbers_[slot] == none) {
        if (distinct_count_ == max_distinct) return false;
        keys_[slot] = item_key;
        numbers_[slot] = static_cast<uint32>(distinct_count_);
        firsts_[distinct_count_] = i;
        counts_[distinct_count_++] = 0;
      }
      ++counts_[numbers_[slot]];
      if (p.inverse != nullptr) p.inverse[i] = numbers_[slot];
    }
    return true;
  }

  /// Writes the outputs in the order of values.
  void emit(const UniqueParams& p, RowOrder order) {
    T items[max_distinct];
    uint64 placed[max_distinct];
    uint64 alternate[max_distinct];
    int64 rank[max_distinct];
    for (int64 i = 0; i < distinct_count_; ++i) items[i] = item_at<T>(p.input, firsts_[i]);
    order_row(RowKeys<T>(reinterpret_cast<const char*>(items), order), placed, alternate,
              distinct_count_);
    for (int64 i = 0; i < distinct_count_; ++i) {
      const int64 number = index_of(placed[i]);
      rank[number] = i;
      store<T>(p.values + i * int64(sizeof(T)), items[number]);
      if (p.indices != nullptr) p.indices[i] = firsts_[number];
      if (p.counts != nullptr) p.counts[i] = counts_[number];
    }
    if (p.inverse != nullptr) {
      for (int64 i = 0; i < p.size; ++i) p.inverse[i] = rank[p.inverse[i]];
    }
    *p.distinct = distinct_count_;
  }

 private:
  using K = typename HashKey<T>::type;
  static constexpr int slot_bits = 12;
  static constexpr uint64 slots = uint64{1} << slot_bits;
  static constexpr uint32 none = ~uint32{0};

  int64 distinct_count_ = 0;
  K keys_[slots];
  uint32 numbers_[slots];
  int64 firsts_[max_distinct];
  int64 counts_[max_distinct];
};

// ---- many of them: sorted

/// Keeps the first of equal neighbours of n sorted values, which may be in the same memory, and
/// where each was, if `begins` is not null. NaN differs from itself, and so is distinct.
template <class T>
int64 keep_first_of_equal(char* values, int64 n, int64* begins) {
  constexpr int64 size = sizeof(T);
  int64 distinct_count = 0;
  int64 i = 0;
  if constexpr (has_lanes<T>) distinct_count = keep_first_by_lanes<T>(values, n, begins, i);
  using compared = ComparedItem<T>;
  compared_t<T> last =
      i > 0 ? compared::load_key(values + (distinct_count - 1) * size) : compared_t<T>{};
  for (; i < n; ++i) {
    const auto item = compared::load_key(values + i * size);
    const bool is_nan =
        ops::stored_only<T> && equals_nothing<T>(HashKey<T>::load_key(values + i * size));
    if (i > 0 && item == last && !is_nan) continue;
    if (begins != nullptr) begins[distinct_count] = i;
    store<T>(values + distinct_count * size, item_at<T>(values, i));
    ++distinct_count;
    last = item;
  }
  return distinct_count;
}

/// From the values in order.
template <class T>
void unique_values(const UniqueParams& p, RowOrder order) {
  sort_whole_row<T>(p.input, p.values, p.scratch, p.size, order);
  const int64 distinct_count = keep_first_of_equal<T>(p.values, p.size, p.counts);
  *p.distinct = distinct_count;
  if (p.counts == nullptr) return;
  for (int64 i = 0; i + 1 < distinct_count; ++i) p.counts[i] = p.counts[i + 1] - p.counts[i];
  p.counts[distinct_count - 1] = p.size - p.counts[distinct_count - 1];
}

/// From the order of indices.
template <class T>
void unique_indices(const UniqueParams& p, RowOrder order) {
  const RowKeys<T> keys(p.input, order);
  auto* const placed = reinterpret_cast<uint64*>(p.scratch.get());
  order_row(keys, placed, placed + p.size, p.size);
  int64 nans = p.size;  // where they begin
  while (nans > 0 && keys.is_nan(index_of(placed[nans - 1]))) placed[--nans] |= differs;
  int64 distinct_count = 0;
  int64 begin = 0;
  for (int64 i = 0; i < p.size; ++i) {
    const int64 index = index_of(placed[i]);
    if ((placed[i] & differs) != 0) {
      if (p.counts != nullptr && distinct_count > 0) p.counts[distinct_count - 1] = i - begin;
      store<T>(p.values + distinct_count * int64(sizeof(T)), item_at<T>(p.input, index));
      if (p.indices != nullptr) p.indices[distinct_count] = index;
      ++distinct_count;
      begin = i;
    }
    if (p.inverse != nullptr) p.inverse[index] = distinct_count - 1;
  }
  if (p.counts != nullptr) p.counts[distinct_count - 1] = p.size - begin;
  *p.distinct = distinct_count;
}

template <class T>
SKERRY_SHARED void find_unique(const UniqueParams& p, RowOrder order) {
  if (p.size <= 0) return;
  if (p.size > short_row) {
    DistinctItems<T> few;
    if (few.find(p)) return few.emit(p, order);
  }
  if constexpr (!ops::complex_floating<T>) {
    if (p.indices == nullptr && p.inverse == nullptr) return unique_values<T>(p, order);
  }
  unique_indices<T>(p, order);
}

template <class T>
void run_unique(const UniqueParams& p) {
  find_unique<row_item_t<T>>(p, RowOrder::create<T>(false));
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
