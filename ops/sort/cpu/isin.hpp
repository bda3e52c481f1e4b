// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cpu/thread_pool.hpp"
#include "ops/sort/cpu/encoded_row.hpp"
#include "ops/sort/cpu/hash.hpp"
#include "ops/sort/set_kernels.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Whether the items [begin, end) are among a few.
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
#pragma GCC ivdep
    for (int64 i = begin; i < end; ++i) {
      out[i] = ComparedItem<T>::load_key(x + i * size) == one ? member_value : out[i];
    }
  }
}

/// A table of truth values, by item.
template <class T>
void isin_table(const IsinParams& p) {
  using key = HashKey<T>;
  auto* const table = reinterpret_cast<uint8*>(p.scratch.get());
  __builtin_memset(table, p.invert ? 1 : 0, static_cast<unsigned long>(1) << (8 * sizeof(T)));
  for (int64 j = 0; j < p.test_size; ++j) {
    const auto item_key = key::load_key(p.test_elements + j * int64(sizeof(T)));
    if (!equals_nothing<T>(item_key)) table[item_key] = p.invert ? 0 : 1;
  }
  cpu::parallel_for(p.size, 32768, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      p.output[i] = table[key::load_key(p.x + i * int64(sizeof(T)))] != 0;
    }
  });
}

/// An open hash table. Slots that are free hold all ones: floats need no such key, as NaN equals
/// nothing; of integers it is looked up apart.
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
  SKERRY_INLINE uint64 slot(K item_key) const { return key::hash(item_key) >> shift_; }
  SKERRY_INLINE void prefetch(uint64 slot) const { __builtin_prefetch(slots_ + slot); }
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
  SKERRY_INLINE bool has(K item_key, uint64 index) const {
    if (item_key == all_ones<T>()) return has_free_key_;
    while (!(slots_[index] == item_key)) {
      if (slots_[index] == all_ones<T>()) return false;
      index = (index + 1) & mask_;
    }
    return true;
  }

 private:
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
  cpu::parallel_for(p.size, 8192, [&](int64 begin, int64 end) {
    constexpr int64 block = 64;  // as many memory accesses under way
    typename key::type keys[block];
    uint64 slots[block];
    for (int64 position = begin; position < end; position += block) {
      const int64 n = minimum(block, end - position);
      for (int64 i = 0; i < n; ++i) {
        keys[i] = key::load_key(p.x + (position + i) * size);
        slots[i] = set.slot(keys[i]);
        set.prefetch(slots[i]);
      }
      for (int64 i = 0; i < n; ++i) p.output[position + i] = set.has(keys[i], slots[i]) != p.invert;
    }
  });
}

template <class T>
void run_isin(const IsinParams& p) {
  if (p.size <= 0) return;
  if (is_small_set(p.test_size, sizeof(T))) {
    cpu::parallel_for(p.size, 32768, [&](int64 begin, int64 end) { isin_few<T>(p, begin, end); });
  } else if constexpr (sizeof(T) <= 2) {
    isin_table<T>(p);
  } else {
    isin_hashed<T>(p);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
