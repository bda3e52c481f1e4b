// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/reduce/reduce.hpp"

#include <optional>
#include <span>

#include "bench/kernels/benchmarks.hpp"
#include "ops/reduce/reduction_table.hpp"

namespace skerry::bench {

Benchmarks reduce_benchmarks() {
  struct Function {
    const char* name;
    std::vector<Dtype> dtypes;
  };
  Benchmarks result;
  for (const Function& function :
       {Function{"sum", numeric}, Function{"max", numeric}, Function{"argmax", numeric},
        Function{"all", {Dtype::bool_}}, Function{"var", floating}}) {
    const reduction_id op = find_reduction(function.name).value();
    const auto along = [op](std::int64_t axis) {
      return [op, axis](const Point& /*point*/, const Arrays& a) {
        return reduce(op, a[0], std::span(&axis, 1), std::nullopt, false);
      };
    };
    const std::string name = function.name;
    result.push_back({name, function.dtypes, vectors<>, [op](const Point&, const Arrays& a) {
                        return reduce(op, a[0], std::nullopt, std::nullopt, false);
                      }});
    result.push_back({name + "_axis_0", function.dtypes, matrices<>, along(0)});
    result.push_back({name + "_axis_1", function.dtypes, matrices<>, along(1)});
  }
  return result;
}

}  // namespace skerry::bench
