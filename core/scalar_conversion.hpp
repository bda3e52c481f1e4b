// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// The dtype that an array of `array` gets when combined with `value` (array API 2025.12, "mixing
/// arrays with Python scalars"): the array's own, or the complex one of its width for a complex
/// scalar with a real floating array. What the standard leaves open: a scalar of a higher kind
/// gives its default dtype, one of a lower kind changes nothing. Throws DtypeError where such a
/// mix is refused (promotion_is_strict()), OverflowError for an integer outside the dtype.
[[nodiscard]] Dtype promote_scalar(Dtype array, const Scalar& value);
/// The same before it is known what is computed in: any integer goes with an integer dtype.
[[nodiscard]] Dtype promote_scalar_kind(Dtype array, const Scalar& value);

/// `value` as an element of `type`, if nothing is lost: a value of a higher kind must be one that
/// `type` has, as 2.0 for an integer dtype, and is refused where promotion_is_strict(). Throws
/// OverflowError for a Python int out of range, DtypeError for what would be lost.
[[nodiscard]] Element to_element(const Scalar& value, Dtype type);

/// `value` for to_element(), in a dtype that the caller asked for, converted as astype does: floats
/// are truncated, and the truth of numbers goes into bool. Throws OverflowError for what integers
/// of 64 bits can't hold, DtypeError for complex values in real dtypes, and as to_element() does
/// where promotion_is_strict().
[[nodiscard]] Scalar cast_scalar(const Scalar& value, Dtype type);

}  // namespace skerry
