// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ndarray.hpp"

/// Each family of ops has a table of calls; benchmarks.cpp measures them by dtype, size and device.
namespace skerry::bench {

/// What a benchmark is measured for.
struct Point {
  Dtype dtype;
  std::int64_t size;  ///< elements of an operand
  Device device;
};

using Arrays = std::vector<NdArray>;

struct Benchmark {
  std::string name;
  std::vector<Dtype> dtypes;
  Arrays (*operands)(const Point& point);
  std::function<NdArray(const Point& point, const Arrays& operands)> call;
  /// Numbers of elements, perfect squares for matrices: cost of a call, in cache, out of cache.
  std::vector<std::int64_t> sizes = {1, 10'000, 16'000'000};
};
using Benchmarks = std::vector<Benchmark>;

inline const std::vector<Dtype> numeric = {Dtype::float32, Dtype::float64, Dtype::int64};
inline const std::vector<Dtype> floating = {Dtype::float32, Dtype::float64};

/// Returns random numbers below `bound`, without a fraction; if it is 0, non-negative integers of
/// the full range, or floating-point numbers from 0 to 1.
NdArray random_array(const Point& point, const Dims& shape, Dtype dtype, std::uint64_t bound = 0);
/// Returns the extent of a square matrix with the point's number of elements.
std::int64_t side(const Point& point);

inline Arrays no_operands(const Point& /*point*/) { return {}; }
template <int Count = 1>
Arrays vectors(const Point& point) {
  Arrays result;
  for (int i = 0; i < Count; ++i) result.push_back(random_array(point, {point.size}, point.dtype));
  return result;
}
/// Returns random square matrices.
template <int Count = 1>
Arrays matrices(const Point& point) {
  const Dims shape{side(point), side(point)};
  Arrays result;
  for (int i = 0; i < Count; ++i) result.push_back(random_array(point, shape, point.dtype));
  return result;
}

Benchmarks bins_benchmarks();
Benchmarks create_benchmarks();
Benchmarks elementwise_benchmarks();
Benchmarks fourier_benchmarks();
Benchmarks linear_benchmarks();
Benchmarks move_benchmarks();
Benchmarks random_benchmarks();
Benchmarks reduce_benchmarks();
Benchmarks scan_benchmarks();
Benchmarks select_benchmarks();
Benchmarks sort_benchmarks();

}  // namespace skerry::bench
