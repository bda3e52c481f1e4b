// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/create/sequence.hpp"

#include <cmath>
#include <string>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/kernels.hpp"
#include "ops/call/operand_list.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/create/kernels.hpp"

namespace skerry {

double real_of(const Scalar& x) {
  if (x.kind == ScalarKind::boolean) return x.boolean ? 1 : 0;
  if (x.kind != ScalarKind::integer || x.out_of_range) return x.real;
  return x.is_unsigned ? static_cast<double>(x.as_unsigned) : static_cast<double>(x.integer);
}

std::optional<wide_int> whole(const Scalar& x) {
  switch (x.kind) {
    case ScalarKind::boolean:
      return wide_int{x.boolean};
    case ScalarKind::integer:
      if (x.out_of_range) return std::nullopt;
      return x.is_unsigned ? wide_int{x.as_unsigned} : wide_int{x.integer};
    case ScalarKind::real:
      if (std::trunc(x.real) != x.real || std::abs(x.real) > 0x1p64) return std::nullopt;
      return static_cast<wide_int>(x.real);
    case ScalarKind::complex:
      return std::nullopt;
  }
  __builtin_unreachable();
}

namespace {

Scalar scalar_of(wide_int value) {
  if (value < INT64_MIN || value > wide_int{UINT64_MAX}) {
    return Scalar::of_out_of_range(static_cast<double>(value));
  }
  return value < 0 ? Scalar::from_value(static_cast<std::int64_t>(value))
                   : Scalar::of_unsigned(static_cast<std::uint64_t>(value));
}

bool is_exact(const Scalar& x) {
  return x.kind == ScalarKind::boolean || x.kind == ScalarKind::integer;
}

[[noreturn]] void reject_size() {
  throw ShapeError("too many elements; at most 2^63 - 1 are possible");
}

/// Returns max(0, ceil((stop - start) / step)), computed exactly.
std::int64_t exact_count(wide_int start, wide_int stop, wide_int step) {
  const wide_int distance = step > 0 ? stop - start : start - stop;
  const wide_int stride = step > 0 ? step : -step;
  if (distance <= 0) return 0;
  const wide_int count = (distance - 1) / stride + 1;
  if (count > INT64_MAX) reject_size();
  return static_cast<std::int64_t>(count);
}

/// Returns the same, computed in float64.
std::int64_t rounded_count(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (!std::isfinite(count)) {
    throw ValueError("start, stop and step give no finite length: " + std::to_string(start) + ", " +
                     std::to_string(stop) + ", " + std::to_string(step) + "; pass finite numbers");
  }
  if (count >= 0x1p63) reject_size();
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

}  // namespace

void require_in_range(wide_int value, Dtype type) {
  static_cast<void>(to_element(scalar_of(value), type));
}

Element integer_element(wide_int value) {
  return Element::from_value(static_cast<std::uint64_t>(value));
}

Element floating_element(Dtype type, complex128 value) {
  return kind(type) == DtypeKind::complex_floating ? Element::from_value(value)
                                                   : Element::from_value(value.re);
}

NdArray run_sequence(std::int64_t size, Dtype type, Device device, const Progression& elements) {
  const Kernel<SequenceParams>& kernel =
      require_kernel(kernels<SequenceKernels>(device).kernel[static_cast<int>(type)], type, device);
  NdArray out = empty(Dims{size}, type, device);
  if (size > 0) {
    launch(device, kernel, [&](OperandList& operands) {
      return SequenceParams{.output = operands(out),
                            .size = size,
                            .start = elements.start,
                            .step = elements.step,
                            .last = elements.last,
                            .has_last = elements.has_last};
    });
  }
  return out;
}

namespace {

NdArray integer_arange(const Scalar& start, const Scalar& stop, const Scalar& step, Dtype type,
                       Device device) {
  const auto value_of = [&](const Scalar& x, const char* argument_name) {
    if (const std::optional<wide_int> value = whole(x)) return *value;
    if (x.out_of_range || (x.kind == ScalarKind::real && std::trunc(x.real) == x.real)) {
      throw OverflowError(std::string(argument_name) + " does not fit 64 bits");
    }
    throw DtypeError(std::string(argument_name) + " is not a whole number, but dtype is " +
                     name(type) + "; omit dtype, or pass float64");
  };
  const wide_int first = value_of(start, "start");
  const wide_int stride = value_of(step, "step");
  const std::int64_t count = exact_count(first, value_of(stop, "stop"), stride);
  if (count > 0) {
    require_in_range(first, type);
    require_in_range(first + (count - 1) * stride, type);
  }
  return run_sequence(count, type, device,
                      {.start = integer_element(first), .step = integer_element(stride)});
}

NdArray floating_arange(const Scalar& start, const Scalar& stop, const Scalar& step, Dtype type,
                        Device device) {
  const std::optional<wide_int> first = whole(start);
  const std::optional<wide_int> last = whole(stop);
  const std::optional<wide_int> stride = whole(step);
  const bool exact = first && last && stride && is_exact(start) && is_exact(stop) && is_exact(step);
  const std::int64_t count = exact ? exact_count(*first, *last, *stride)
                                   : rounded_count(real_of(start), real_of(stop), real_of(step));
  return run_sequence(count, type, device,
                      {.start = floating_element(type, {real_of(start), 0}),
                       .step = floating_element(type, {real_of(step), 0})});
}

}  // namespace

NdArray arange(const Scalar& start, const Scalar& stop, const Scalar& step,
               std::optional<Dtype> type, Device device) {
  for (const Scalar* x : {&start, &stop, &step}) {
    if (x->kind == ScalarKind::complex) {
      throw TypeError("start, stop and step must be real numbers, not complex");
    }
  }
  if (real_of(step) == 0) throw ValueError("step must not be 0");
  const bool exact = is_exact(start) && is_exact(stop) && is_exact(step);
  const Dtype dtype =
      type.value_or(exact ? default_integer : default_dtype_on(device, default_real));
  if (dtype == Dtype::bool_) throw DtypeError("dtype must be numeric, not bool");
  return is_integer(dtype) ? integer_arange(start, stop, step, dtype, device)
                           : floating_arange(start, stop, step, dtype, device);
}

}  // namespace skerry
