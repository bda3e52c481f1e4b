// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/complex.hpp"
#include "core/config.hpp"
#include "core/dtype_list.hpp"

// NVRTC parses this file, so it can't include standard headers.

namespace skerry::inline SKERRY_TARGET::ops {

template <class A, class B>
inline constexpr bool same_v = false;
template <class A>
inline constexpr bool same_v<A, A> = true;

template <class T, class... Candidates>
inline constexpr bool one_of_v = (same_v<T, Candidates> || ...);

namespace detail {
/// The dtype kind of T as an integer; -1 if T is not a dtype.
template <class T>
inline constexpr int kind = -1;
#define SKERRY_KIND(name, type, of_kind, typestr) \
  template <>                                     \
  inline constexpr int kind<type> = static_cast<int>(DtypeKind::of_kind);
SKERRY_FOR_EACH_DTYPE(SKERRY_KIND)
#undef SKERRY_KIND

template <class T, DtypeKind Kind>
inline constexpr bool is_of = kind<T> == static_cast<int>(Kind);
}  // namespace detail

// The dtype kinds of the standard ("data types" and `isdtype`).
template <class T>
concept boolean = detail::is_of<T, DtypeKind::boolean>;
template <class T>
concept signed_integral = detail::is_of<T, DtypeKind::signed_integer>;
template <class T>
concept unsigned_integral = detail::is_of<T, DtypeKind::unsigned_integer>;
template <class T>
concept integral = signed_integral<T> || unsigned_integral<T>;
template <class T>
concept real_floating = detail::is_of<T, DtypeKind::real_floating>;
template <class T>
concept complex_floating = detail::is_of<T, DtypeKind::complex_floating>;
template <class T>
concept floating = real_floating<T> || complex_floating<T>;
template <class T>
concept real_numeric = integral<T> || real_floating<T>;
template <class T>
concept numeric = real_numeric<T> || complex_floating<T>;
template <class T>
concept integral_or_boolean = integral<T> || boolean<T>;
template <class T>
concept any_dtype = numeric<T> || boolean<T>;

namespace detail {
template <class T>
struct real_type {
  using type = T;
};
template <complex_floating T>
struct real_type<T> {
  using type = typename T::value_type;
};

template <int Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = uint8;
};
template <>
struct unsigned_of_size<2> {
  using type = uint16;
};
template <>
struct unsigned_of_size<4> {
  using type = uint32;
};
template <>
struct unsigned_of_size<8> {
  using type = uint64;
};
}  // namespace detail

using skerry::computed_t;

/// True for a storage-only dtype: computations use a wider one.
template <class T>
concept stored_only = !same_v<computed_t<T>, T>;

/// float32 for complex64, float64 for complex128, T itself otherwise.
template <class T>
using real_part_t = typename detail::real_type<T>::type;

/// The unsigned integer of T's size: for wrap-around arithmetic and for the bits of a float.
template <class T>
using bits_t = typename detail::unsigned_of_size<sizeof(T)>::type;

template <class... Ops>
struct type_list {};

namespace detail {
template <class List>
inline constexpr int list_size = 0;
template <class... Ops>
inline constexpr int list_size<type_list<Ops...>> = sizeof...(Ops);

template <class Op, class List>
inline constexpr int list_index = -1;
template <class Op, class Head, class... Tail>
inline constexpr int list_index<Op, type_list<Head, Tail...>> =
    same_v<Op, Head>                           ? 0
    : list_index<Op, type_list<Tail...>> == -1 ? -1
                                               : 1 + list_index<Op, type_list<Tail...>>;
}  // namespace detail

template <class List>
inline constexpr int size_of = detail::list_size<List>;

/// Position of Op in List, -1 if absent.
template <class Op, class List>
inline constexpr int index_of = detail::list_index<Op, List>;

/// Result type of Op for arguments of types T...
template <class Op, class... T>
using result_t = decltype(Op{}(T{}...));

/// Applies Op to elements in their compute dtype, and rounds the result to its dtype. Operations on
/// bits (`of_bits`) get the elements unconverted.
template <class Op, class... T>
SKERRY_HD SKERRY_INLINE result_t<Op, T...> evaluate(T... x) {
  if constexpr ((stored_only<T> || ...) && !requires { Op::of_bits; }) {
    return result_t<Op, T...>(Op{}(static_cast<computed_t<T>>(x)...));
  } else {
    return Op{}(x...);
  }
}

/// True if Op has a loop for Arity operands of dtype T.
template <class Op, class T, int Arity>
concept supports =
    (Arity == 1 && requires(T x) { Op{}(x); }) || (Arity == 2 && requires(T x) { Op{}(x, x); }) ||
    (Arity == 3 && requires(T x) { Op{}(x, x, x); });

}  // namespace skerry::inline SKERRY_TARGET::ops
