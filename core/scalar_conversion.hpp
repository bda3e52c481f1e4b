// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace skerry {

/// Returns the dtype of an array of dtype `array` combined with `value` (array API 2025.12, "mixing
/// arrays with Python scalars"): the array's own, or the complex one of its width for a complex
/// scalar with a real floating array. Where the standard leaves it open, a scalar of a higher kind
/// gives its default dtype, one of a lower kind changes nothing. Throws DtypeError if such a mix is
/// rejected (promotion_is_strict()), OverflowError for an integer outside the dtype.
[[nodiscard]] Dtype promote_scalar(Dtype array, const Scalar& value);
/// The same without the range check, before the dtype of the computation is known.
[[nodiscard]] Dtype promote_scalar_kind(Dtype array, const Scalar& value);

/// Converts `value` to an element of `type` without loss: a value of a higher kind must be exact in
/// `type`, such as 2.0 for an integer dtype, and is rejected if promotion_is_strict(). Throws
/// OverflowError for a whole number out of range, DtypeError for any other lossy conversion.
[[nodiscard]] Element to_element(const Scalar& value, Dtype type);

/// Converts `value` for to_element() to an explicitly requested dtype, as astype does: floats are
/// truncated, and any number converts to bool. Throws OverflowError for values outside 64-bit
/// integers, DtypeError for complex values in real dtypes, and as to_element() does if
/// promotion_is_strict().
[[nodiscard]] Scalar cast_scalar(const Scalar& value, Dtype type);

}  // namespace skerry
