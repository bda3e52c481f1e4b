// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/arithmetic.hpp"

#include "device/transfer.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/move/copy.hpp"
#include "ops/reduce/kernels.hpp"
#include "ops/reduce/reduce.hpp"

namespace skerry::linalg {
namespace {

template <class Op>
ndarray unary(const ndarray& x) {
  const operand one[] = {{.array = &x}};
  return apply(op_id_of<Op>, one);
}

template <class Op>
ndarray binary(const ndarray& x1, const ndarray& x2) {
  const operand both[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}

template <class Op>
ndarray binary(const ndarray& x1, const scalar& x2) {
  const operand both[] = {{.array = &x1, .name = "x1"}, {.value = &x2, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}

template <class Op>
ndarray reduced(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduce(ops::index_of<Op, ops::reductions>, x, axes, std::nullopt, keepdims);
}

}  // namespace

ndarray abs(const ndarray& x) { return unary<ops::abs>(x); }
ndarray conj(const ndarray& x) { return unary<ops::conj>(x); }
ndarray isfinite(const ndarray& x) { return unary<ops::isfinite>(x); }
ndarray real(const ndarray& x) { return unary<ops::real>(x); }
ndarray reciprocal(const ndarray& x) { return unary<ops::reciprocal>(x); }
ndarray sqrt(const ndarray& x) { return unary<ops::sqrt>(x); }

ndarray widened(const ndarray& x) { return astype(x, computed_in(x.dtype()), false); }

ndarray add(const ndarray& x1, const ndarray& x2) { return binary<ops::add>(x1, x2); }
ndarray divide(const ndarray& x1, const ndarray& x2) { return binary<ops::divide>(x1, x2); }
ndarray greater(const ndarray& x1, const ndarray& x2) { return binary<ops::greater>(x1, x2); }
ndarray logical_and(const ndarray& x1, const ndarray& x2) {
  return binary<ops::logical_and>(x1, x2);
}
ndarray multiply(const ndarray& x1, const ndarray& x2) { return binary<ops::multiply>(x1, x2); }
ndarray subtract(const ndarray& x1, const ndarray& x2) { return binary<ops::subtract>(x1, x2); }
ndarray greater(const ndarray& x1, const scalar& x2) { return binary<ops::greater>(x1, x2); }
ndarray multiply(const ndarray& x1, const scalar& x2) { return binary<ops::multiply>(x1, x2); }
ndarray not_equal(const ndarray& x1, const scalar& x2) { return binary<ops::not_equal>(x1, x2); }
ndarray pow(const ndarray& x1, const scalar& x2) { return binary<ops::pow>(x1, x2); }

ndarray where(const ndarray& condition, const ndarray& x1, const scalar& x2) {
  return skerry::where({.array = &condition, .name = "condition"}, {.array = &x1, .name = "x1"},
                       {.value = &x2, .name = "x2"});
}
ndarray where(const ndarray& condition, const ndarray& x1, const ndarray& x2) {
  return skerry::where({.array = &condition, .name = "condition"}, {.array = &x1, .name = "x1"},
                       {.array = &x2, .name = "x2"});
}

ndarray all(const ndarray& x) {
  return reduce(ops::index_of<ops::all, ops::reductions>, x, std::nullopt, std::nullopt, false);
}
ndarray all(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::all>(x, axes, keepdims);
}
ndarray any(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::any>(x, axes, keepdims);
}
ndarray max(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::max>(x, axes, keepdims);
}
ndarray min(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::min>(x, axes, keepdims);
}
ndarray sum(const ndarray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::sum>(x, axes, keepdims);
}

bool is_true(const ndarray& x) {
  bool answer = false;
  read_bytes(&answer, x.memory(), static_cast<std::size_t>(x.layout().offset), 1);
  return answer;
}

}  // namespace skerry::linalg
