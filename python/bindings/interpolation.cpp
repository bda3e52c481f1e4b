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
ndarray call(const operand& x1, const operand& x2) {
  const operand both[] = {x1, x2};
  return apply(op_id_of<Op>, both);
}

constexpr double least_share = std::numeric_limits<double>::denorm_min();
constexpr double most_share = 1 - 0x1p-53;

/// Points that are interpolated between: a value is near + share * rise, where the share of the
/// rise is how far a place is on the way from one point to the next.
struct points {
  const ndarray& coordinates;
  const ndarray& values;
  ndarray widths;
  ndarray rises;
  bool finite;  ///< known to be: all widths and rises

  points(const ndarray& xp, const ndarray& fp)
      : coordinates(xp),
        values(fp),
        widths(diff(xp, -1, 1, nullptr, nullptr)),
        rises(diff(fp, -1, 1, nullptr, nullptr)),
        finite(is_host(xp.device()) && all_finite(widths) && all_finite(rises)) {}

  /// Before the first point and beyond the last one the coordinates have no part; NaN counts as
  /// beyond the last one. So every index is that of a point, also where they do not rise.
  [[nodiscard]] ndarray at(const ndarray& x) const {
    const std::int64_t count = coordinates.size();
    const ndarray last = component(coordinates, count - 1);
    const ndarray before =
        searchsorted(slice_of(coordinates, 0, 1, count - 1), {.array = &x}, true, nullptr);
    const ndarray start = take(coordinates, before, std::nullopt);
    const ndarray near = take(values, before, std::nullopt);
    const ndarray place =
        linalg::where(call<ops::greater>({.array = &x}, {.array = &last}), last, x);
    const scalar most = scalar::of(count - 2);
    const ndarray segment = clip(before, {}, {.value = &most, .name = "max"});
    const ndarray width = take(widths, segment, std::nullopt);
    const ndarray rise = take(rises, segment, std::nullopt);
    ndarray share = linalg::divide(linalg::subtract(place, start), width);
    if (!finite) {
      share = linalg::where(linalg::isfinite(width), share,
                            share_of_infinite(place, start, next(coordinates, segment), width));
    }
    ndarray found = linalg::add(linalg::multiply(rise, share), near);
    if (!finite) {
      found =
          linalg::where(linalg::isfinite(rise), found, mixed(near, next(values, segment), share));
    }
    // Also at the points, where an infinite rise makes NaN.
    return linalg::where(call<ops::less_equal>({.array = &place}, {.array = &start}), near, found);
  }

  static ndarray component(const ndarray& x, std::int64_t index) {
    layout there = x.layout();
    there.offset += index * there.strides[0];
    there.shape.erase(0);
    there.strides.erase(0);
    return x.view(std::move(there));
  }

 private:
  static bool all_finite(const ndarray& x) {
    return linalg::is_true(linalg::all(linalg::isfinite(x)));
  }

  /// Of the point behind each segment.
  [[nodiscard]] static ndarray next(const ndarray& x, const ndarray& segment) {
    return take(slice_of(x, 0, 1, x.size() - 1), segment, std::nullopt);
  }

  /// The share where the width is infinite: by halves if that is an overflow, else by the end that
  /// is finite.
  static ndarray share_of_infinite(const ndarray& place, const ndarray& start, const ndarray& end,
                                   const ndarray& width) {
    const scalar half = scalar::of(0.5);
    const scalar one = scalar::of(1.0);
    const ndarray origin = linalg::multiply(start, half);
    const ndarray halves = linalg::divide(linalg::subtract(linalg::multiply(place, half), origin),
                                          linalg::subtract(linalg::multiply(end, half), origin));
    const ndarray rest = linalg::divide(linalg::subtract(end, place), width);
    const ndarray by_end = call<ops::subtract>({.value = &one}, {.array = &rest});
    return linalg::where(call<ops::equal>({.array = &halves}, {.array = &halves}), halves, by_end);
  }

