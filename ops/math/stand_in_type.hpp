// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/config.hpp"
#include "ops/math/concepts.hpp"

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

}  // namespace ops
}  // namespace SKERRY_TARGET
}  // namespace skerry
