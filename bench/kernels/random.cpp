// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/random/random.hpp"

#include "bench/kernels/benchmarks.hpp"
#include "ops/call/result.hpp"

namespace skerry::bench {
namespace {

/// Returns a function that draws elements of a distribution with up to two parameters.
auto drawing(RandomMethod method, double a = 0, double b = 0) {
  return [method, a, b](const Point& point, const Arrays& /*operands*/) {
    NdArray result = empty({point.size}, point.dtype, point.device);
    draw(result, method, {.key = 1, .position = 0, .tail = 0}, {.a = a, .b = b, .span = 999});
    return result;
  };
}

}  // namespace

Benchmarks random_benchmarks() {
  const std::vector<Dtype> counted = {Dtype::int64};
  return {
      {"bits", {Dtype::uint32, Dtype::uint64}, no_operands, drawing(RandomMethod::bits)},
      {"uniform", floating, no_operands, drawing(RandomMethod::uniform)},
      {"normal", floating, no_operands, drawing(RandomMethod::normal)},
      {"exponential", floating, no_operands, drawing(RandomMethod::exponential)},
      {"below_1000", {Dtype::int32, Dtype::int64}, no_operands, drawing(RandomMethod::integer)},
      {"gamma", {Dtype::float64}, no_operands, drawing(RandomMethod::gamma, 2.5)},
      {"poisson", counted, no_operands, drawing(RandomMethod::poisson, 10)},
      {"binomial", counted, no_operands, drawing(RandomMethod::binomial, 100, 0.3)},
  };
}

}  // namespace skerry::bench
