// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/kernel/cpu/tuning.hpp"
#include "ops/sort/set_kernels.hpp"

#include "enabled_dtypes.hpp"
#include "ops/kernel/unit.hpp"
#include "ops/sort/cpu/sort.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

// Sorting takes longest to compile, so it is instantiated only in the translation units of sort.
#define SKERRY_EXTERN_SORT(name)                                                             \
  extern template void sort_row<row_item_t<type_of<Dtype::name>>>(const char*, char*, char*, \
                                                                  int64, RowOrder, bool);
SKERRY_FOR_EACH_ENABLED_DTYPE(SKERRY_EXTERN_SORT)
#undef SKERRY_EXTERN_SORT

namespace {

/// A key that is equal for equal items, and all ones for a number that is or has NaN.
template <class T>
struct HashKey {
  using type = typename SortKey<T>::type;

  static SKERRY_INLINE type load_key(const char* item) {
    return SortKey<T>::encode(load<type>(item), type{0});
  }
  static SKERRY_INLINE uint64 hash(type key) { return uint64{key} * 0x9e3779b97f4a7c15u; }
};

struct TwoWords {
  uint64 first, second;

  [[maybe_unused]] friend SKERRY_INLINE bool operator==(TwoWords a, TwoWords b) {
    return ((a.first ^ b.first) | (a.second ^ b.second)) == 0;
  }
};

template <>
struct HashKey<complex128> {
  using type = TwoWords;
  using component_key = SortKey<float64>;

  static SKERRY_INLINE type load_key(const char* item) {
    const uint64 re = load<uint64>(item);
    const uint64 im = load<uint64>(item + 8);
    if (component_key::is_nan(re) || component_key::is_nan(im)) return {~uint64{0}, ~uint64{0}};
    return {component_key::encode(re, 0), component_key::encode(im, 0)};
  }
  static SKERRY_INLINE uint64 hash(type key) {
    const uint64 first = key.first * 0x9e3779b97f4a7c15u;
    return (first ^ first >> 32 ^ key.second) * 0x9e3779b97f4a7c15u;
  }
};

template <class T>
SKERRY_INLINE typename HashKey<T>::type all_ones() {
  if constexpr (sizeof(T) == 16) {
    return {~uint64{0}, ~uint64{0}};
  } else {
    return static_cast<typename HashKey<T>::type>(~typename HashKey<T>::type{0});
  }
}

/// True for the key of a number that is or has NaN.
template <class T>
SKERRY_INLINE bool equals_nothing(typename HashKey<T>::type key) {
  return ops::floating<T> && key == all_ones<T>();
}

// ---- unique: a hash table finds few distinct items in one pass

template <class T>
SKERRY_INLINE T item_at(const char* array, int64 i) {
  return load<T>(array + i * int64(sizeof(T)));
}

/// Distinct items in the order of their first occurrence.
template <class T>
class DistinctItems {
 public:
  static constexpr int64 max_distinct = tuning::max_distinct_items;

