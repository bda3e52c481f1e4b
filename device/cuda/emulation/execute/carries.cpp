// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

template <class T>
using double_width = std::conditional_t<sizeof(T) == 8, unsigned __int128, u64>;

/// Sums, differences and sums of products that read (`In`) or write (`Out`) the lane's carry.
template <class T, bool In, bool Out>
void add_with_carry(warp& on, const instruction& what, lane_mask active) {
  T* const to = on.values<T>(what.destination[0]);
  const T* const a = on.values<T>(what.source[0]);
  const T* const b = on.values<T>(what.source[1]);
  for_lanes(active, [&](int lane) {
    u32& carry = on.carry[static_cast<std::size_t>(lane)];
    const auto exact = double_width<T>{a[lane]} + b[lane] + (In ? carry : 0);
    to[lane] = static_cast<T>(exact);
    if (Out) carry = static_cast<u32>(exact >> (8 * sizeof(T)));
  });
}

template <class T, bool In, bool Out>
void subtract_with_borrow(warp& on, const instruction& what, lane_mask active) {
  T* const to = on.values<T>(what.destination[0]);
  const T* const a = on.values<T>(what.source[0]);
  const T* const b = on.values<T>(what.source[1]);
  for_lanes(active, [&](int lane) {
    u32& borrow = on.carry[static_cast<std::size_t>(lane)];
    const auto exact = double_width<T>{a[lane]} - b[lane] - (In ? borrow : 0);
    to[lane] = static_cast<T>(exact);
    if (Out) borrow = static_cast<u32>(exact >> (8 * sizeof(T))) & 1;
  });
}

/// `S` is the type as it is named: of the upper half of a product the sign counts.
template <class S, bool High, bool In, bool Out>
void multiply_with_carry(warp& on, const instruction& what, lane_mask active) {
  using T = std::make_unsigned_t<S>;
  using wide =
      std::conditional_t<std::is_signed_v<S>, std::conditional_t<sizeof(S) == 8, __int128, s64>,
                         double_width<T>>;
  T* const to = on.values<T>(what.destination[0]);
  const S* const a = on.values<S>(what.source[0]);
  const S* const b = on.values<S>(what.source[1]);
  const T* const c = on.values<T>(what.source[2]);
  for_lanes(active, [&](int lane) {
    u32& carry = on.carry[static_cast<std::size_t>(lane)];
    const wide product = static_cast<wide>(a[lane]) * b[lane];
    const auto half = static_cast<T>(High ? product >> (8 * sizeof(T)) : product);
    const auto exact = double_width<T>{half} + c[lane] + (In ? carry : 0);
    to[lane] = static_cast<T>(exact);
    if (Out) carry = static_cast<u32>(exact >> (8 * sizeof(T)));
  });
}

template <class T>
[[nodiscard]] operation two_sources(handler run) {
  return {.run = run, .results = {sizeof(T)}, .arguments = {sizeof(T), sizeof(T)}};
}

template <class T>
[[nodiscard]] operation three_sources(handler run) {
  return {.run = run, .results = {sizeof(T)}, .arguments = {sizeof(T), sizeof(T), sizeof(T)}};
}

}  // namespace

void declare_carries(operation_table& table) {
  for_types<u32, s32, u64, s64>([&]<class T>(type<T> of) {
    using U = std::make_unsigned_t<T>;
    table.add({"add.cc.", of.name}, two_sources<T>(add_with_carry<U, false, true>));
    table.add({"addc.", of.name}, two_sources<T>(add_with_carry<U, true, false>));
    table.add({"addc.cc.", of.name}, two_sources<T>(add_with_carry<U, true, true>));
    table.add({"sub.cc.", of.name}, two_sources<T>(subtract_with_borrow<U, false, true>));
    table.add({"subc.", of.name}, two_sources<T>(subtract_with_borrow<U, true, false>));
    table.add({"subc.cc.", of.name}, two_sources<T>(subtract_with_borrow<U, true, true>));
    table.add({"mad.lo.cc.", of.name},
              three_sources<T>(multiply_with_carry<T, false, false, true>));
    table.add({"madc.lo.", of.name}, three_sources<T>(multiply_with_carry<T, false, true, false>));
    table.add({"madc.lo.cc.", of.name},
              three_sources<T>(multiply_with_carry<T, false, true, true>));
    table.add({"mad.hi.cc.", of.name}, three_sources<T>(multiply_with_carry<T, true, false, true>));
    table.add({"madc.hi.", of.name}, three_sources<T>(multiply_with_carry<T, true, true, false>));
    table.add({"madc.hi.cc.", of.name}, three_sources<T>(multiply_with_carry<T, true, true, true>));
  });
}

}  // namespace skerry::emulation
