// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ndarray.hpp"
#include "core/scalar.hpp"

namespace skerry {

[[nodiscard]] NdArray full(const Dims& shape, const Scalar& value, Dtype type, Device device);
/// Returns zeros with the shape, dtype and device of an array.
[[nodiscard]] NdArray zeros_like(const NdArray& x);
/// If `type` is empty, the scalars determine the dtype. Throws ValueError for a zero step,
/// OverflowError, and ShapeError for too many elements.
[[nodiscard]] NdArray arange(const Scalar& start, const Scalar& stop, const Scalar& step,
                             std::optional<Dtype> type, Device device);
/// Complex endpoints require a complex dtype. If `endpoint`, the last element is exactly `stop`.
[[nodiscard]] NdArray linspace(const Scalar& start, const Scalar& stop, std::int64_t num,
                               std::optional<Dtype> type, Device device, bool endpoint);
[[nodiscard]] NdArray eye(std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype type,
                          Device device);
[[nodiscard]] NdArray tril(const NdArray& x, std::int64_t k);
[[nodiscard]] NdArray triu(const NdArray& x, std::int64_t k);
/// Returns views of the inputs, read-only if broadcast, with the standard's 'xy' or 'ij' indexing.
/// Inputs must be at most 1-D.
[[nodiscard]] std::vector<NdArray> meshgrid(std::span<const NdArray> arrays, bool xy_indexing);

}  // namespace skerry
