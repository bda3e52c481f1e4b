// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config.hpp"
#include "ops/elementwise/all.hpp"
#include "ops/math/concepts.hpp"

#include <type_traits>

// Operations that share kernels: which of them to run is asked in the kernel, by all threads alike.
// A kernel waits for memory, and has time for it: at the rate of an H200's memory its cores could
// do 48 instructions for each element that a float32 function of one argument moves. So there is
// one kernel a signature instead of one an operation, and a kernel takes a third of a second to
// compile. A group takes the registers of its greediest operation, so that what needs many is kept
// apart. Free of CUDA headers, and tested on the host.

namespace skerry {
namespace native {

/// Operations that take tens of instructions, and registers to match.
template <class Op, class T>
inline constexpr bool is_elaborate =
    ops::one_of_v<Op, ops::acos, ops::acosh, ops::asin, ops::asinh, ops::atan, ops::atan2,
                  ops::atanh, ops::cos, ops::cosh, ops::divide, ops::exp, ops::expm1,
                  ops::floor_divide, ops::hypot, ops::log, ops::log10, ops::log1p, ops::log2,
                  ops::logaddexp, ops::nextafter, ops::pow, ops::reciprocal, ops::remainder,
                  ops::sin, ops::sinh, ops::sqrt, ops::tan, ops::tanh> ||
    (ops::complex_floating<T> && ops::one_of_v<Op, ops::abs, ops::sign>);

/// Whether Other may run in the kernel of Op over T and More, which are the same dtype.
template <class Op, class Other, class T, class... More>
[[nodiscard]] constexpr bool shares_kernel() {
  if constexpr (ops::supports<Other, T, 1 + sizeof...(More)>) {
    return ops::same_v<ops::result_t<Other, T, More...>, ops::result_t<Op, T, More...>> &&
           is_elaborate<Other, T> == is_elaborate<Op, T> &&
           // Functions of complex numbers together are a kernel that takes longer to compile than
           // one each.
           (!ops::complex_floating<T> || !is_elaborate<Op, T> || ops::same_v<Other, Op>);
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
             std::conditional_t<shares_kernel<Op, Head, T...>(), ops::type_list<Group..., Head>,
                                ops::type_list<Group...>>,
             ops::type_list<Tail...>, T...> {};
}  // namespace detail

/// Those of Candidates that may run in the kernel of Op over T...
template <class Op, class Candidates, class... T>
using group_t = typename detail::gather<Op, ops::type_list<>, Candidates, T...>::type;

/// Operation number `which` of a group.
template <class Out, class Group, bool IsElaborate>
struct grouped_operation;
template <class Out, class... Ops, bool IsElaborate>
struct grouped_operation<Out, ops::type_list<Ops...>, IsElaborate> {
  static constexpr bool is_elaborate = IsElaborate;

  int which;

  template <class... T>
  SKERRY_HD SKERRY_INLINE Out operator()(T... x) const {
    Out out{};
    int number = 0;
    (void)((which == number++ && (out = Ops{}(x...), true)) || ...);
    return out;
  }
};

/// Op over T..., as one of its group.
template <class Op, class... T>
[[nodiscard]] constexpr auto grouped() {
  static_assert(sizeof...(T) <= 3);
  using candidates =
      std::conditional_t<sizeof...(T) == 1, ops::unary_ops,
                         std::conditional_t<sizeof...(T) == 2, ops::binary_ops, ops::ternary_ops>>;
  using group = group_t<Op, candidates, T...>;
  static_assert(ops::index_of<Op, group> >= 0);
  return grouped_operation<ops::result_t<Op, T...>, group, (is_elaborate<Op, T> || ...)>{
      ops::index_of<Op, group>};
}

/// Smaller elements leave no time to ask.
template <class Op, class T>
inline constexpr bool shares_fast_kernels = !is_elaborate<Op, T> && sizeof(T) >= 4;

/// What runs Op over arrays of unit stride. The most frequent operations have a kernel each.
template <class Op, class T, class... More>
[[nodiscard]] constexpr auto contiguous_operation() {
  if constexpr (shares_fast_kernels<Op, T> &&
                !ops::one_of_v<Op, ops::add, ops::multiply, ops::subtract>) {
    return grouped<Op, T, More...>();
  } else {
    return Op{};
  }
}

/// What runs Op over an array of unit stride and a value, such as a Python scalar; null if the
/// strided kernel does.
template <class Op, class T, class... More>
[[nodiscard]] constexpr auto operation_with_value() {
  if constexpr (sizeof...(More) != 1) {
    return nullptr;
  } else if constexpr (shares_fast_kernels<Op, T>) {
    return grouped<Op, T, More...>();
  } else if constexpr (ops::one_of_v<Op, ops::add, ops::divide, ops::equal, ops::greater,
                                     ops::greater_equal, ops::less, ops::less_equal, ops::multiply,
                                     ops::not_equal, ops::subtract>) {
    return Op{};
  } else {
    return nullptr;
  }
}

}  // namespace native
}  // namespace skerry
