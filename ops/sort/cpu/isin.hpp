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
  for (int64 j = 0; j < p.among_size; ++j) {
    if (equals_nothing<T>(HashKey<T>::of(p.among + j * size))) continue;
    const auto one = ComparedItem<T>::of(p.among + j * size);
    const char* x = p.x;
    const bool found = !p.invert;
#pragma GCC ivdep
    for (int64 i = begin; i < end; ++i) {
      out[i] = ComparedItem<T>::of(x + i * size) == one ? found : out[i];
    }
  }
}

/// A table of truth values, by item.
template <class T>
void isin_table(const IsinParams& p) {
  using key = HashKey<T>;
  auto* const table = reinterpret_cast<uint8*>(p.scratch);
  __builtin_memset(table, p.invert ? 1 : 0, static_cast<unsigned long>(1) << (8 * sizeof(T)));
  for (int64 j = 0; j < p.among_size; ++j) {
    const auto what = key::of(p.among + j * int64(sizeof(T)));
    if (!equals_nothing<T>(what)) table[what] = p.invert ? 0 : 1;
  }
  cpu::parallel_for(p.size, 32768, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) {
      p.output[i] = table[key::of(p.x + i * int64(sizeof(T)))] != 0;
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
  SKERRY_INLINE uint64 slot(K what) const { return key::hash(what) >> shift_; }
  SKERRY_INLINE void prefetch(uint64 slot) const { __builtin_prefetch(slots_ + slot); }
  void add(K what) {
    if (what == all_ones<T>()) {
      has_free_key_ = !ops::floating<T>;
      return;
    }
    uint64 at = slot(what);
    while (!(slots_[at] == all_ones<T>()) && !(slots_[at] == what)) at = (at + 1) & mask_;
    slots_[at] = what;
  }
  SKERRY_INLINE bool has(K what, uint64 at) const {
    if (what == all_ones<T>()) return has_free_key_;
    while (!(slots_[at] == what)) {
      if (slots_[at] == all_ones<T>()) return false;
      at = (at + 1) & mask_;
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
  HashSet<T> set(p.scratch, isin_slots(p.among_size, size));
  for (int64 j = 0; j < p.among_size; ++j) set.add(key::of(p.among + j * size));
  cpu::parallel_for(p.size, 8192, [&](int64 begin, int64 end) {
    constexpr int64 block = 64;  // as many memory accesses under way
    typename key::type keys[block];
    uint64 slots[block];
    for (int64 at = begin; at < end; at += block) {
      const int64 n = least(block, end - at);
      for (int64 i = 0; i < n; ++i) {
        keys[i] = key::of(p.x + (at + i) * size);
        slots[i] = set.slot(keys[i]);
        set.prefetch(slots[i]);
      }
      for (int64 i = 0; i < n; ++i) p.output[at + i] = set.has(keys[i], slots[i]) != p.invert;
    }
  });
}

template <class T>
void run_isin(const void* params) {
  const auto& p = *static_cast<const IsinParams*>(params);
  if (p.size <= 0) return;
  if (is_small_set(p.among_size, sizeof(T))) {
    cpu::parallel_for(p.size, 32768, [&](int64 begin, int64 end) { isin_few<T>(p, begin, end); });
  } else if constexpr (sizeof(T) <= 2) {
    isin_table<T>(p);
  } else {
    isin_hashed<T>(p);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
