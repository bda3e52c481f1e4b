// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/create/sequence.hpp"

#include <cmath>
#include <string>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "device/stream.hpp"
#include "ops/call/enqueue.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/create/kernels.hpp"

namespace skerry {

double real_of(const scalar& x) {
  if (x.kind == scalar_kind::boolean) return x.boolean ? 1 : 0;
  if (x.kind != scalar_kind::integer || x.out_of_range) return x.real;
  return x.is_unsigned ? static_cast<double>(x.as_unsigned) : static_cast<double>(x.integer);
}

std::optional<wide_int> whole(const scalar& x) {
  switch (x.kind) {
    case scalar_kind::boolean:
      return wide_int{x.boolean};
    case scalar_kind::integer:
      if (x.out_of_range) return std::nullopt;
      return x.is_unsigned ? wide_int{x.as_unsigned} : wide_int{x.integer};
    case scalar_kind::real:
      if (std::trunc(x.real) != x.real || std::abs(x.real) > 0x1p63) return std::nullopt;
      return static_cast<wide_int>(x.real);
    case scalar_kind::complex:
      return std::nullopt;
  }
  __builtin_unreachable();
}

namespace {

scalar scalar_of(wide_int value) {
  if (value < INT64_MIN || value > wide_int{UINT64_MAX}) {
    return scalar::of_out_of_range(static_cast<double>(value));
  }
  return value < 0 ? scalar::of(static_cast<std::int64_t>(value))
                   : scalar::of_unsigned(static_cast<std::uint64_t>(value));
}

bool is_exact(const scalar& x) {
  return x.kind == scalar_kind::boolean || x.kind == scalar_kind::integer;
}

[[noreturn]] void reject_size(const char* op) {
  throw shape_error(std::string(op) + ": too many elements; at most 2^63 - 1 are possible");
}

/// ceil((stop - start) / step), not below zero, exactly.
std::int64_t exact_count(wide_int start, wide_int stop, wide_int step) {
  const wide_int distance = step > 0 ? stop - start : start - stop;
  const wide_int stride = step > 0 ? step : -step;
  if (distance <= 0) return 0;
  const wide_int count = (distance - 1) / stride + 1;
  if (count > INT64_MAX) reject_size("arange");
  return static_cast<std::int64_t>(count);
}

std::int64_t rounded_count(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (std::isnan(count)) {
    throw value_error("arange: no number of elements: start " + std::to_string(start) + ", stop " +
                      std::to_string(stop) + ", step " + std::to_string(step));
  }
  if (count >= 0x1p63) reject_size("arange");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

}  // namespace

void require_in_range(const char* op, wide_int value, dtype type) {
  static_cast<void>(to_element(op, scalar_of(value), type));
}

element integer_element(wide_int value) { return element::of(static_cast<std::uint64_t>(value)); }

element floating_element(dtype type, complex128 value) {
  return kind(type) == dtype_kind::complex_floating ? element::of(value) : element::of(value.re);
}

ndarray run_sequence(const char* op, std::int64_t size, dtype type, device where,
                     sequence_params params) {
  const kernel& entry = require_kernel(
      op, kernels<sequence_kernels>(where).loop[static_cast<int>(type)], type, where);
  ndarray out = empty(op, dims{size}, type, where);
  params.output = out.data();
  params.size = size;
  if (size > 0) {
    const memory_use uses[] = {writes(out)};
    launch(where, entry, params, uses);
  }
  return out;
}

namespace {

ndarray integer_arange(const scalar& start, const scalar& stop, const scalar& step, dtype type,
                       device where) {
  const auto value_of = [&](const scalar& x, const char* which) {
    if (const std::optional<wide_int> value = whole(x)) return *value;
    if (x.out_of_range) {
      throw overflow_error(std::string("arange: ") + which + " does not fit 64 bits");
    }
    throw dtype_error(std::string("arange: ") + which + " is not a whole number, but dtype is " +
                      name(type) + "; leave dtype out, or make it float64");
  };
  const wide_int first = value_of(start, "start");
  const wide_int stride = value_of(step, "step");
  const std::int64_t count = exact_count(first, value_of(stop, "stop"), stride);
  if (count > 0) {
    require_in_range("arange", first, type);
    require_in_range("arange", first + (count - 1) * stride, type);
  }
  sequence_params params{};
  params.start = integer_element(first);
  params.step = integer_element(stride);
  return run_sequence("arange", count, type, where, params);
}

ndarray floating_arange(const scalar& start, const scalar& stop, const scalar& step, dtype type,
                        device where) {
  const std::optional<wide_int> first = whole(start);
  const std::optional<wide_int> last = whole(stop);
  const std::optional<wide_int> stride = whole(step);
  const bool exact = first && last && stride && is_exact(start) && is_exact(stop) && is_exact(step);
  const std::int64_t count = exact ? exact_count(*first, *last, *stride)
                                   : rounded_count(real_of(start), real_of(stop), real_of(step));
  sequence_params params{};
  params.start = floating_element(type, {real_of(start), 0});
  params.step = floating_element(type, {real_of(step), 0});
  return run_sequence("arange", count, type, where, params);
}

}  // namespace

ndarray arange(const scalar& start, const scalar& stop, const scalar& step,
               std::optional<dtype> type, device where) {
  for (const scalar* x : {&start, &stop, &step}) {
    if (x->kind == scalar_kind::complex) {
      throw dtype_error("arange: start, stop and step must be real");
    }
  }
  if (real_of(step) == 0) throw value_error("arange: step is zero");
  const bool exact = is_exact(start) && is_exact(stop) && is_exact(step);
  const dtype chosen = type.value_or(exact ? default_integer : default_real);
  if (chosen == dtype::bool_) throw dtype_error("arange: dtype must be numeric, not bool");
  return is_integer(chosen) ? integer_arange(start, stop, step, chosen, where)
                            : floating_arange(start, stop, step, chosen, where);
}

}  // namespace skerry
