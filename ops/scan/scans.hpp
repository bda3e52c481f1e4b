// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/reductions.hpp"

namespace skerry::inline SKERRY_TARGET::ops {

// A scan is declared once, by its reduction, which provides `load`, `combine` and the dtype table.

struct cumulative_prod {
  static constexpr const char* name = "cumulative_prod";
  using reduction = prod;
};

struct cumulative_sum {
  static constexpr const char* name = "cumulative_sum";
  using reduction = sum;
};

using scans = type_list<cumulative_prod, cumulative_sum>;

template <class Op, class T>
concept scans_over = reduces<typename Op::reduction, T>;
/// Accumulator type of a scan.
template <class Op, class T>
using scanned_t = accumulator_t<typename Op::reduction, T>;
/// Element type of a scan's result.
template <class Op, class T>
using scan_result_t = reduced_t<typename Op::reduction, T>;

}  // namespace skerry::inline SKERRY_TARGET::ops