  /// Numbers the items of the input. Returns false if there are NaNs, or so many distinct items
  /// that sorting is faster.
  bool find(const UniqueParams& p) {
    using key = HashKey<T>;
    constexpr int64 size = sizeof(T);
    const int64 limit = minimum(max_distinct, p.size / 8);
    for (uint32& number : numbers_) number = none;
    for (int64 i = 0; i < p.size; ++i) {
      const K item_key = key::load_key(p.input + i * size);
      if (equals_nothing<T>(item_key)) return false;
      uint64 slot = key::hash(item_key) >> (64 - slot_bits);
      while (numbers_[slot] != none && !(keys_[slot] == item_key)) slot = (slot + 1) % slots;
      if (numbers_[slot] == none) {
        if (distinct_count_ == limit) return false;
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

  /// Writes the outputs in ascending order.
  void emit(const UniqueParams& p, RowOrder order) {
    constexpr int64 size = sizeof(T);
    char* const items = p.scratch;
    int64 numbers[max_distinct];
    int64 rank[max_distinct];
    for (int64 i = 0; i < distinct_count_; ++i) {
      store<T>(items + i * size, item_at<T>(p.input, firsts_[i]));
    }
    argsort_row<T>(items, numbers, rank, distinct_count_, order);
    for (int64 i = 0; i < distinct_count_; ++i) {
      const int64 number = numbers[i];
      rank[number] = i;
      store<T>(p.values + i * size, item_at<T>(items, number));
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
  static constexpr uint64 slots = 2 * max_distinct;
  static constexpr int slot_bits = __builtin_ctzll(slots);
  static_assert(slots == uint64{1} << slot_bits);
  static constexpr uint32 none = ~uint32{0};

  int64 distinct_count_ = 0;
  K keys_[slots];
  uint32 numbers_[slots];
  int64 firsts_[max_distinct];
  int64 counts_[max_distinct];
};

// ---- unique: many distinct items are sorted

/// Keeps the first of each run of equal items among n sorted values and, if `begins` is not null,
/// its position. NaN differs from everything.
template <class T>
int64 keep_first_of_equal(char* values, int64 n, int64* begins) {
  constexpr int64 size = sizeof(T);
  using compared = ComparedItem<T>;
  auto last = compared::load_key(values);
  int64 distinct_count = 1;
  if (begins != nullptr) begins[0] = 0;
  for (int64 i = 1; i < n; ++i) {
    const char* const value = values + i * size;
    const auto item = compared::load_key(value);
    bool is_distinct = !(item == last);
    if constexpr (ops::stored_only<T>)
      is_distinct |= equals_nothing<T>(HashKey<T>::load_key(value));
    // Branch-free: the slot is overwritten unless the item is kept.
    if (begins != nullptr) begins[distinct_count] = i;
    store<T>(values + distinct_count * size, load<T>(value));
    distinct_count += is_distinct ? 1 : 0;
    last = item;
  }
  return distinct_count;
}

/// Finds unique items by sorting values.
template <class T>
void unique_values(const UniqueParams& p, RowOrder order) {
  sort_row<T>(p.input, p.values, p.scratch, p.size, order, true);
  const int64 distinct_count = keep_first_of_equal<T>(p.values, p.size, p.counts);
  *p.distinct = distinct_count;
  if (p.counts == nullptr) return;
  for (int64 i = 0; i + 1 < distinct_count; ++i) p.counts[i] = p.counts[i + 1] - p.counts[i];
  p.counts[distinct_count - 1] = p.size - p.counts[distinct_count - 1];
}

/// Finds unique items by sorting indices.
template <class T>
void unique_indices(const UniqueParams& p, RowOrder order) {
  using key = HashKey<T>;
  auto* const indices = reinterpret_cast<int64*>(p.scratch.get());
  argsort_row<T>(p.input, indices, indices + p.size, p.size, order, true);
  typename key::type last{};
  int64 distinct_count = 0;
  int64 begin = 0;
  for (int64 i = 0; i < p.size; ++i) {
    const int64 index = indices[i];
    const auto item_key = key::load_key(p.input + index * int64(sizeof(T)));
    if (i == 0 || !(item_key == last) || equals_nothing<T>(item_key)) {
      if (p.counts != nullptr && distinct_count > 0) p.counts[distinct_count - 1] = i - begin;
      store<T>(p.values + distinct_count * int64(sizeof(T)), item_at<T>(p.input, index));
      if (p.indices != nullptr) p.indices[distinct_count] = index;
      ++distinct_count;
      begin = i;
    }
    if (p.inverse != nullptr) p.inverse[index] = distinct_count - 1;
    last = item_key;
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

// ---- isin

/// Tests the items [begin, end) against a few elements.
template <class T>
void isin_few(const IsinParams& p, int64 begin, int64 end) {
  constexpr int64 size = sizeof(T);
  bool* const out = p.output;
  for (int64 i = begin; i < end; ++i) out[i] = p.invert;
  for (int64 j = 0; j < p.test_size; ++j) {
    if (equals_nothing<T>(HashKey<T>::load_key(p.test_elements + j * size))) continue;
    const auto one = ComparedItem<T>::load_key(p.test_elements + j * size);
    const char* x = p.x;
    const bool member_value = !p.invert;
    SKERRY_IVDEP
    for (int64 i = begin; i < end; ++i) {
      out[i] = ComparedItem<T>::load_key(x + i * size) == one ? member_value : out[i];
    }
  }
}

/// Tests items by a table of booleans, indexed by key.
template <class T>
void isin_table(const IsinParams& p) {
  using key = HashKey<T>;
  auto* const table = reinterpret_cast<uint8*>(p.scratch.get());
  __builtin_memset(table, p.invert ? 1 : 0, static_cast<unsigned long>(1) << (8 * sizeof(T)));
  for (int64 j = 0; j < p.test_size; ++j) {
    const auto item_key = key::load_key(p.test_elements + j * int64(sizeof(T)));
    if (!equals_nothing<T>(item_key)) table[item_key] = p.invert ? 0 : 1;
  }
  cpu::parallel_for(p.size, tuning::compared_grain_size, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      p.output[i] = table[key::load_key(p.x + i * int64(sizeof(T)))] != 0;
    }
  });
}

/// An open-addressing hash set. Free slots are all ones. For floats that is the key of NaN, which
/// equals nothing; for integers that key is tracked separately.
template <class T>
class HashSet {
 public:
  using key = HashKey<T>;
  using K = typename key::type;

  HashSet(char* slots, int64 count)
      : slots_(reinterpret_cast<K*>(slots)),
        mask_(static_cast<uint64>(count) - 1),
        shift_(1 + __builtin_clzll(static_cast<uint64>(count))) {
    __builtin_memset(slots, 0xff, static_cast<unsigned long>(count) * sizeof(K));
  }
  void add(K item_key) {
    if (item_key == all_ones<T>()) {
      has_free_key_ = !ops::floating<T>;
      return;
    }
    uint64 index = slot(item_key);
    while (!(slots_[index] == all_ones<T>()) && !(slots_[index] == item_key))
      index = (index + 1) & mask_;
    slots_[index] = item_key;
  }
  SKERRY_INLINE bool has(K item_key) const {
    if (item_key == all_ones<T>()) return has_free_key_;
    uint64 index = slot(item_key);
    while (!(slots_[index] == item_key)) {
      if (slots_[index] == all_ones<T>()) return false;
      index = (index + 1) & mask_;
    }
    return true;
  }

 private:
  SKERRY_INLINE uint64 slot(K item_key) const { return key::hash(item_key) >> shift_; }

  K* slots_;
  uint64 mask_;
  int shift_;
  bool has_free_key_ = false;
};

template <class T>
void isin_hashed(const IsinParams& p) {
  using key = HashKey<T>;
  constexpr int64 size = sizeof(T);
  HashSet<T> set(p.scratch, isin_slots(p.test_size, size));
  for (int64 j = 0; j < p.test_size; ++j) set.add(key::load_key(p.test_elements + j * size));
  cpu::parallel_for(p.size, tuning::hashed_grain_size, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      p.output[i] = set.has(key::load_key(p.x + i * size)) != p.invert;
    }
  });
}

template <class T>
void run_isin(const IsinParams& p) {
  if (p.size <= 0) return;
  if (is_small_set(p.test_size)) {
    cpu::parallel_for(p.size, tuning::compared_grain_size,
                      [&](int64 begin, int64 end) { isin_few<T>(p, begin, end); });
  } else if constexpr (sizeof(T) <= 2) {
    isin_table<T>(p);
  } else {
    isin_hashed<T>(p);
  }
}

template <class T>
void fill(SetKernels& table) {
  table.unique[static_cast<int>(dtype_of<T>)].set_host<run_unique<T>>();
  table.isin[static_cast<int>(dtype_of<T>)].set_host<run_isin<row_item_t<T>>>();
}

}  // namespace

SKERRY_KERNEL_UNIT(set, SetKernels)

}  // namespace skerry::inline SKERRY_TARGET::kernels
