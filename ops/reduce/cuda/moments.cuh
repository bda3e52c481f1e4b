// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/kernel/cuda/offset.hpp"
#include "ops/math/concepts.hpp"
#include "ops/reduce/reductions.hpp"

#include <type_traits>

namespace skerry::native {

/// var and std as the kernels compute them. The moments of four elements at a time are computed in
/// C, then merged with those before in float64. float32 throughout would lose the digits by which
/// the mean exceeds the deviation; float64 throughout would be slow on GPUs with few float64 units.
/// Free of CUDA headers, and tested on the host.
template <class Reduction, class T>
struct GroupedMoments {
  using accumulator = ops::Moments<float64>;
  using C = ops::computed_t<T>;
  static constexpr int group = 4;

  SKERRY_HD SKERRY_INLINE static accumulator load(C x) {
    // 0, or NaN if x is NaN or infinite
    return {static_cast<float64>(x), static_cast<float64>(x - x), 1};
  }
  SKERRY_HD SKERRY_INLINE static accumulator load_group(const T (&items)[group]) {
    const C x[group] = {items[0], items[1], items[2], items[3]};
    const C approximate_mean = ((x[0] + x[1]) + (x[2] + x[3])) * C(0.25);
    C distance[group];
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < group; ++i) distance[i] = x[i] - approximate_mean;
    // Correct the approximate mean by the mean of the distances, which have digits to spare.
    const C rest = ((distance[0] + distance[1]) + (distance[2] + distance[3])) * C(0.25);
    C squares = C(0);
    SKERRY_UNROLL_FULLY
    for (int i = 0; i < group; ++i) squares += distance[i] * distance[i];
    squares -= rest * rest * C(group);
    return {static_cast<float64>(approximate_mean) + static_cast<float64>(rest),
            static_cast<float64>(squares < C(0) ? C(0) : squares), group};
  }
  template <class A>
  SKERRY_HD SKERRY_INLINE static A identity() {
    return {0, 0, 0};
  }
  /// Like ops::var's, but computes the share in the precision of the result: no float64 division
  /// for float32.
  SKERRY_HD SKERRY_INLINE static accumulator combine(const accumulator& a, const accumulator& b) {
    const float64 count = a.count + b.count;
    const C share = count > 0 ? static_cast<C>(b.count) / static_cast<C>(count) : C(0);
    const float64 distance = b.mean - a.mean;
    const float64 shift = distance * static_cast<float64>(share);
    return {a.mean + shift, a.squares + (b.squares + distance * (shift * a.count)), count};
  }
  SKERRY_HD static T finish(const accumulator& a, const ops::Reduced& reduced) {
    return static_cast<T>(Reduction::finish(a, reduced));
  }
};

/// The functor that computes Reduction over T.
template <class Reduction, class T>
struct native_reduction {
  using type = Reduction;
};
template <class Reduction, class T>
  requires(ops::one_of_v<Reduction, ops::std_, ops::var>)
struct native_reduction<Reduction, T> {
  using type = GroupedMoments<Reduction, T>;
};
template <class Reduction, class T>
using native_reduction_t = typename native_reduction<Reduction, T>::type;

/// True if Reduction loads several elements at a time.
template <class Reduction>
inline constexpr bool takes_groups = requires { Reduction::group; };
template <class Reduction>
inline constexpr int group_size = 1;
template <class Reduction>
  requires takes_groups<Reduction>
inline constexpr int group_size<Reduction> = Reduction::group;

}  // namespace skerry::native
