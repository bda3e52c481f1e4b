// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/scalar_conversion.hpp"
#include "ops/call/device_dtypes.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/create/sequence.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

Dtype linspace_dtype(const Scalar& start, const Scalar& stop, std::optional<Dtype> type,
                     Device device) {
  const bool is_complex = start.kind == ScalarKind::complex || stop.kind == ScalarKind::complex;
  const Dtype dtype =
      type.value_or(default_dtype_on(device, is_complex ? default_complex : default_real));
  if (!is_floating(dtype) && promotion_is_strict()) {
    throw DtypeError(std::string("dtype must be floating, not ") + name(dtype));
  }
  if (is_complex && kind(dtype) != DtypeKind::complex_floating) {
    throw DtypeError(std::string("complex start or stop can't be converted to ") + name(dtype) +
                     "; use complex128");
  }
  return dtype;
}

/// The number of elements, and whether the last one is `stop`. Without the endpoint, there is one
/// more interval, as in a linspace of num + 1 elements.
struct Spacing {
  std::int64_t num;
  bool endpoint;
  Device device;

  [[nodiscard]] std::int64_t intervals() const {
    return std::max<std::int64_t>(1, endpoint ? num - 1 : num);
  }
  [[nodiscard]] bool has_last() const { return endpoint && num > 1; }
};

// Integers: start + i * (stop - start) / intervals, computed exactly and rounded down.

template <class Op>
NdArray call(std::initializer_list<Operand> operands) {
  return apply(op_id_of<Op>, {operands.begin(), operands.size()});
}

/// Reinterprets an array as another dtype of the same size.
NdArray view_as(const NdArray& x, Dtype type) { return {x.memory(), x.layout(), type}; }

/// Rounds a quotient towards negative infinity; the divisor is positive.
wide_int floor_quotient(wide_int x, std::int64_t divisor) {
  return x / divisor - static_cast<wide_int>(x % divisor < 0);
}

/// Computes floor((first + i * distance) / divisor) for consecutive elements of one sign: the
/// magnitudes of the elements.
struct Quotients {
  wide_int first;     ///< dividend of the first element; not negative
  wide_int distance;  ///< increment of the dividend; may be negative
  std::int64_t divisor;

  /// Returns `size` quotients as int64; those above its range have the bits of uint64.
  [[nodiscard]] NdArray take(std::int64_t size, Device device) const {
    // Quotient and remainder are separate sequences, so that each fits 64 bits.
    const wide_int step = floor_quotient(distance, divisor);
    const wide_int rest = distance - step * divisor;
    const Progression whole{.start = integer_element(first / divisor),
                            .step = integer_element(step)};
    NdArray quotients = run_sequence(size, Dtype::int64, device, whole);
    if (rest == 0) return quotients;
    const Progression parts{.start = integer_element(first % divisor),
                            .step = integer_element(rest)};
    const NdArray dividends = run_sequence(size, Dtype::uint64, device, parts);
    const Scalar divisor_scalar = Scalar::from_value(divisor);
    const NdArray carried = view_as(
        call<ops::floor_divide>({{.array = &dividends}, {.value = &divisor_scalar}}), Dtype::int64);
    return call<ops::add>({{.array = &quotients}, {.array = &carried}});
  }
};

NdArray integer_linspace(wide_int start, wide_int stop, Dtype type, const Spacing& spacing) {
  const std::int64_t divisor = spacing.intervals();
  const wide_int distance = stop - start;
  NdArray result = empty(Dims{spacing.num}, type, spacing.device);
  if (spacing.num == 0) return result;
  const wide_int last = start * divisor + (spacing.num - 1) * distance;
  require_in_range(start, type);
  require_in_range(floor_quotient(last, divisor), type);
  // After this many steps, the sum of the remainders still fits 64 bits.
  const std::int64_t max_steps = std::max<std::int64_t>(1, INT64_MAX / divisor);
  for (std::int64_t begin = 0; begin < spacing.num;) {
    const wide_int first = start * divisor + begin * distance;
    const bool negative = first < 0;
    // The block ends before the first element of the other sign.
    const bool turns = distance != 0 && negative == (distance > 0);
    wide_int size = std::min<wide_int>(spacing.num - begin, max_steps);
    if (turns) size = std::min(size, (-first) / distance + 1);
    const auto count = static_cast<std::int64_t>(size);
    // The magnitudes of negative elements are rounded up.
    const Quotients sizes = negative ? Quotients{divisor - 1 - first, -distance, divisor}
                                     : Quotients{first, distance, divisor};
    const NdArray magnitudes = sizes.take(count, spacing.device);
    const NdArray values = negative ? call<ops::negative>({{.array = &magnitudes}}) : magnitudes;
    const NdArray bits = type == Dtype::uint64 ? view_as(values, type) : values;
    if (count == spacing.num) return astype(bits, type, false);
    assign(slice_of(result, 0, begin, count), astype(bits, type, false));
    begin += count;
  }
  return result;
}

