// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include "device/cuda/emulation/execute/floats.hpp"

namespace skerry::emulation {
namespace {

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

// The ordered comparisons are false for NaN, the unordered ones (with u) true.
constexpr auto not_equal = []<class T>(T a, T b) {
  if constexpr (is_real<T>) return a < b || a > b;
  return a != b;
};
template <auto Comparison>
constexpr auto unordered = [](auto a, auto b) { return Comparison(a, b) || a != a || b != b; };
constexpr auto never = [](auto /*a*/, auto /*b*/) { return false; };
constexpr auto both_numbers = [](auto a, auto b) { return a == a && b == b; };

constexpr auto keep = [](lane_mask a, lane_mask /*b*/) { return a; };

template <auto Comparison, class T>
[[nodiscard]] lane_mask compare(const T* a, const T* b) {
  // In two steps: the first one is vectors.
  std::array<u32, warp_size> bits;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    bits[lane] = Comparison(a[lane], b[lane]) ? u32{1} << lane : 0;
  }
  lane_mask mask = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) mask |= bits[lane];
  return mask;
}

/// setp d|q, a, b, c: d is `(a ? b) op c`, and q is `!(a ? b) op c`.
template <auto Comparison, auto Combined, class T>
void set_predicate(warp& on, const instruction& what, lane_mask active) {
  const lane_mask found =
      compare<Comparison>(on.values<const T>(what.source[0]), on.values<const T>(what.source[1]));
  const lane_mask third = what.source[2] == no_row ? 0 : on.predicate(what, 2);
  on.set_predicate(what.destination[0], Combined(found, third), active);
  on.set_predicate(what.destination[1], Combined(~found, third), active);
}

/// set.CMP.D.T d, a, b: all bits or 1.0 where it holds.
template <auto Comparison, class D, class T>
void set_value(warp& on, const instruction& what, lane_mask active) {
  const lane_mask found =
      compare<Comparison>(on.values<const T>(what.source[0]), on.values<const T>(what.source[1]));
  D* const to = on.values<D>(what.destination[0]);
  const D one = is_real<D> ? D{1} : static_cast<D>(~u32{0});
  for_lanes(active, [&](int lane) { to[lane] = (found >> lane & 1) != 0 ? one : D{0}; });
}

template <class T>
void select(warp& on, const instruction& what, lane_mask active) {
  const lane_mask chosen = on.predicate(what, 2);
  T* const to = on.values<T>(what.destination[0]);
  const T* const first = on.values<const T>(what.source[0]);
  const T* const second = on.values<const T>(what.source[1]);
  if (active == all_lanes) return choose(to, chosen, first, second);
  std::array<T, warp_size> values;
  choose(values.data(), chosen, first, second);
  blend(to, values.data(), active);
}

template <auto Comparison, class T>
void declare_comparison(operation_table& table, std::string_view name, std::string_view type_of) {
  static constexpr std::uint8_t size = sizeof(T);
  const auto declare = [&](std::string_view combined, handler run) {
    std::vector<std::uint8_t> arguments{size, size};
    if (!combined.empty()) arguments.push_back(predicate_size);
    table.add({"setp.", name, combined, ".", type_of}, {.run = run,
                                                        .results = {predicate_size, predicate_size},
                                                        .arguments = arguments,
                                                        .optional_results = 1});
  };
  declare("", set_predicate<Comparison, keep, T>);
  declare(".and", set_predicate<Comparison, std::bit_and<>{}, T>);
  declare(".or", set_predicate<Comparison, std::bit_or<>{}, T>);
  declare(".xor", set_predicate<Comparison, std::bit_xor<>{}, T>);
  const operation set{.results = {4}, .arguments = {size, size}};
  const auto with = [&](handler run) {
    operation whole = set;
    whole.run = run;
    return whole;
  };
  table.add({"set.", name, ".u32.", type_of}, with(set_value<Comparison, u32, T>));
  table.add({"set.", name, ".s32.", type_of}, with(set_value<Comparison, u32, T>));
  table.add({"set.", name, ".f32.", type_of}, with(set_value<Comparison, f32, T>));
}

template <class T>
void declare_order(operation_table& table, std::string_view type_of) {
  declare_comparison<std::less<>{}, T>(table, "lt", type_of);
  declare_comparison<std::less_equal<>{}, T>(table, "le", type_of);
  declare_comparison<std::greater<>{}, T>(table, "gt", type_of);
  declare_comparison<std::greater_equal<>{}, T>(table, "ge", type_of);
}

template <class T>
void declare_equality(operation_table& table, std::string_view type_of) {
  declare_comparison<std::equal_to<>{}, T>(table, "eq", type_of);
  declare_comparison<not_equal, T>(table, "ne", type_of);
}

template <class T>
void declare_unordered(operation_table& table, std::string_view type_of) {
  declare_comparison<unordered<std::equal_to<>{}>, T>(table, "equ", type_of);
  declare_comparison<unordered<not_equal>, T>(table, "neu", type_of);
  declare_comparison<unordered<std::less<>{}>, T>(table, "ltu", type_of);
  declare_comparison<unordered<std::less_equal<>{}>, T>(table, "leu", type_of);
  declare_comparison<unordered<std::greater<>{}>, T>(table, "gtu", type_of);
  declare_comparison<unordered<std::greater_equal<>{}>, T>(table, "geu", type_of);
  declare_comparison<unordered<never>, T>(table, "nan", type_of);
  declare_comparison<both_numbers, T>(table, "num", type_of);
}

}  // namespace

void declare_comparisons(operation_table& table) {
  for_types<u16, u32, u64, s16, s32, s64, f32, f64>([&]<class T>(type<T> of) {
    declare_equality<T>(table, of.name);
    declare_order<T>(table, of.name);
  });
  for_types<f32, f64>([&]<class T>(type<T> of) { declare_unordered<T>(table, of.name); });
  declare_equality<u16>(table, "b16");
  declare_equality<u32>(table, "b32");
  declare_equality<u64>(table, "b64");
  for_types<u16, u32, u64>([&]<class T>(type<T> of) {
    declare_comparison<std::less<>{}, T>(table, "lo", of.name);
    declare_comparison<std::less_equal<>{}, T>(table, "ls", of.name);
    declare_comparison<std::greater<>{}, T>(table, "hi", of.name);
    declare_comparison<std::greater_equal<>{}, T>(table, "hs", of.name);
  });
  const auto selection = [&]<class T>(type<T> /*of*/, std::string_view name) {
    table.add({"selp.", name}, {.run = select<T>,
                                .results = {sizeof(T)},
                                .arguments = {sizeof(T), sizeof(T), predicate_size}});
  };
  for (const std::string_view name : {"b16", "u16", "s16"}) selection(type<u16>(), name);
  for (const std::string_view name : {"b32", "u32", "s32", "f32"}) selection(type<u32>(), name);
  for (const std::string_view name : {"b64", "u64", "s64", "f64"}) selection(type<u64>(), name);
}

}  // namespace skerry::emulation
