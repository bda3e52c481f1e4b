// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/create/sequence.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"

namespace skerry {
namespace {

constexpr const char* op = "linspace";

dtype linspace_dtype(const scalar& start, const scalar& stop, std::optional<dtype> type) {
  const bool is_complex = start.kind == scalar_kind::complex || stop.kind == scalar_kind::complex;
  const dtype chosen = type.value_or(is_complex ? default_complex : default_real);
  if (!is_floating(chosen) && promotion_is_strict()) {
    throw dtype_error(std::string("linspace: dtype must be floating, not ") + name(chosen));
  }
  if (is_complex && kind(chosen) != dtype_kind::complex_floating) {
    throw dtype_error(std::string("linspace: complex ends do not go into ") + name(chosen) +
                      "; use complex128");
  }
  return chosen;
}

/// Without the end there is one interval more, as in linspace(num + 1): the same elements.
struct spacing {
  std::int64_t num;
  bool endpoint;
  device where;

  [[nodiscard]] std::int64_t intervals() const {
    return std::max<std::int64_t>(1, endpoint ? num - 1 : num);
  }
  [[nodiscard]] bool has_last() const { return endpoint && num > 1; }
};

// --- integers: start + i * (stop - start) / intervals, exact and truncated
// -------------------------

template <class Op>
ndarray call(std::initializer_list<operand> operands) {
  return apply(op_id_of<Op>, {operands.begin(), operands.size()});
}

/// The same bits.
ndarray seen_as(const ndarray& x, dtype type) { return {x.memory(), x.layout(), type}; }

/// |start * intervals + i * distance| / intervals, rounded down, for elements of one sign.
struct quotients {
  wide_int first;     ///< the dividend for the first of them
  wide_int distance;  ///< what it grows by, may be negative
  std::int64_t divisor;

