// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fourier/fft.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/promotion.hpp"
#include "core/view.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "ops/call/result.hpp"
#include "ops/create/create.hpp"
#include "ops/fourier/fft_plan.hpp"
#include "ops/move/copy.hpp"

namespace skerry {
namespace {

struct KindEntry {
  FftSide input;
  FftSide output;
  bool forward;
};

constexpr KindEntry kinds[] = {
    {FftSide::complex, FftSide::complex, true}, {FftSide::complex, FftSide::complex, false},
    {FftSide::real, FftSide::complex, true},    {FftSide::complex, FftSide::real, false},
    {FftSide::complex, FftSide::real, true},    {FftSide::real, FftSide::complex, false},
};

const KindEntry& entry_of(FftKind kind) { return kinds[static_cast<int>(kind)]; }

/// Converts integers and bools to the default real dtype, unless promotion is strict.
NdArray as_floating(const KindEntry& kind, const NdArray& x) {
  if (!is_floating(x.dtype()) && !promotion_is_strict()) return astype(x, default_real, false);
  if (!is_floating(x.dtype())) {
    throw DtypeError(std::string("x must be floating, not ") + name(x.dtype()) +
                     "; convert it with astype");
  }
  if (kind.input == FftSide::real && skerry::kind(x.dtype()) == DtypeKind::complex_floating) {
    throw DtypeError(std::string("x must be real, not ") + name(x.dtype()) +
                     "; use fft, or take real(x)");
  }
  return x;
}

/// Returns the default length of the transform along an axis: the extent of `x`, but for the last
/// axis of a transform to real numbers the extent of the result.
std::int64_t default_length(const KindEntry& kind, const NdArray& x, int axis, bool is_last) {
  const std::int64_t n = x.shape()[axis];
  return kind.output == FftSide::real && is_last ? 2 * (n - 1) : n;
}

void check_length(std::int64_t n, int axis, const NdArray& x) {
  if (n > 0) return;
  throw ValueError("the transform needs at least one element, not " + std::to_string(n) +
                   ", along axis " + std::to_string(axis) + " of " + describe(x) +
                   "; pass a positive length");
}

double scale_of(FftNorm norm, bool forward, const Dims& lengths) {
  if ((norm == FftNorm::backward && forward) || (norm == FftNorm::forward && !forward)) return 1;
  double count = 1;
  for (const std::int64_t n : lengths) count *= static_cast<double>(n);
  return norm == FftNorm::ortho ? 1 / std::sqrt(count) : 1 / count;
}

/// Crops or zero-pads `x` to `shape`. Returns a view, or a copy if an axis grows.
NdArray fitted(const NdArray& x, const Dims& shape) {
  Layout cropped_layout = x.layout();
  for (int axis = 0; axis < x.rank(); ++axis) {
    cropped_layout.shape[axis] = std::min(cropped_layout.shape[axis], shape[axis]);
  }
  if (cropped_layout.shape == shape) return x.view(std::move(cropped_layout));
  check_shape(shape.span(), x.itemsize());
  NdArray padded = full(shape, Scalar::from_value(std::int64_t{0}), x.dtype(), x.device());
  Layout head{cropped_layout.shape, padded.strides(), 0};
  if (head.size() > 0) assign(padded.view(std::move(head)), x.view(std::move(cropped_layout)));
  return padded;
}

/// Checked arguments of one call.
struct Request {
  const KindEntry& kind;
  Dims axes;
  Dims lengths;  ///< one per axis; the extents of the real side if there is one
  double scale;
};

Dims complex_half(const Request& request, Dims shape) {
  std::int64_t& last = shape[static_cast<int>(request.axes[request.axes.rank() - 1])];
  last = last / 2 + 1;
  return shape;
}

/// Returns the shape of the transform's real side, or of both sides if both are complex.
Dims full_shape(const Request& request, const NdArray& x) {
  Dims shape = x.shape();
  for (int i = 0; i < request.axes.rank(); ++i) {
    shape[static_cast<int>(request.axes[i])] = request.lengths[i];
  }
  return shape;
}

/// Returns all axes but the last, along which a transform with a real side halves the spectrum.
Dims other_axes(const Dims& axes) { return Dims(axes.span().first(axes.span().size() - 1)); }

NdArray run_complex(const Request& request, const NdArray& x, const Dims& shape) {
  const FftPlan plan{.forward = request.kind.forward, .scale = request.scale};
  const NdArray whole = fitted(x, shape);
  const bool is_padded = whole.memory() != x.memory();
  const bool is_complex = complex_of(x.dtype()) == x.dtype();
  return is_padded && is_complex ? plan.complex_in_place(whole, request.axes)
                                 : plan.complex_to_complex(whole, request.axes);
}

NdArray run_from_real(const Request& request, const NdArray& x, const Dims& shape) {
  FftPlan plan{.forward = request.kind.forward, .scale = request.scale};
  const int last = static_cast<int>(request.axes[request.axes.rank() - 1]);
  const NdArray half = plan.real_to_complex(fitted(x, shape), last, false);
  plan.scale = 1;
  return plan.complex_in_place(half, other_axes(request.axes));
}

NdArray run_to_real(const Request& request, const NdArray& x, const Dims& shape) {
  FftPlan plan{.forward = request.kind.forward, .scale = 1};
  const int last = static_cast<int>(request.axes[request.axes.rank() - 1]);
  NdArray half = fitted(x, complex_half(request, shape));
  const Dims outer_axes = other_axes(request.axes);
  half = outer_axes.empty() ? astype(half, complex_of(half.dtype()), false)
                            : plan.complex_to_complex(half, outer_axes);
  plan.scale = request.scale;
  return plan.complex_to_real(half, last, shape[last]);
}

NdArray run(const Request& request, const NdArray& input) {
  const NdArray x = astype(input, computed_in(input.dtype()), false);
  const Dims shape = full_shape(request, x);
  const bool to_real = request.kind.output == FftSide::real;
  const Dtype type = to_real ? real_part(x.dtype()) : complex_of(x.dtype());
  const Dims result = request.kind.input == FftSide::real ? complex_half(request, shape) : shape;
  check_shape(shape.span(), itemsize(complex_of(type)));
  // Test the result, not x: an empty axis of x may be padded.
  if (std::find(result.begin(), result.end(), 0) != result.end()) {
    return empty(result, type, x.device());
  }
  require_fft_library(x);
  if (to_real) return run_to_real(request, x, shape);
  return request.kind.input == FftSide::real ? run_from_real(request, x, shape)
                                             : run_complex(request, x, shape);
}

Dims selected_axes(const NdArray& x, std::optional<std::span<const std::int64_t>> lengths,
                   std::optional<std::span<const std::int64_t>> axes) {
  if (axes) return normalize_axes(*axes, x.rank());
  const int count = lengths ? static_cast<int>(lengths->size()) : x.rank();
  if (count > x.rank()) {
    throw ValueError("s has " + std::to_string(count) + " lengths, " + describe(x) +
                     " has fewer axes");
  }
  Dims last(count);
  std::iota(last.begin(), last.end(), x.rank() - count);
  return last;
}

}  // namespace

NdArray fft(FftKind kind, const NdArray& input, std::optional<std::int64_t> n, std::int64_t axis,
            FftNorm norm) {
  const KindEntry& entry = entry_of(kind);
  const NdArray x = as_floating(entry, input);
  const int along = normalize_axis(axis, x.rank());
  const std::int64_t length = n.value_or(default_length(entry, x, along, true));
  check_length(length, along, x);
  const Dims lengths{length};
  return run({entry, Dims{along}, lengths, scale_of(norm, entry.forward, lengths)}, x);
}

NdArray fftn(FftKind kind, const NdArray& input,
             std::optional<std::span<const std::int64_t>> lengths,
             std::optional<std::span<const std::int64_t>> axes, FftNorm norm) {
  const KindEntry& entry = entry_of(kind);
  const NdArray x = as_floating(entry, input);
  Request request{entry, selected_axes(x, lengths, axes), {}, 1};
  const int count = request.axes.rank();
  if (lengths && static_cast<int>(lengths->size()) != count) {
    throw ValueError("s and axes have different lengths: " + std::to_string(lengths->size()) +
                     " and " + std::to_string(count));
  }
  const bool has_real_side = entry.input == FftSide::real || entry.output == FftSide::real;
  if (count == 0 && has_real_side) {
    throw ValueError("needs at least one axis: " + describe(x));
  }
  request.lengths = Dims(count);
  for (int i = 0; i < count; ++i) {
    const int axis = static_cast<int>(request.axes[i]);
    request.lengths[i] = lengths ? (*lengths)[static_cast<std::size_t>(i)]
                                 : default_length(entry, x, axis, i == count - 1);
    check_length(request.lengths[i], axis, x);
  }
  request.scale = scale_of(norm, entry.forward, request.lengths);
  return run(request, x);
}

}  // namespace skerry
