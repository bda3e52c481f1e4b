// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/all.hpp"
#include "ops/math/concepts.hpp"
#include "ops/math/stand_in_type.hpp"

// Which kernel runs an operation. Many do the same to the bits of their operands, and a CUDA kernel
// costs half a second to compile: so int32 and uint32 have one addition, and what leaves an integer
// as it is has one kernel. A new operation that could share one but isn't named here is right, only
// slow to compile. The dtypes of a pair are in one unit (ops/CMakeLists.txt).

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

/// Operations that give the same bits for signed and unsigned integers.
template <class Op>
inline constexpr bool ignores_sign =
    one_of_v<Op, add, bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_or, bitwise_xor,
             equal, isfinite, isnan, multiply, negative, not_equal, positive, square, subtract>;

/// Operations that return elements of T as they are.
template <class Op, class T>
inline constexpr bool is_identity =
    (integral<T> && one_of_v<Op, ceil, conj, floor, positive, real, round, trunc>) ||
    (unsigned_integral<T> && same_v<Op, abs>) ||
    (real_floating<T> && one_of_v<Op, conj, positive, real>);

template <class Op, class T>
struct stand_in_operation {
  using type = Op;
};
template <class Op, class T>
  requires is_identity<Op, T>
struct stand_in_operation<Op, T> {
  using type = positive;
};
template <integral T>
struct stand_in_operation<isinf, T> {
  using type = isnan;  // false, too
};
/// These take their operands in the other order: see has_swapped_operands.
template <class T>
struct stand_in_operation<greater, T> {
  using type = less;
};
template <class T>
struct stand_in_operation<greater_equal, T> {
  using type = less_equal;
};

template <class Op>
inline constexpr bool has_swapped_operands = one_of_v<Op, greater, greater_equal>;

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
  using to = stand_in_type_t<To, integral_or_boolean<From>>;
  using from = stand_in_type_t<From, boolean<To> || (integral<To> && sizeof(To) <= sizeof(From))>;
};

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
