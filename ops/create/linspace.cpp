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

Dtype linspace_dtype(const Scalar& start, const Scalar& stop, std::optional<Dtype> type) {
  const bool is_complex = start.kind == ScalarKind::complex || stop.kind == ScalarKind::complex;
  const Dtype chosen = type.value_or(is_complex ? default_complex : default_real);
  if (!is_floating(chosen) && promotion_is_strict()) {
    throw DtypeError(std::string("linspace: dtype must be floating, not ") + name(chosen));
  }
  if (is_complex && kind(chosen) != DtypeKind::complex_floating) {
    throw DtypeError(std::string("linspace: complex ends do not go into ") + name(chosen) +
                     "; use complex128");
  }
  return chosen;
}

/// Without the end there is one interval more, as in linspace(num + 1): the same elements.
struct Spacing {
  std::int64_t num;
  bool endpoint;
  Device where;

  [[nodiscard]] std::int64_t intervals() const {
    return std::max<std::int64_t>(1, endpoint ? num - 1 : num);
  }
  [[nodiscard]] bool has_last() const { return endpoint && num > 1; }
};

// --- integers: start + i * (stop - start) / intervals, exact and truncated
// -------------------------

template <class Op>
NdArray call(std::initializer_list<Operand> operands) {
  return apply(op_id_of<Op>, {operands.begin(), operands.size()});
}

/// The same bits.
NdArray seen_as(const NdArray& x, Dtype type) { return {x.memory(), x.layout(), type}; }

/// |start * intervals + i * distance| / intervals, rounded down, for elements of one sign.
struct Quotients {
  wide_int first;     ///< the dividend for the first of them
  wide_int distance;  ///< what it grows by, may be negative
  std::int64_t divisor;

  /// As int64, or uint64 of the same bits.
  [[nodiscard]] NdArray take(std::int64_t size, Device where) const {
    // Quotient and remainder of the dividend grow apart: their products fit 64 bits.
    const auto floor_of = [this](wide_int x) {
      return x / divisor - static_cast<wide_int>(x % divisor < 0);
    };
    const wide_int step = floor_of(distance);
    const wide_int rest = distance - step * divisor;
    SequenceParams whole{};
    whole.start = integer_element(first / divisor);
    whole.step = integer_element(step);
    NdArray found = run_sequence(op, size, Dtype::int64, where, whole);
    if (rest == 0) return found;
    SequenceParams parts{};
    parts.start = integer_element(first % divisor);
    parts.step = integer_element(rest);
    const NdArray dividends = run_sequence(op, size, Dtype::uint64, where, parts);
    const Scalar by = Scalar::of(divisor);
    const NdArray carried =
        seen_as(call<ops::floor_divide>({{.array = &dividends}, {.value = &by}}), Dtype::int64);
    return call<ops::add>({{.array = &found}, {.array = &carried}});
  }
};

NdArray integer_linspace(wide_int start, wide_int stop, Dtype type, const Spacing& how) {
  const std::int64_t divisor = how.intervals();
  const wide_int distance = stop - start;
  NdArray found = empty(op, Dims{how.num}, type, how.where);
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
    const Quotients sizes{negative ? -first : first, negative ? -distance : distance, divisor};
    const NdArray each = sizes.take(count, how.where);
    const NdArray part = negative ? call<ops::negative>({{.array = &each}}) : each;
    const NdArray bits = type == Dtype::uint64 ? seen_as(part, type) : part;
    if (count == how.num) return astype(bits, type, false);
    assign(op, slice_of(found, 0, begin, count), astype(bits, type, false));
    begin += count;
  }
  return found;
}

// --- floats --------------------------------------------------------------------------------------

/// By the kernel, whose step must neither overflow nor be subnormal.
NdArray plain_linspace(complex128 start, complex128 stop, Dtype type, const Spacing& how) {
  const auto intervals = static_cast<double>(how.intervals());
  SequenceParams params{};
  params.start = floating_element(type, start);
  params.step =
      floating_element(type, {(stop.re - start.re) / intervals, (stop.im - start.im) / intervals});
  params.last = floating_element(type, stop);
  params.has_last = how.has_last();
  return run_sequence(op, how.num, type, how.where, params);
}

bool is_plain(double start, double stop, const Spacing& how) {
  const double distance = stop - start;
  return distance == 0 || std::isnormal(distance / static_cast<double>(how.intervals()));
}

/// All elements between the ends are as their mean is: infinite, or NaN between both infinities.
NdArray infinite_linspace(double start, double stop, const Spacing& how) {
  const NdArray found =
      full(Dims{how.num}, Scalar::of(0.5 * start + 0.5 * stop), Dtype::float64, how.where);
  const auto set = [&](std::int64_t index, double value) {
    assign(op, slice_of(found, 0, index, 1),
           full(Dims{1}, Scalar::of(value), Dtype::float64, how.where));
  };
  if (how.num > 0) set(0, start);
  if (how.has_last()) set(how.num - 1, stop);
  return found;
}

NdArray real_linspace(double start, double stop, const Spacing& how) {
  if (is_plain(start, stop, how)) {
    return plain_linspace({start, 0}, {stop, 0}, Dtype::float64, how);
  }
  if (!std::isfinite(start) || !std::isfinite(stop)) return infinite_linspace(start, stop, how);
  // Powers of 2 change no digit. Where the step is tiny, so are both ends.
  const double scale = std::isfinite(stop - start) ? 0x1p512 : 0x1p-2;
  const NdArray scaled = plain_linspace({start * scale, 0}, {stop * scale, 0}, Dtype::float64, how);
  const Scalar unscale = Scalar::of(1 / scale);
  return call<ops::multiply>({{.array = &scaled}, {.value = &unscale}});
}

/// The real or the imaginary parts of an array of complex128.
NdArray parts_of(const NdArray& x, bool imaginary) {
  Layout there = x.layout();
  there.offset += imaginary ? 8 : 0;
  return {x.memory(), std::move(there), Dtype::float64};
}

NdArray floating_linspace(complex128 start, complex128 stop, Dtype type, const Spacing& how) {
  if (is_plain(start.re, stop.re, how) && is_plain(start.im, stop.im, how)) {
    return plain_linspace(start, stop, type, how);
  }
  const NdArray reals = real_linspace(start.re, stop.re, how);
  if (kind(type) == DtypeKind::real_floating) return astype(reals, type, false);
  const NdArray found = empty(op, Dims{how.num}, Dtype::complex128, how.where);
  assign(op, parts_of(found, false), reals);
  assign(op, parts_of(found, true), real_linspace(start.im, stop.im, how));
  return astype(found, type, false);
}

complex128 complex_value(const Scalar& x) {
  return {real_of(x), x.kind == ScalarKind::complex ? x.imag : 0};
}

}  // namespace

NdArray linspace(const Scalar& start, const Scalar& stop, std::int64_t num,
                 std::optional<Dtype> type, Device where, bool endpoint) {
  const Dtype chosen = linspace_dtype(start, stop, type);
  if (num < 0) {
    throw ValueError("linspace: num is negative: " + std::to_string(num));
  }
  const Spacing how{num, endpoint, where};
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
      static_cast<void>(to_element(op, cast_scalar(op, Scalar::of(end), chosen), chosen));
  }
  return astype(real_linspace(from, to, how), chosen, false);
}

}  // namespace skerry
