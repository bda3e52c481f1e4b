// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/concepts.hpp"

// The lists of all elementwise operations. The constraint of an operation's call operator defines
// its input dtypes, the return type its result dtype. To add an operation, define a struct in the
// file of its topic and add it to one of these lists, in ASCII order. The lists only declare the
// structs (ops/elementwise/all.hpp includes the definitions), so that editing an operation does not
// recompile files that need only its number.

namespace skerry::inline SKERRY_TARGET::ops {

using unary_ops =
    type_list<struct abs, struct acos, struct acosh, struct angle, struct asin, struct asinh,
              struct atan, struct atanh, struct bitwise_count, struct bitwise_invert, struct cbrt,
              struct ceil, struct conj, struct cos, struct cosh, struct deg2rad, struct exp,
              struct exp2, struct expm1, struct fabs, struct floor, struct imag, struct isfinite,
              struct isinf, struct isnan, struct log, struct log10, struct log1p, struct log2,
              struct logical_not, struct nan_to_num, struct negative, struct positive,
              struct rad2deg, struct real, struct reciprocal, struct round, struct sign,
              struct signbit, struct sin, struct sinh, struct sqrt, struct square, struct tan,
              struct tanh, struct trunc>;

using binary_ops =
    type_list<struct add, struct atan2, struct bitwise_and, struct bitwise_left_shift,
              struct bitwise_or, struct bitwise_right_shift, struct bitwise_xor, struct copysign,
              struct divide, struct equal, struct floor_divide, struct fmax, struct fmin,
              struct fmod, struct gcd, struct greater, struct greater_equal, struct heaviside,
              struct hypot, struct less, struct less_equal, struct logaddexp, struct logaddexp2,
              struct logical_and, struct logical_or, struct logical_xor, struct maximum,
              struct minimum, struct multiply, struct nextafter, struct not_equal, struct pow,
              struct remainder, struct subtract>;

using ternary_ops = type_list<struct clip>;

}  // namespace skerry::inline SKERRY_TARGET::ops
