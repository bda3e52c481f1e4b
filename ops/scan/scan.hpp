// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"

namespace skerry {

/// Position in ops::scans.
enum class ScanId : std::int8_t { cumulative_prod, cumulative_sum };

/// Running sums or products along `axis`, which may be left out for one axis only. The identity
/// comes first with `include_initial`. Throws AxisError, DtypeError, ValueError.
[[nodiscard]] NdArray scan(ScanId op, const NdArray& x, std::optional<std::int64_t> axis,
                           std::optional<Dtype> type, bool include_initial);

}  // namespace skerry
