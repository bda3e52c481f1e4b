// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/concepts.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/bitwise.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/logical.hpp"
#include "ops/elementwise/rounding.hpp"
#include "ops/elementwise/trigonometric.hpp"

// Every elementwise operation, declared once: the constraint of its call operator is its dtype
// table, the return type its result dtype. A new one is a struct in the file of its topic and a
// place in one of these lists, which are in the order of ASCII.

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

using unary_ops = type_list<abs, acos, acosh, asin, asinh, atan, atanh, bitwise_invert, ceil, conj,
                            cos, cosh, exp, expm1, floor, imag, isfinite, isinf, isnan, log, log10,
                            log1p, log2, logical_not, negative, positive, real, reciprocal, round,
                            sign, signbit, sin, sinh, sqrt, square, tan, tanh, trunc>;

using binary_ops =
    type_list<add, atan2, bitwise_and, bitwise_left_shift, bitwise_or, bitwise_right_shift,
              bitwise_xor, copysign, divide, equal, floor_divide, greater, greater_equal, hypot,
              less, less_equal, logaddexp, logical_and, logical_or, logical_xor, maximum, minimum,
              multiply, nextafter, not_equal, pow, remainder, subtract>;

using ternary_ops = type_list<clip>;

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
