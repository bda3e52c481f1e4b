// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "device/backend.hpp"
#include "device/cpu/thread_pool.hpp"
#include "ops/call/result.hpp"
#include "ops/elementwise/apply.hpp"
#include "ops/elementwise/op_id.hpp"
#include "ops/linear/arithmetic.hpp"
#include "ops/move/copy.hpp"
#include "ops/move/views.hpp"
#include "ops/scan/diff.hpp"
#include "ops/select/take.hpp"
#include "ops/sort/searchsorted.hpp"

namespace skerry::python {
namespace {

template <class Op>
NdArray call(const Operand& x1, const Operand& x2) {
  const Operand both[] = {x1, x2};
  return apply(op_id_of<Op>, both);
}

constexpr double min_fraction = std::numeric_limits<double>::denorm_min();
constexpr double max_fraction = 1 - 0x1p-53;

/// Points to interpolate between: a value is start_value + share * rise, where share is the
/// relative position between a point and the next.
struct Points {
  const NdArray& coordinates;
  const NdArray& values;
  NdArray widths;
  NdArray rises;
  bool finite;  ///< all widths and rises are known to be finite

  Points(const NdArray& xp, const NdArray& fp)
      : coordinates(xp),
        values(fp),
        widths(diff(xp, -1, 1, nullptr, nullptr)),
        rises(diff(fp, -1, 1, nullptr, nullptr)),
        finite(is_host(xp.device()) && all_finite(widths) && all_finite(rises)) {}

  /// Positions outside the points are clamped to the first and the last one; NaN counts as after
  /// the last one. So every index is that of a point, even if the coordinates are not ascending.
  [[nodiscard]] NdArray values_at(const NdArray& x) const {
    const std::int64_t count = coordinates.size();
    const NdArray last = component(coordinates, count - 1);
    const NdArray lower_indices =
        searchsorted(slice_of(coordinates, 0, 1, count - 1), {.array = &x}, true, nullptr);
    const NdArray start = take(coordinates, lower_indices, std::nullopt);
    const NdArray start_values = take(values, lower_indices, std::nullopt);
    const NdArray positions =
        linalg::where(call<ops::greater>({.array = &x}, {.array = &last}), last, x);
    const Scalar last_segment = Scalar::from_value(count - 2);
    const NdArray segment = clip(lower_indices, {}, {.value = &last_segment, .name = "max"});
    const NdArray width = take(widths, segment, std::nullopt);
    const NdArray rise = take(rises, segment, std::nullopt);
    NdArray share = linalg::divide(linalg::subtract(positions, start), width);
    if (!finite) {
      share = linalg::where(linalg::isfinite(width), share,
                            share_of_infinite(positions, start, next(coordinates, segment), width));
    }
    NdArray result = linalg::add(linalg::multiply(rise, share), start_values);
    if (!finite) {
      result = linalg::where(linalg::isfinite(rise), result,
                             mixed(start_values, next(values, segment), share));
    }
    // Exact at the points too, where an infinite rise would give NaN.
    return linalg::where(call<ops::less_equal>({.array = &positions}, {.array = &start}),
                         start_values, result);
  }

  static NdArray component(const NdArray& x, std::int64_t index) {
    Layout layout = x.layout();
    layout.offset += index * layout.strides[0];
    layout.shape.erase(0);
    layout.strides.erase(0);
    return x.view(std::move(layout));
  }

 private:
  static bool all_finite(const NdArray& x) {
    return linalg::is_true(linalg::all(linalg::isfinite(x)));
  }

  /// Returns the element of the point that ends each segment.
  [[nodiscard]] static NdArray next(const NdArray& x, const NdArray& segment) {
    return take(slice_of(x, 0, 1, x.size() - 1), segment, std::nullopt);
  }

  /// Returns the share where the width is infinite: from halved coordinates if the width overflows,
  /// else relative to the end that is finite.
  static NdArray share_of_infinite(const NdArray& positions, const NdArray& start,
                                   const NdArray& end, const NdArray& width) {
    const Scalar half = Scalar::from_value(0.5);
    const Scalar one = Scalar::from_value(1.0);
    const NdArray origin = linalg::multiply(start, half);
    const NdArray halves =
        linalg::divide(linalg::subtract(linalg::multiply(positions, half), origin),
                       linalg::subtract(linalg::multiply(end, half), origin));
    const NdArray rest = linalg::divide(linalg::subtract(end, positions), width);
    const NdArray by_end = call<ops::subtract>({.value = &one}, {.array = &rest});
    return linalg::where(call<ops::equal>({.array = &halves}, {.array = &halves}), halves, by_end);
  }

