// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/concepts.hpp"

namespace skerry {
namespace native {

/// The unsigned integer of T's size where signed ones are treated alike, else T.
template <class T, bool IsUnsigned>
struct stand_in_type {
  using type = T;
};
template <ops::signed_integral T>
struct stand_in_type<T, true> {
  using type = ops::bits_t<T>;
};
template <class T, bool IsUnsigned>
using stand_in_type_t = typename stand_in_type<T, IsUnsigned>::type;

}  // namespace native
}  // namespace skerry
