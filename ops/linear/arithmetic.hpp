// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

/// Elementwise operations and reductions as functions, for what is made of them.
namespace skerry::linalg {

[[nodiscard]] ndarray abs(const ndarray& x);
[[nodiscard]] ndarray conj(const ndarray& x);
[[nodiscard]] ndarray isfinite(const ndarray& x);
[[nodiscard]] ndarray real(const ndarray& x);
[[nodiscard]] ndarray reciprocal(const ndarray& x);
[[nodiscard]] ndarray sqrt(const ndarray& x);

/// `x` in the dtype that it is computed in, float32 for float16, so that results of several
/// operations are rounded once.
[[nodiscard]] ndarray widened(const ndarray& x);

[[nodiscard]] ndarray add(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray divide(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray greater(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray logical_and(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray multiply(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray subtract(const ndarray& x1, const ndarray& x2);
[[nodiscard]] ndarray greater(const ndarray& x1, const scalar& x2);
[[nodiscard]] ndarray multiply(const ndarray& x1, const scalar& x2);
[[nodiscard]] ndarray not_equal(const ndarray& x1, const scalar& x2);
[[nodiscard]] ndarray pow(const ndarray& x1, const scalar& x2);
/// x1 where the condition is true, else the scalar.
[[nodiscard]] ndarray where(const ndarray& condition, const ndarray& x1, const scalar& x2);
[[nodiscard]] ndarray where(const ndarray& condition, const ndarray& x1, const ndarray& x2);

[[nodiscard]] ndarray all(const ndarray& x);
[[nodiscard]] ndarray all(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] ndarray any(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] ndarray max(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] ndarray min(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims);
[[nodiscard]] ndarray sum(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims);

/// The only element of an array of bool, read from its device.
[[nodiscard]] bool is_true(const ndarray& x);

}  // namespace skerry::linalg