  /// Returns the weighted mean of two values. Clamps the share, so that neither weight rounds to 0.
  static NdArray mixed(const NdArray& start_values, const NdArray& next, const NdArray& share) {
    const Scalar lower_bound = Scalar::from_value(min_fraction);
    const Scalar upper_bound = Scalar::from_value(max_fraction);
    const Scalar one = Scalar::from_value(1.0);
    const NdArray some =
        clip(share, {.value = &lower_bound, .name = "min"}, {.value = &upper_bound, .name = "max"});
    const NdArray rest = call<ops::subtract>({.value = &one}, {.array = &some});
    return linalg::add(linalg::multiply(start_values, rest), linalg::multiply(next, some));
  }
};

/// Points::values_at for a single position.
double interpolated_at(double position, double start, double end, double start_value, double next) {
  const double width = end - start;
  const double rise = next - start_value;
  double share = (position - start) / width;
  if (!std::isfinite(width)) {
    share = (position * 0.5 - start * 0.5) / (end * 0.5 - start * 0.5);
    if (std::isnan(share)) share = 1 - (end - position) / width;
  }
  if (std::isfinite(rise)) return rise * share + start_value;
  share = std::clamp(share, min_fraction, max_fraction);
  return start_value * (1 - share) + next * share;
}

/// Same bits as Points::values_at, in a scalar loop: for few elements on the host, the overhead of
/// a dozen array operations would dominate.
NdArray interpolated_one_by_one(const NdArray& x, const NdArray& coordinates,
                                const NdArray& values) {
  NdArray result = empty(x.shape(), Dtype::float64, x.device());
  const auto* const x_data = reinterpret_cast<const double*>(x.data());
  const auto* const coordinates_data = reinterpret_cast<const double*>(coordinates.data());
  const auto* const values_data = reinterpret_cast<const double*>(values.data());
  const std::int64_t last = coordinates.size() - 1;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    // Same steps as searchsorted, for the same result if points are not ascending; NaN sorts last.
    std::int64_t lower_index = 0;
    std::int64_t left = last;
    for (; left > 1; left -= left / 2) {
      lower_index += coordinates_data[lower_index + left / 2] <= x_data[i] ? left / 2 : 0;
    }
    lower_index = std::isnan(x_data[i])
                      ? last
                      : lower_index + (coordinates_data[lower_index + 1] <= x_data[i] ? 1 : 0);
    const double position = x_data[i] > coordinates_data[last] ? coordinates_data[last] : x_data[i];
    const std::int64_t first = std::min(lower_index, last - 1);
    // The last point belongs to the segment before it.
    const double found_here =
        position <= coordinates_data[lower_index]
            ? values_data[lower_index]
            : interpolated_at(position, coordinates_data[lower_index], coordinates_data[first + 1],
                              values_data[lower_index], values_data[first + 1]);
    reinterpret_cast<double*>(result.data())[i] = found_here;
  }
  return result;
}

/// Elements of a chunk for each thread: several such arrays fit a core's L2 cache.
constexpr std::int64_t chunk_size = 1 << 15;

}  // namespace

NdArray interpolated(const NdArray& positions, const NdArray& xp, const NdArray& fp) {
  const NdArray x = astype(positions, Dtype::float64, false);
  const NdArray coordinates = astype(xp, Dtype::float64, false);
  const NdArray values = astype(fp, Dtype::float64, false);
  if (coordinates.size() == 1) {
    return copy_c_order(broadcast_to(Points::component(values, 0), x.shape()));
  }
  constexpr std::int64_t few = 256;
  const auto is_whole = [](const NdArray& array) { return array.is_c_contiguous(); };
  if (x.size() <= few && is_host(x.device()) && is_whole(x) && is_whole(coordinates) &&
      is_whole(values)) {
    return interpolated_one_by_one(x, coordinates, values);
  }
  const Points all(coordinates, values);
  const std::int64_t step = chunk_size * cpu::thread_count();
  if (x.size() < 2 * step || !is_host(x.device())) return all.values_at(x);
  const std::int64_t flat[] = {-1};
  const NdArray elements = reshape(x, flat, std::nullopt);
  const NdArray result = empty(Dims{x.size()}, values.dtype(), x.device());
  for (std::int64_t begin = 0; begin < x.size(); begin += step) {
    const std::int64_t count = std::min(step, x.size() - begin);
    assign(slice_of(result, 0, begin, count), all.values_at(slice_of(elements, 0, begin, count)));
  }
  return reshape(result, x.shape().span(), std::nullopt);
}

}  // namespace skerry::python
