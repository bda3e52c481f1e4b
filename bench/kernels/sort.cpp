// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/sort/sort.hpp"

#include <algorithm>
#include <span>

#include "bench/kernels/benchmarks.hpp"
#include "ops/sort/partial.hpp"
#include "ops/sort/searchsorted.hpp"
#include "ops/sort/set.hpp"

namespace skerry::bench {
namespace {

/// Returns rows of 100 elements, each of which fits in cache; one row of one element at size 1.
Arrays short_rows(const Point& point) {
  const std::int64_t length = std::min<std::int64_t>(point.size, 100);
  return {random_array(point, {point.size / length, length}, point.dtype)};
}

Arrays sorted_and_vector(const Point& point) {
  const NdArray x = random_array(point, {point.size}, point.dtype);
  return {sort(x, 0, false), x};
}

/// Returns numbers without a fraction, each of which occurs about ten times.
Arrays repeated(const Point& point) {
  return {random_array(point, {point.size}, point.dtype, point.size / 10 + 1)};
}

auto sort_along(std::int64_t axis) {
  return [axis](const Point& /*point*/, const Arrays& a) { return sort(a[0], axis, false); };
}

auto argsort_along(std::int64_t axis) {
  return [axis](const Point& /*point*/, const Arrays& a) { return argsort(a[0], axis, false); };
}

NdArray median_last(const Point& point, const Arrays& a) {
  const std::int64_t rank = point.size / 2;
  return partition(a[0], std::span(&rank, 1), 0, false);
}

NdArray hundred_largest(const Point& point, const Arrays& a) {
  return topk(a[0], std::min<std::int64_t>(point.size, 100), 0, true).values;
}

}  // namespace

Benchmarks sort_benchmarks() {
  const std::vector<Dtype> sorted = {Dtype::int8, Dtype::int32, Dtype::int64, Dtype::float32,
                                     Dtype::float64};
  return {
      {"sort", sorted, vectors<>, sort_along(0)},
      {"sort_short_rows", sorted, short_rows, sort_along(1)},
      {"sort_axis_0", numeric, matrices<>, sort_along(0)},
      {"sort_axis_1", numeric, matrices<>, sort_along(1)},
      {"argsort", sorted, vectors<>, argsort_along(0)},
      {"argsort_axis_1", numeric, matrices<>, argsort_along(1)},
      {"partition", numeric, vectors<>, median_last},
      {"topk", numeric, vectors<>, hundred_largest},
      {"searchsorted", numeric, sorted_and_vector,
       [](const Point&, const Arrays& a) {
         return searchsorted(a[0], {.array = &a[1]}, false, nullptr);
       }},
      {"unique", numeric, repeated,
       [](const Point&, const Arrays& a) { return unique(a[0], {.counts = true}).values; }},
      {"isin", numeric, vectors<2>,
       [](const Point&, const Arrays& a) {
         return isin({.array = a.data()}, {.array = &a[1]}, false);
       }},
  };
}

}  // namespace skerry::bench
