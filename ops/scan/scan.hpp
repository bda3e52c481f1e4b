// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/ndarray.hpp"

namespace skerry {

/// Position in ops::scans.
enum class ScanId : std::int8_t { cumulative_prod, cumulative_sum };

/// Returns running sums or products along `axis`, which may be omitted for 1-D arrays. With
/// `include_initial`, the identity comes first. Throws AxisError, DtypeError, ValueError.
[[nodiscard]] NdArray scan(ScanId op, const NdArray& x, std::optional<std::int64_t> axis,
                           std::optional<Dtype> type, bool include_initial);

}  // namespace skerry
