// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cpu/memory.hpp"
#include "ops/math/integer.hpp"
#include "ops/sort/sort_key.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

SKERRY_INLINE int bit_width(uint64 bits) { return bits == 0 ? 0 : 64 - __builtin_clzll(bits); }

/// The order in which items are sorted; NaN is last in both.
struct RowOrder {
  bool descending;
  bool is_signed;  ///< the dtype is signed; row_item_t makes it unsigned

  template <class T>
  static constexpr RowOrder create(bool descending) {
    return {descending, ops::signed_integral<T>};
  }
  /// Returns the `flip` argument for SortKey<T>.
  template <class T>
  [[nodiscard]] SKERRY_INLINE typename SortKey<T>::type flip() const {
    static_assert(!ops::signed_integral<T>);
    using K = typename SortKey<T>::type;
    const K sign = is_signed ? ops::sign_bit<K> : K{0};
    return descending ? static_cast<K>(~sign) : sign;
  }
};

/// The items of a row as keys. Records whether any item is NaN or -0, which decode does not
/// restore.
template <class T>
struct EncodedRow {
  using K = typename SortKey<T>::type;

  const char* row;
  K flip;
  K special = 0;

  EncodedRow(const char* row_data, RowOrder order) : row(row_data), flip(order.flip<T>()) {}

  [[nodiscard]] SKERRY_INLINE K key(int64 i) const {
    return SortKey<T>::encode(load<K>(row + i * int64(sizeof(K))), flip);
  }

  SKERRY_INLINE void encode(int64 position, int64 n, K* destination) {
    const char* source = row + position * int64(sizeof(K));
    K odd = 0;
    for (int64 i = 0; i < n; ++i) {
      const K bits = load<K>(source + i * int64(sizeof(K)));
      odd |= static_cast<K>(is_special(bits));
      destination[i] = SortKey<T>::encode(bits, flip);
    }
    special |= odd;
  }

  [[nodiscard]] static SKERRY_INLINE bool is_special(K bits) {
    if constexpr (ops::real_floating<T>) return SortKey<T>::is_special(bits);
    return false;
  }
};

/// Type in which single items are compared: the key for storage-only dtypes, otherwise T.
template <class T>
struct ComparedItem {
  using type = T;

  static SKERRY_INLINE type load_key(const char* item) { return load<T>(item); }
};
template <ops::stored_only T>
struct ComparedItem<T> {
  using type = typename SortKey<T>::type;

  static SKERRY_INLINE type load_key(const char* item) {
    return SortKey<T>::encode(load<type>(item), type{0});
  }
};
template <class T>
using compared_t = typename ComparedItem<T>::type;

/// Decodes n keys to items. `source` and `destination` may be the same memory.
template <class T, class K>
void decode_keys(const K* source, char* destination, int64 n, K flip) {
  for (int64 i = 0; i < n; ++i) {
    store(destination + i * int64(sizeof(K)), SortKey<T>::decode(source[i], flip));
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
