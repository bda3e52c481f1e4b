// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0

#include "ops/elementwise/apply.hpp"

#include "bench/kernels/benchmarks.hpp"
#include "ops/elementwise/op_table.hpp"
#include "ops/move/views.hpp"

namespace skerry::bench {
namespace {

const std::vector<Dtype> added = {Dtype::int8, Dtype::int64, Dtype::float32, Dtype::float64,
                                  Dtype::complex64};

/// Returns a function that applies an operation to all operands, one or two.
auto calling(const char* name) {
  const op_id op = find_op(name).value();
  return [op](const Point& /*point*/, const Arrays& arrays) {
    Operand operands[2];
    for (std::size_t i = 0; i < arrays.size(); ++i) operands[i].array = &arrays[i];
    return skerry::apply(op, {operands, arrays.size()});
  };
}

/// Returns a function that adds `other(operand)` to the operand.
template <class Other>
auto adding(Other other) {
  return [add = calling("add"), other](const Point& point, const Arrays& a) {
    return add(point, {a[0], other(a[0])});
  };
}

NdArray add_scalar(const Point& /*point*/, const Arrays& a) {
  static const op_id op = find_op("add").value();
  const Scalar one = Scalar::from_value(std::int64_t{1});
  const Operand operands[] = {{.array = a.data()}, {.value = &one}};
  return skerry::apply(op, operands);
}

NdArray add_into(const Point& /*point*/, const Arrays& a) {
  static const op_id op = find_op("add").value();
  const Operand operands[] = {{.array = a.data()}, {.array = &a[1]}};
  apply_into(op, a[0], operands);
  return a[0];
}

Arrays condition_and_vectors(const Point& point) {
  Arrays result = vectors<2>(point);
  result.insert(result.begin(), random_array(point, {point.size}, Dtype::bool_));
  return result;
}

}  // namespace

Benchmarks elementwise_benchmarks() {
  return {
      {"add", added, vectors<2>, calling("add")},
      {"add_scalar", numeric, vectors<>, add_scalar},
      {"add_into", numeric, vectors<2>, add_into},
      {"add_row", numeric, matrices<>,
       adding([](const NdArray& x) { return slice_of(x, 0, 0, 1); })},
      {"add_column", numeric, matrices<>,
       adding([](const NdArray& x) { return slice_of(x, 1, 0, 1); })},
      {"add_transposed", numeric, matrices<>,
       adding([](const NdArray& x) { return transpose(x); })},
      {"divide", floating, vectors<2>, calling("divide")},
      {"less", numeric, vectors<2>, calling("less")},
      {"sqrt", floating, vectors<>, calling("sqrt")},
      {"exp", floating, vectors<>, calling("exp")},
      {"sin", floating, vectors<>, calling("sin")},
      {"pow", floating, vectors<2>, calling("pow")},
      {"where", numeric, condition_and_vectors,
       [](const Point&, const Arrays& a) {
         return skerry::where({.array = a.data()}, {.array = &a[1]}, {.array = &a[2]});
       }},
  };
}

}  // namespace skerry::bench
