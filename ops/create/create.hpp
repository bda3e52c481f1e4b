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

[[nodiscard]] ndarray full(const dims& shape, const scalar& value, dtype type, device where);
/// Zeros of the shape and dtype of an array, on its device.
[[nodiscard]] ndarray zeros_like(const ndarray& x);
/// `dtype` is chosen by the scalars if empty. Throws value_error for a zero step, overflow_error,
/// shape_error for too many elements.
[[nodiscard]] ndarray arange(const scalar& start, const scalar& stop, const scalar& step,
                             std::optional<dtype> type, device where);
/// Complex endpoints are allowed with a complex dtype. The last element is exactly `stop` with
/// `endpoint`.
[[nodiscard]] ndarray linspace(const scalar& start, const scalar& stop, std::int64_t num,
                               std::optional<dtype> type, device where, bool endpoint);
[[nodiscard]] ndarray eye(std::int64_t rows, std::int64_t columns, std::int64_t k, dtype type,
                          device where);
[[nodiscard]] ndarray tril(const ndarray& x, std::int64_t k);
[[nodiscard]] ndarray triu(const ndarray& x, std::int64_t k);
/// Views of the inputs where those suffice, by the standard's 'xy' or 'ij' indexing; inputs are at
/// most 1-D.
[[nodiscard]] std::vector<ndarray> meshgrid(std::span<const ndarray> arrays, bool xy_indexing);

}  // namespace skerry
