// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/create/create.hpp"

#include "bench/kernels/benchmarks.hpp"
#include "ops/call/result.hpp"

namespace skerry::bench {
namespace {

Scalar number(std::int64_t value) { return Scalar::from_value(value); }

}  // namespace

Benchmarks create_benchmarks() {
  return {
      // Allocation only: no kernel runs.
      {"empty",
       {Dtype::float64},
       no_operands,
       [](const Point& p, const Arrays&) { return empty({p.size}, p.dtype, p.device); }},
      {"full", numeric, no_operands,
       [](const Point& p, const Arrays&) { return full({p.size}, number(3), p.dtype, p.device); }},
      {"arange", numeric, no_operands,
       [](const Point& p, const Arrays&) {
         return arange(number(0), number(p.size), number(1), p.dtype, p.device);
       }},
      {"linspace", floating, no_operands,
       [](const Point& p, const Arrays&) {
         return linspace(number(0), number(1), p.size, p.dtype, p.device, true);
       }},
      {"eye", numeric, no_operands,
       [](const Point& p, const Arrays&) { return eye(side(p), side(p), 0, p.dtype, p.device); }},
      {"tril", numeric, matrices<>, [](const Point&, const Arrays& a) { return tril(a[0], 0); }},
  };
}

}  // namespace skerry::bench
