// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ops/kernel/cpu/vector.hpp"
#include "ops/scan/cpu/carry.hpp"

namespace skerry::inline SKERRY_TARGET::kernels {

/// Inclusive scan of the elements of one vector by shifts of 1, 2, 4, ... groups. A group is
/// `Group` lanes: 2 for the parts of a complex number.
template <class Op, class Lane, int Group>
struct VectorScan {
  using vector = lanes_of<Lane>;
  static constexpr int lanes = lane_count<Lane>;

  static SKERRY_INLINE void combine(vector& a, const vector& b) {
    if constexpr (is_sum<Op>) {
      a = a + b;
    } else {
      a = a * b;
    }
  }

  template <int By>
  static SKERRY_INLINE void add_shifted(vector& x) {
    combine(x, shift_lanes<By>(x, all_lanes(neutral<Op, Lane>())));
  }
  template <int By = Group>
  static SKERRY_INLINE void scan(vector& x) {
    if constexpr (By < lanes) {
      add_shifted<By>(x);
      scan<By * 2>(x);
    }
  }
  /// Sets all groups of the vector to `value`.
  template <class Value>
  static SKERRY_INLINE void spread(vector& x, const Value& value) {
    Lane group[Group];
    __builtin_memcpy(group, &value, sizeof group);
    for (int i = 0; i < lanes; ++i) x[i] = group[i % Group];
  }
};

/// int64 is scanned as uint64, which wraps around.
template <class Lane>
struct vector_lane {
  using type = Lane;
};
template <>
struct vector_lane<int64> {
  using type = uint64;
};

/// Loads elements of T as lanes of `Vector`.
template <class T, class Lane, class Vector>
SKERRY_INLINE void load_converted(Vector& destination, const char* source) {
  using S = ops::real_part_t<T>;
  if constexpr (sizeof(S) == sizeof(Lane)) {  // also int64 as uint64
    destination = load_vector<Vector>(source);
  } else {
    using stored = std::conditional_t<ops::boolean<S>, uint8, S>;
    for (int i = 0; i < lane_count<Lane>; ++i) {
      destination[i] = static_cast<Lane>(load<stored>(source + i * int64(sizeof(S))));
    }
    // A lane-by-lane conversion to bool would not vectorize.
    if constexpr (ops::boolean<S>) destination = (Vector)((destination != Vector{}) & 1);
  }
}

}  // namespace skerry::inline SKERRY_TARGET::kernels
