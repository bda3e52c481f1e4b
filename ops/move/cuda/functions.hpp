// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/math/concepts.hpp"

// What moves and conversions do to an element. Parsed by NVRTC: no standard header here.

namespace skerry::inline SKERRY_TARGET::ops {

struct copy_value {
  template <class T>
  SKERRY_HD SKERRY_INLINE T operator()(T x) const {
    return x;
  }
};

/// The condition is read as a byte: an imported bool may hold more than 0 and 1.
struct choose {
  template <class T>
  SKERRY_HD SKERRY_INLINE T operator()(uint8 condition, T x1, T x2) const {
    return condition != 0 ? x1 : x2;
  }
};

/// NaN and floats out of an integer's range give what the conversion instruction gives (saturation,
/// 0 for NaN); there are no traps on a GPU.
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

// For dtypes by their names.
#define SKERRY_CAST(name, type, kind, typestr) using cast_to_##name = cast_to<type>;
SKERRY_FOR_EACH_DTYPE(SKERRY_CAST)
#undef SKERRY_CAST

}  // namespace skerry::inline SKERRY_TARGET::ops
