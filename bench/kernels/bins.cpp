// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/bins/bins.hpp"

#include "bench/kernels/benchmarks.hpp"
#include "ops/create/create.hpp"

namespace skerry::bench {
namespace {

constexpr std::int64_t bins = 256;

Arrays numbers(const Point& point) {
  return {random_array(point, {point.size}, point.dtype, bins)};
}

Arrays numbers_and_weights(const Point& point) {
  return {random_array(point, {point.size}, point.dtype, bins),
          random_array(point, {point.size}, Dtype::float64)};
}

Arrays vector_and_edges(const Point& point) {
  return {random_array(point, {point.size}, point.dtype),
          linspace(Scalar::from_value(0.0), Scalar::from_value(1.0), bins + 1, point.dtype,
                   point.device, true)};
}

}  // namespace

Benchmarks bins_benchmarks() {
  const std::vector<Dtype> integers = {Dtype::uint8, Dtype::int64};
  return {
      {"bincount", integers, numbers,
       [](const Point&, const Arrays& a) { return bincount(a[0], nullptr, bins); }},
      {"bincount_weights", integers, numbers_and_weights,
       [](const Point&, const Arrays& a) { return bincount(a[0], &a[1], bins); }},
      {"histogram", floating, vector_and_edges,
       [](const Point&, const Arrays& a) { return histogram(a[0], a[1], true, 0, 1); }},
      {"histogram_edges", floating, vector_and_edges,
       [](const Point&, const Arrays& a) { return histogram(a[0], a[1], false, 0, 1); }},
  };
}

}  // namespace skerry::bench
