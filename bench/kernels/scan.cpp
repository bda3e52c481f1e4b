// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/scan/scan.hpp"

#include <optional>

#include "bench/kernels/benchmarks.hpp"
#include "ops/scan/diff.hpp"

namespace skerry::bench {
namespace {

auto along(ScanId op, std::int64_t axis) {
  return [op, axis](const Point& point, const Arrays& a) {
    return scan(op, a[0], axis, point.dtype, false);
  };
}

}  // namespace

Benchmarks scan_benchmarks() {
  return {
      {"cumulative_sum", numeric, vectors<>, along(ScanId::cumulative_sum, 0)},
      {"cumulative_sum_axis_0", numeric, matrices<>, along(ScanId::cumulative_sum, 0)},
      {"cumulative_sum_axis_1", numeric, matrices<>, along(ScanId::cumulative_sum, 1)},
      {"cumulative_prod", numeric, vectors<>, along(ScanId::cumulative_prod, 0)},
      {"diff", numeric, vectors<>,
       [](const Point&, const Arrays& a) { return diff(a[0], 0, 1, nullptr, nullptr); }},
  };
}

}  // namespace skerry::bench