  /// As int64, or uint64 of the same bits.
  [[nodiscard]] ndarray take(std::int64_t size, device where) const {
    // Quotient and remainder of the dividend grow apart: their products fit 64 bits.
    const auto floor_of = [this](wide_int x) {
      return x / divisor - static_cast<wide_int>(x % divisor < 0);
    };
    const wide_int step = floor_of(distance);
    const wide_int rest = distance - step * divisor;
    sequence_params whole{};
    whole.start = integer_element(first / divisor);
    whole.step = integer_element(step);
    ndarray found = run_sequence(op, size, dtype::int64, where, whole);
    if (rest == 0) return found;
    sequence_params parts{};
    parts.start = integer_element(first % divisor);
    parts.step = integer_element(rest);
    const ndarray dividends = run_sequence(op, size, dtype::uint64, where, parts);
    const scalar by = scalar::of(divisor);
    const ndarray carried =
        seen_as(call<ops::floor_divide>({{.array = &dividends}, {.value = &by}}), dtype::int64);
    return call<ops::add>({{.array = &found}, {.array = &carried}});
  }
};

ndarray integer_linspace(wide_int start, wide_int stop, dtype type, const spacing& how) {
  const std::int64_t divisor = how.intervals();
  const wide_int distance = stop - start;
  ndarray found = empty(op, dims{how.num}, type, how.where);
  if (how.num == 0) return found;
  const wide_int last = start * divisor + (how.num - 1) * distance;
  require_in_range(op, start, type);
  require_in_range(op, last / divisor, type);
  // A remainder that has grown by this many steps fits 64 bits.
  const std::int64_t most = std::max<std::int64_t>(1, INT64_MAX / divisor);
  for (std::int64_t begin = 0; begin < how.num;) {
    const wide_int first = start * divisor + begin * distance;
    const bool negative = first < 0;
    // To the element that is the first of the other sign.
    const bool turns = distance != 0 && negative == (distance > 0);
    wide_int size = std::min<wide_int>(how.num - begin, most);
    if (turns) size = std::min(size, (-first) / distance + 1);
    const auto count = static_cast<std::int64_t>(size);
    const quotients sizes{negative ? -first : first, negative ? -distance : distance, divisor};
    const ndarray each = sizes.take(count, how.where);
    const ndarray part = negative ? call<ops::negative>({{.array = &each}}) : each;
    const ndarray bits = type == dtype::uint64 ? seen_as(part, type) : part;
    if (count == how.num) return astype(bits, type, false);
    assign(op, slice_of(found, 0, begin, count), astype(bits, type, false));
    begin += count;
  }
  return found;
}

// --- floats --------------------------------------------------------------------------------------

/// By the kernel, whose step must neither overflow nor be subnormal.
ndarray plain_linspace(complex128 start, complex128 stop, dtype type, const spacing& how) {
  const auto intervals = static_cast<double>(how.intervals());
  sequence_params params{};
  params.start = floating_element(type, start);
  params.step =
      floating_element(type, {(stop.re - start.re) / intervals, (stop.im - start.im) / intervals});
  params.last = floating_element(type, stop);
  params.has_last = how.has_last();
  return run_sequence(op, how.num, type, how.where, params);
}

bool is_plain(double start, double stop, const spacing& how) {
  const double distance = stop - start;
  return distance == 0 || std::isnormal(distance / static_cast<double>(how.intervals()));
}

/// All elements between the ends are as their mean is: infinite, or NaN between both infinities.
ndarray infinite_linspace(double start, double stop, const spacing& how) {
  const ndarray found =
      full(dims{how.num}, scalar::of(0.5 * start + 0.5 * stop), dtype::float64, how.where);
  const auto set = [&](std::int64_t index, double value) {
    assign(op, slice_of(found, 0, index, 1),
           full(dims{1}, scalar::of(value), dtype::float64, how.where));
  };
  if (how.num > 0) set(0, start);
  if (how.has_last()) set(how.num - 1, stop);
  return found;
}

ndarray real_linspace(double start, double stop, const spacing& how) {
  if (is_plain(start, stop, how)) {
    return plain_linspace({start, 0}, {stop, 0}, dtype::float64, how);
  }
  if (!std::isfinite(start) || !std::isfinite(stop)) return infinite_linspace(start, stop, how);
  // Powers of 2 change no digit. Where the step is tiny, so are both ends.
  const double scale = std::isfinite(stop - start) ? 0x1p512 : 0x1p-2;
  const ndarray scaled = plain_linspace({start * scale, 0}, {stop * scale, 0}, dtype::float64, how);
  const scalar unscale = scalar::of(1 / scale);
  return call<ops::multiply>({{.array = &scaled}, {.value = &unscale}});
}

/// The real or the imaginary parts of an array of complex128.
ndarray parts_of(const ndarray& x, bool imaginary) {
  layout there = x.layout();
  there.offset += imaginary ? 8 : 0;
  return {x.memory(), std::move(there), dtype::float64};
}

ndarray floating_linspace(complex128 start, complex128 stop, dtype type, const spacing& how) {
  if (is_plain(start.re, stop.re, how) && is_plain(start.im, stop.im, how)) {
    return plain_linspace(start, stop, type, how);
  }
  const ndarray reals = real_linspace(start.re, stop.re, how);
  if (kind(type) == dtype_kind::real_floating) return astype(reals, type, false);
  const ndarray found = empty(op, dims{how.num}, dtype::complex128, how.where);
  assign(op, parts_of(found, false), reals);
  assign(op, parts_of(found, true), real_linspace(start.im, stop.im, how));
  return astype(found, type, false);
}

complex128 complex_value(const scalar& x) {
  return {real_of(x), x.kind == scalar_kind::complex ? x.imag : 0};
}

}  // namespace

ndarray linspace(const scalar& start, const scalar& stop, std::int64_t num,
                 std::optional<dtype> type, device where, bool endpoint) {
  const dtype chosen = linspace_dtype(start, stop, type);
  if (num < 0) {
    throw value_error("linspace: num is negative: " + std::to_string(num));
  }
  const spacing how{num, endpoint, where};
  if (is_floating(chosen)) {
    return floating_linspace(complex_value(start), complex_value(stop), chosen, how);
  }
  const std::optional<wide_int> first = whole(start);
  const std::optional<wide_int> last = whole(stop);
  if (is_integer(chosen) && first && last) return integer_linspace(*first, *last, chosen, how);
  const double from = real_of(start);
  const double to = real_of(stop);
  const double reached = how.has_last()
                             ? to
                             : from + static_cast<double>(num - 1) *
                                          ((to - from) / static_cast<double>(how.intervals()));
  for (const double end : {from, reached}) {
    if (num > 0)
      static_cast<void>(to_element(op, cast_scalar(op, scalar::of(end), chosen), chosen));
  }
  return astype(real_linspace(from, to, how), chosen, false);
}

}  // namespace skerry
