// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/concepts.hpp"
#include "ops/reduction.hpp"

namespace skerry {
inline namespace SKERRY_TARGET {
namespace ops {

/// The unsigned integer of T's size where signed ones are treated alike, else T.
template <class T, bool IsUnsigned>
struct stand_in_type {
  using type = T;
};
template <signed_integral T>
struct stand_in_type<T, true> {
  using type = bits_t<T>;
};
template <class T, bool IsUnsigned>
using stand_in_type_t = typename stand_in_type<T, IsUnsigned>::type;

/// The dtype whose kernel reduces elements of T. Sums of 64 bits wrap around.
template <class Reduction, class T>
using reduction_stand_in_t =
    stand_in_type_t<T, one_of_v<Reduction, all, any, count_nonzero> ||
                           (sizeof(T) == 8 && one_of_v<Reduction, prod, sum>)>;

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
