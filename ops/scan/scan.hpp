// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"

namespace skerry {

/// Position in ops::scans.
enum class scan_id : std::int8_t { cumulative_prod, cumulative_sum };

/// Running sums or products along `axis`, which may be left out for one axis only. The identity
/// comes first with `include_initial`. Throws axis_error, dtype_error, value_error.
[[nodiscard]] ndarray scan(scan_id op, const ndarray& x, std::optional<std::int64_t> axis,
                           std::optional<dtype> type, bool include_initial);

}  // namespace skerry
