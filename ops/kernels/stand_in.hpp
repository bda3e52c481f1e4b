// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/concepts.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/kernels/cuda/stand_in_type.cuh"

// Which kernel runs an operation. Many do the same to the bits of their operands, and a kernel
// costs half a second to compile: so int32 and uint32 have one addition, and what leaves an integer
// as it is has one kernel. A new operation that could share one but isn't named here is right, only
// slow to compile. The dtypes of a pair are in one unit (ops/CMakeLists.txt).

namespace skerry {
namespace native {

/// Operations that give the same bits for signed and unsigned integers.
template <class Op>
inline constexpr bool ignores_sign =
    ops::one_of_v<Op, ops::add, ops::bitwise_and, ops::bitwise_invert, ops::bitwise_left_shift,
                  ops::bitwise_or, ops::bitwise_xor, ops::equal, ops::isfinite, ops::isnan,
                  ops::multiply, ops::negative, ops::not_equal, ops::positive, ops::square,
                  ops::subtract>;

/// Operations that return elements of T as they are.
template <class Op, class T>
inline constexpr bool is_identity =
    (ops::integral<T> && ops::one_of_v<Op, ops::ceil, ops::conj, ops::floor, ops::positive,
                                       ops::real, ops::round, ops::trunc>) ||
    (ops::unsigned_integral<T> && ops::same_v<Op, ops::abs>) ||
    (ops::real_floating<T> && ops::one_of_v<Op, ops::conj, ops::positive, ops::real>);

template <class Op, class T>
struct stand_in_operation {
  using type = Op;
};
template <class Op, class T>
  requires is_identity<Op, T>
struct stand_in_operation<Op, T> {
  using type = ops::positive;
};
template <ops::integral T>
struct stand_in_operation<ops::isinf, T> {
  using type = ops::isnan;  // false, too
};
/// These take their operands in the other order: see has_swapped_operands.
template <class T>
struct stand_in_operation<ops::greater, T> {
  using type = ops::less;
};
template <class T>
struct stand_in_operation<ops::greater_equal, T> {
  using type = ops::less_equal;
};

template <class Op>
inline constexpr bool has_swapped_operands = ops::one_of_v<Op, ops::greater, ops::greater_equal>;

/// The operation and the dtype whose kernel runs Op over T.
template <class Op, class T>
struct stand_in {
  using operation = typename stand_in_operation<Op, T>::type;
  using type = stand_in_type_t<T, ignores_sign<operation>>;
};

/// The dtypes whose kernel casts From to To: an integer's sign counts only where it is extended, or
/// where the other dtype has a fraction.
template <class From, class To>
struct cast_stand_in {
  using to = stand_in_type_t<To, ops::integral_or_boolean<From>>;
  using from =
      stand_in_type_t<From, ops::boolean<To> || (ops::integral<To> && sizeof(To) <= sizeof(From))>;
};

}  // namespace native
}  // namespace skerry