/// Computes floats with the kernel. The step must neither overflow nor be subnormal.
NdArray kernel_linspace(complex128 start, complex128 stop, Dtype type, const Spacing& spacing) {
  const auto intervals = static_cast<double>(spacing.intervals());
  const complex128 step{(stop.re - start.re) / intervals, (stop.im - start.im) / intervals};
  return run_sequence(spacing.num, type, spacing.device,
                      {.start = floating_element(type, start),
                       .step = floating_element(type, step),
                       .last = floating_element(type, stop),
                       .has_last = spacing.has_last()});
}

bool has_normal_step(double start, double stop, const Spacing& spacing) {
  const double distance = stop - start;
  return distance == 0 || std::isnormal(distance / static_cast<double>(spacing.intervals()));
}

/// Handles infinite or NaN ends: each element between them is their mean, which is infinite or NaN.
NdArray infinite_linspace(double start, double stop, const Spacing& spacing) {
  const NdArray result = full(Dims{spacing.num}, Scalar::from_value(0.5 * start + 0.5 * stop),
                              Dtype::float64, spacing.device);
  const auto set = [&](std::int64_t index, double value) {
    assign(slice_of(result, 0, index, 1),
           full(Dims{1}, Scalar::from_value(value), Dtype::float64, spacing.device));
  };
  if (spacing.num > 0) set(0, start);
  if (spacing.has_last()) set(spacing.num - 1, stop);
  return result;
}

NdArray real_linspace(double start, double stop, const Spacing& spacing) {
  if (has_normal_step(start, stop, spacing)) {
    return kernel_linspace({start, 0}, {stop, 0}, Dtype::float64, spacing);
  }
  if (!std::isfinite(start) || !std::isfinite(stop)) return infinite_linspace(start, stop, spacing);
  // Scaling by a power of 2 is exact: up if the step is subnormal, as then both ends are tiny, or
  // down if stop - start overflows.
  const double scale = std::isfinite(stop - start) ? 0x1p512 : 0x1p-2;
  const NdArray scaled =
      kernel_linspace({start * scale, 0}, {stop * scale, 0}, Dtype::float64, spacing);
  const Scalar unscale = Scalar::from_value(1 / scale);
  return call<ops::multiply>({{.array = &scaled}, {.value = &unscale}});
}

/// Returns a view of the real or the imaginary parts of an array of complex128.
NdArray parts_of(const NdArray& x, bool imaginary) {
  Layout layout = x.layout();
  layout.offset += imaginary ? 8 : 0;
  return {x.memory(), std::move(layout), Dtype::float64};
}

NdArray floating_linspace(complex128 start, complex128 stop, Dtype type, const Spacing& spacing) {
  if (has_normal_step(start.re, stop.re, spacing) && has_normal_step(start.im, stop.im, spacing)) {
    return kernel_linspace(start, stop, type, spacing);
  }
  const NdArray reals = real_linspace(start.re, stop.re, spacing);
  if (kind(type) == DtypeKind::real_floating) return astype(reals, type, false);
  const NdArray result = empty(Dims{spacing.num}, Dtype::complex128, spacing.device);
  assign(parts_of(result, false), reals);
  assign(parts_of(result, true), real_linspace(start.im, stop.im, spacing));
  return astype(result, type, false);
}

complex128 complex_value(const Scalar& x) {
  return {real_of(x), x.kind == ScalarKind::complex ? x.imag : 0};
}

}  // namespace

NdArray linspace(const Scalar& start, const Scalar& stop, std::int64_t num,
                 std::optional<Dtype> type, Device device, bool endpoint) {
  const Dtype dtype = linspace_dtype(start, stop, type, device);
  if (num < 0) {
    throw ValueError("num must not be negative: " + std::to_string(num));
  }
  const Spacing spacing{num, endpoint, device};
  if (is_floating(dtype)) {
    return floating_linspace(complex_value(start), complex_value(stop), dtype, spacing);
  }
  const std::optional<wide_int> first = whole(start);
  const std::optional<wide_int> last = whole(stop);
  if (is_integer(dtype) && first && last) return integer_linspace(*first, *last, dtype, spacing);
  const double real_start = real_of(start);
  const double real_stop = real_of(stop);
  const double reached =
      spacing.has_last()
          ? real_stop
          : real_start + static_cast<double>(num - 1) *
                             ((real_stop - real_start) / static_cast<double>(spacing.intervals()));
  const bool rounds = is_integer(dtype);
  for (const double end : {real_start, reached}) {
    const Scalar element = Scalar::from_value(rounds ? std::floor(end) : end);
    if (num > 0) static_cast<void>(to_element(cast_scalar(element, dtype), dtype));
  }
  const NdArray elements = real_linspace(real_start, real_stop, spacing);
  return astype(rounds ? call<ops::floor>({{.array = &elements}}) : elements, dtype, false);
}

}  // namespace skerry
