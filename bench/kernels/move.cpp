// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/move/copy.hpp"

#include <optional>

#include "bench/kernels/benchmarks.hpp"
#include "ops/move/join.hpp"
#include "ops/move/rearrange.hpp"
#include "ops/move/views.hpp"

namespace skerry::bench {
namespace {

constexpr std::int64_t both_axes[] = {2, 2};
constexpr std::int64_t shift[] = {7};

}  // namespace

Benchmarks move_benchmarks() {
  const std::vector<Dtype> moved = {Dtype::int8, Dtype::float32, Dtype::float64};
  return {
      {"copy", moved, vectors<>, [](const Point&, const Arrays& a) { return copy(a[0]); }},
      {"copy_transposed", moved, matrices<>,
       [](const Point&, const Arrays& a) { return copy_c_order(transpose(a[0])); }},
      {"copy_reversed", moved, vectors<>,
       [](const Point&, const Arrays& a) { return copy(flip(a[0], std::nullopt)); }},
      {"to_float32",
       {Dtype::int32, Dtype::int64, Dtype::float64},
       vectors<>,
       [](const Point&, const Arrays& a) { return astype(a[0], Dtype::float32, false); }},
      {"concat_axis_0", moved, matrices<2>,
       [](const Point&, const Arrays& a) { return concat(a, 0); }},
      {"concat_axis_1", moved, matrices<2>,
       [](const Point&, const Arrays& a) { return concat(a, 1); }},
      {"stack_last", moved, vectors<2>, [](const Point&, const Arrays& a) { return stack(a, -1); }},
      {"tile", moved, matrices<>,
       [](const Point&, const Arrays& a) { return tile(a[0], both_axes); }},
      {"repeat", moved, vectors<>,
       [](const Point&, const Arrays& a) { return repeat(a[0], 2, 0); }},
      {"roll", moved, vectors<>,
       [](const Point&, const Arrays& a) { return roll(a[0], shift, std::nullopt); }},
  };
}

}  // namespace skerry::bench