  /// The mean of two values by their shares. Both have one, though it may be rounded to 0.
  static ndarray mixed(const ndarray& near, const ndarray& next, const ndarray& share) {
    const scalar least = scalar::of(least_share);
    const scalar most = scalar::of(most_share);
    const scalar one = scalar::of(1.0);
    const ndarray some =
        clip(share, {.value = &least, .name = "min"}, {.value = &most, .name = "max"});
    const ndarray rest = call<ops::subtract>({.value = &one}, {.array = &some});
    return linalg::add(linalg::multiply(near, rest), linalg::multiply(next, some));
  }
};

/// The same for one place.
double interpolated_at(double place, double start, double end, double near, double next) {
  const double width = end - start;
  const double rise = next - near;
  double share = (place - start) / width;
  if (!std::isfinite(width)) {
    share = (place * 0.5 - start * 0.5) / (end * 0.5 - start * 0.5);
    if (std::isnan(share)) share = 1 - (end - place) / width;
  }
  if (std::isfinite(rise)) return rise * share + near;
  share = std::clamp(share, least_share, most_share);
  return near * (1 - share) + next * share;
}

/// The same bits for few elements on the host, one by one: a dozen calls take longer than their
/// work.
ndarray interpolated_one_by_one(const ndarray& x, const ndarray& coordinates,
                                const ndarray& values) {
  ndarray found = empty("interp", x.shape(), dtype::float64, x.device());
  const auto* const at = reinterpret_cast<const double*>(x.data());
  const auto* const from = reinterpret_cast<const double*>(coordinates.data());
  const auto* const to = reinterpret_cast<const double*>(values.data());
  const std::int64_t last = coordinates.size() - 1;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    // The steps of searchsorted, which decide where points do not rise; NaN goes to the end.
    std::int64_t before = 0;
    std::int64_t left = last;
    for (; left > 1; left -= left / 2) {
      before += from[before + left / 2] <= at[i] ? left / 2 : 0;
    }
    before = std::isnan(at[i]) ? last : before + (from[before + 1] <= at[i] ? 1 : 0);
    const double place = at[i] > from[last] ? from[last] : at[i];
    const std::int64_t first = std::min(before, last - 1);
    // The segment of the last point is that before it.
    const double found_here =
        place <= from[before]
            ? to[before]
            : interpolated_at(place, from[before], from[first + 1], to[before], to[first + 1]);
    reinterpret_cast<double*>(found.data())[i] = found_here;
  }
  return found;
}

/// Elements of a piece for each thread: some arrays of them lie in a core's second cache.
constexpr std::int64_t piece = 1 << 15;

}  // namespace

ndarray interpolated(const ndarray& where, const ndarray& xp, const ndarray& fp) {
  const ndarray x = astype(where, dtype::float64, false);
  const ndarray coordinates = astype(xp, dtype::float64, false);
  const ndarray values = astype(fp, dtype::float64, false);
  if (coordinates.size() == 1) {
    return copy_c_order(broadcast_to(points::component(values, 0), x.shape()));
  }
  constexpr std::int64_t few = 256;
  const auto is_whole = [](const ndarray& each) { return each.is_c_contiguous(); };
  if (x.size() <= few && is_host(x.device()) && is_whole(x) && is_whole(coordinates) &&
      is_whole(values)) {
    return interpolated_one_by_one(x, coordinates, values);
  }
  const points all(coordinates, values);
  const std::int64_t step = piece * cpu::thread_count();
  if (x.size() < 2 * step || !is_host(x.device())) return all.at(x);
  const std::int64_t flat[] = {-1};
  const ndarray elements = reshape(x, flat, std::nullopt);
  const ndarray found = empty("interp", dims{x.size()}, values.dtype(), x.device());
  for (std::int64_t begin = 0; begin < x.size(); begin += step) {
    const std::int64_t count = std::min(step, x.size() - begin);
    assign("interp", slice_of(found, 0, begin, count), all.at(slice_of(elements, 0, begin, count)));
  }
  return reshape(found, x.shape().span(), std::nullopt);
}

}  // namespace skerry::python
