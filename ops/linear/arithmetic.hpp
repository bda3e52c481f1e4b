// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

// Elementwise operations and reductions as functions, for composite functions.
namespace skerry::linalg {

[[nodiscard]] NdArray abs(const NdArray& x);
[[nodiscard]] NdArray conj(const NdArray& x);
[[nodiscard]] NdArray isfinite(const NdArray& x);
[[nodiscard]] NdArray real(const NdArray& x);
[[nodiscard]] NdArray reciprocal(const NdArray& x);
[[nodiscard]] NdArray sqrt(const NdArray& x);

/// Returns `x` in its compute dtype (float32 for float16 and bfloat16), so that the result of
/// several operations is rounded once.
[[nodiscard]] NdArray widened(const NdArray& x);

[[nodiscard]] NdArray add(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray divide(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray greater(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray logical_and(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray multiply(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray subtract(const NdArray& x1, const NdArray& x2);
[[nodiscard]] NdArray greater(const NdArray& x1, const Scalar& x2);
[[nodiscard]] NdArray multiply(const NdArray& x1, const Scalar& x2);
[[nodiscard]] NdArray not_equal(const NdArray& x1, const Scalar& x2);
[[nodiscard]] NdArray pow(const NdArray& x1, const Scalar& x2);
/// Returns x1 where the condition is true, otherwise the scalar.
[[nodiscard]] NdArray where(const NdArray& condition, const NdArray& x1, const Scalar& x2);
[[nodiscard]] NdArray where(const NdArray& condition, const NdArray& x1, const NdArray& x2);

[[nodiscard]] NdArray all(const NdArray& x);
[[nodiscard]] NdArray all(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] NdArray any(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] NdArray max(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] NdArray min(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] NdArray sum(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims);

/// Reads the only element of a bool array from its device.
[[nodiscard]] bool is_true(const NdArray& x);

}  // namespace skerry::linalg
