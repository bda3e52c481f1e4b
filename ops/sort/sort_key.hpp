// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "ops/math/concepts.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

namespace detail {
template <class T>
struct row_item {
  using type = T;
};
template <ops::integral T>
struct row_item<T> {
  using type = ops::bits_t<T>;
};
}  // namespace detail

/// Type as which rows of T are sorted and compared. Integers are sorted as their bits; RowOrder
/// takes the sign into account.
template <class T>
using row_item_t = typename detail::row_item<T>::type;

/// Unsigned integers in the order of T's values: NaN is the greatest, and -0 and +0 are equal. With
/// `flip` all ones the order is descending, and NaN is still the greatest.
template <class T>
struct SortKey {
  using type = ops::bits_t<T>;
  static constexpr type top =
      ops::signed_integral<T> ? static_cast<type>(type{1} << (8 * sizeof(T) - 1)) : type{0};

  SKERRY_HD static SKERRY_INLINE type encode(type bits, type flip) {
    return static_cast<type>(bits ^ top ^ flip);
  }
  SKERRY_HD static SKERRY_INLINE type decode(type key, type flip) { return encode(key, flip); }
  /// True for NaN and for -0, which decode does not restore.
  SKERRY_HD static SKERRY_INLINE bool is_special(type) { return false; }
  SKERRY_HD static SKERRY_INLINE bool is_nan(type) { return false; }
};

/// An imported bool may be any byte; all but 0 are true. decode returns 0 or 1.
template <>
struct SortKey<bool> : SortKey<uint8> {
  SKERRY_HD static SKERRY_INLINE type encode(type bits, type flip) {
    return static_cast<type>((bits != 0 ? 1 : 0) ^ flip);
  }
};

template <ops::real_floating T>
struct SortKey<T> {
  using type = ops::bits_t<T>;
  static constexpr type top = type{1} << (8 * sizeof(T) - 1);
  static constexpr type infinity =
      __builtin_bit_cast(type, static_cast<T>(__builtin_bit_cast(float32, 0x7f800000u)));
  static constexpr type max_key = static_cast<type>(~type{0});

  SKERRY_HD static SKERRY_INLINE bool is_nan(type bits) { return (bits & ~top) > infinity; }
  SKERRY_HD static SKERRY_INLINE bool is_special(type bits) { return is_nan(bits) || bits == top; }
  SKERRY_HD static SKERRY_INLINE type encode(type bits, type flip) {
    const type merged = bits == top ? type{0} : bits;
    const type all_if_negative = static_cast<type>(type{0} - (merged >> (8 * sizeof(T) - 1)));
    const type key = static_cast<type>(merged ^ (all_if_negative | top) ^ flip);
    return is_nan(bits) ? max_key : key;
  }
  SKERRY_HD static SKERRY_INLINE type decode(type key, type flip) {
    const type straight = static_cast<type>(key ^ flip);
    const type all_if_negative = static_cast<type>((straight >> (8 * sizeof(T) - 1)) - type{1});
    return static_cast<type>(straight ^ (all_if_negative | top));
  }
};

/// Orders by real part, then by imaginary part; a number with a NaN is the greatest.
template <>
struct SortKey<complex64> {
  using type = uint64;
  using component_key = SortKey<float32>;

  SKERRY_HD static SKERRY_INLINE bool is_nan(type bits) {
    return component_key::is_nan(static_cast<uint32>(bits)) ||
           component_key::is_nan(static_cast<uint32>(bits >> 32));
  }
  SKERRY_HD static SKERRY_INLINE type encode(type bits, type flip) {
    const type re = component_key::encode(static_cast<uint32>(bits), 0);
    const type im = component_key::encode(static_cast<uint32>(bits >> 32), 0);
    return is_nan(bits) ? ~type{0} : (re << 32 | im) ^ flip;
  }
};

}  // namespace skerry::inline SKERRY_TARGET::kernels
