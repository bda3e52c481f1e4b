// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/concepts.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/kernels/stand_in.hpp"

#include <type_traits>

// Operations that share a strided kernel. Finding the elements is most of what it does, so that
// which operation to run can be asked in it, by all threads alike: one kernel a signature instead
// of one an operation. A group takes the registers of its greediest operation, so that what needs
// many is kept apart. Free of CUDA headers, and tested on the host.

namespace skerry {
namespace native {

/// Operations that take tens of instructions, and registers to match.
template <class Op, class T>
inline constexpr bool is_elaborate =
    ops::complex_floating<T> ||
    ops::one_of_v<Op, ops::acos, ops::acosh, ops::asin, ops::asinh, ops::atan, ops::atan2,
                  ops::atanh, ops::cos, ops::cosh, ops::divide, ops::exp, ops::expm1,
                  ops::floor_divide, ops::hypot, ops::log, ops::log10, ops::log1p, ops::log2,
                  ops::logaddexp, ops::nextafter, ops::pow, ops::reciprocal, ops::remainder,
                  ops::sin, ops::sinh, ops::sqrt, ops::tan, ops::tanh>;

/// Whether Other runs in the strided kernel of Op over T and More, which are the same dtype.
template <class Op, class Other, class T, class... More>
[[nodiscard]] constexpr bool shares_strided_kernel() {
  if constexpr (ops::supports<Other, T, 1 + sizeof...(More)>) {
    using run = ops::stand_in<Other, T>;
    return ops::same_v<typename run::operation, Other> && ops::same_v<typename run::type, T> &&
           ops::same_v<ops::result_t<Other, T, More...>, ops::result_t<Op, T, More...>> &&
           is_elaborate<Other, T> == is_elaborate<Op, T>;
  }
  return false;
}

namespace detail {
template <class Op, class Group, class Candidates, class... T>
struct gather {
  using type = Group;
};
template <class Op, class... Group, class Head, class... Tail, class... T>
struct gather<Op, ops::type_list<Group...>, ops::type_list<Head, Tail...>, T...>
    : gather<Op,
             std::conditional_t<shares_strided_kernel<Op, Head, T...>(),
                                ops::type_list<Group..., Head>, ops::type_list<Group...>>,
             ops::type_list<Tail...>, T...> {};
}  // namespace detail

/// Those of Candidates that share the strided kernel of Op over T...
template <class Op, class Candidates, class... T>
using strided_group_t = typename detail::gather<Op, ops::type_list<>, Candidates, T...>::type;

/// Operation number `which` of a group.
template <class Out, class Group>
struct grouped_operation;
template <class Out, class... Ops>
struct grouped_operation<Out, ops::type_list<Ops...>> {
  int which;

  template <class... T>
  SKERRY_HD SKERRY_INLINE Out operator()(T... x) const {
    Out out{};
    int number = 0;
    (void)((which == number++ && (out = Ops{}(x...), true)) || ...);
    return out;
  }
};

/// What runs Op over T... in the strided kernel.
template <class Op, class... T>
[[nodiscard]] constexpr auto strided_operation() {
  static_assert(sizeof...(T) <= 3);
  using candidates =
      std::conditional_t<sizeof...(T) == 1, ops::unary_ops,
                         std::conditional_t<sizeof...(T) == 2, ops::binary_ops, ops::ternary_ops>>;
  using group = strided_group_t<Op, candidates, T...>;
  static_assert(ops::index_of<Op, group> >= 0);
  return grouped_operation<ops::result_t<Op, T...>, group>{ops::index_of<Op, group>};
}

}  // namespace native
}  // namespace skerry
