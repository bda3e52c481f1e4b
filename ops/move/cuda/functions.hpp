// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/concepts.hpp"

// Element functions of moves and casts. Parsed by NVRTC: no standard headers here.

namespace skerry::inline SKERRY_TARGET::ops {

struct copy_value {
  template <class T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
};

/// The condition is read as a byte: an imported bool may be neither 0 nor 1.
struct choose {
  template <class T>
  SKERRY_HD SKERRY_INLINE T operator()(uint8 condition, T x1, T x2) const {
    return condition != 0 ? x1 : x2;
  }
};

/// NaN and out-of-range floats convert as the hardware instruction does (saturation, 0 for NaN);
/// GPUs do not trap.
template <class To>
struct cast_to {
  template <class From>
  SKERRY_HD SKERRY_INLINE To operator()(From x) const {
    if constexpr (same_v<To, bool>) {
      return x != From(0);
    } else if constexpr (complex_floating<To> && !complex_floating<From>) {
      return To(static_cast<typename To::value_type>(x));
    } else {
      return static_cast<To>(x);
    }
  }
};

// One alias per dtype, by name.
#define SKERRY_CAST(name, type, kind, typestr) using cast_to_##name = cast_to<type>;
SKERRY_FOR_EACH_DTYPE(SKERRY_CAST)
#undef SKERRY_CAST

}  // namespace skerry::inline SKERRY_TARGET::ops
