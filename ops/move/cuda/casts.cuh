// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dtype.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/kernel/cuda/loops.cuh"

namespace skerry {
namespace native {

/// NaN and floats out of an integer's range give what the conversion instruction gives (saturation,
/// 0 for NaN); there are no traps on a GPU.
template <class To>
struct cast_to {
  template <class From>
  SKERRY_HD SKERRY_INLINE To operator()(From x) const {
    if constexpr (ops::same_v<To, bool>) {
      return x != From(0);
    } else if constexpr (ops::complex_floating<To> && !ops::complex_floating<From>) {
      return To(static_cast<typename To::value_type>(x));
    } else {
      return static_cast<To>(x);
    }
  }
};

/// None from complex to real; a dtype to itself is a copy.
template <class To, class From>
concept castable = !ops::same_v<To, From> && (ops::complex_floating<To> || ops::same_v<To, bool> ||
                                              !ops::complex_floating<From>);

template <class From, class To>
void fill_cast(elementwise_kernels& table) {
  if constexpr (castable<To, From>) {
    table.cast[static_cast<int>(dtype_of<From>)][static_cast<int>(dtype_of<To>)].native =
        &elementwise<cast_to<To>, To, From>;
  }
}

}  // namespace native
}  // namespace skerry
