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
NdArray unary(const NdArray& x) {
  const Operand one[] = {{.array = &x}};
  return apply(op_id_of<Op>, one);
}

template <class Op>
NdArray binary(const NdArray& x1, const NdArray& x2) {
  const Operand both[] = {{.array = &x1, .name = "x1"}, {.array = &x2, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}

template <class Op>
NdArray binary(const NdArray& x1, const Scalar& x2) {
  const Operand both[] = {{.array = &x1, .name = "x1"}, {.value = &x2, .name = "x2"}};
  return apply(op_id_of<Op>, both);
}

template <class Op>
NdArray reduced(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduce(ops::index_of<Op, ops::reductions>, x, axes, std::nullopt, keepdims);
}

}  // namespace

NdArray abs(const NdArray& x) { return unary<ops::abs>(x); }
NdArray conj(const NdArray& x) { return unary<ops::conj>(x); }
NdArray isfinite(const NdArray& x) { return unary<ops::isfinite>(x); }
NdArray real(const NdArray& x) { return unary<ops::real>(x); }
NdArray reciprocal(const NdArray& x) { return unary<ops::reciprocal>(x); }
NdArray sqrt(const NdArray& x) { return unary<ops::sqrt>(x); }

NdArray widened(const NdArray& x) { return astype(x, computed_in(x.dtype()), false); }

NdArray add(const NdArray& x1, const NdArray& x2) { return binary<ops::add>(x1, x2); }
NdArray divide(const NdArray& x1, const NdArray& x2) { return binary<ops::divide>(x1, x2); }
NdArray greater(const NdArray& x1, const NdArray& x2) { return binary<ops::greater>(x1, x2); }
NdArray logical_and(const NdArray& x1, const NdArray& x2) {
  return binary<ops::logical_and>(x1, x2);
}
NdArray multiply(const NdArray& x1, const NdArray& x2) { return binary<ops::multiply>(x1, x2); }
NdArray subtract(const NdArray& x1, const NdArray& x2) { return binary<ops::subtract>(x1, x2); }
NdArray greater(const NdArray& x1, const Scalar& x2) { return binary<ops::greater>(x1, x2); }
NdArray multiply(const NdArray& x1, const Scalar& x2) { return binary<ops::multiply>(x1, x2); }
NdArray not_equal(const NdArray& x1, const Scalar& x2) { return binary<ops::not_equal>(x1, x2); }
NdArray pow(const NdArray& x1, const Scalar& x2) { return binary<ops::pow>(x1, x2); }

NdArray where(const NdArray& condition, const NdArray& x1, const Scalar& x2) {
  return skerry::where({.array = &condition, .name = "condition"}, {.array = &x1, .name = "x1"},
                       {.value = &x2, .name = "x2"});
}
NdArray where(const NdArray& condition, const NdArray& x1, const NdArray& x2) {
  return skerry::where({.array = &condition, .name = "condition"}, {.array = &x1, .name = "x1"},
                       {.array = &x2, .name = "x2"});
}

NdArray all(const NdArray& x) {
  return reduce(ops::index_of<ops::all, ops::reductions>, x, std::nullopt, std::nullopt, false);
}
NdArray all(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::all>(x, axes, keepdims);
}
NdArray any(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::any>(x, axes, keepdims);
}
NdArray max(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::max>(x, axes, keepdims);
}
NdArray min(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::min>(x, axes, keepdims);
}
NdArray sum(const NdArray& x, std::span<const std::int64_t> axes, bool keepdims) {
  return reduced<ops::sum>(x, axes, keepdims);
}

bool is_true(const NdArray& x) {
  bool value = false;
  read_bytes(&value, x.memory(), static_cast<std::size_t>(x.layout().offset), 1);
  return value;
}

}  // namespace skerry::linalg
