// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/comparisons.hpp"

namespace skerry::emulation {
namespace {

template <auto Comparison, class T, bool Ftz>
lane_mask compare_lanes(Warp& warp, const Instruction& instruction) {
  const T* const a = warp.values<const T>(instruction.source[0]);
  const T* const b = warp.values<const T>(instruction.source[1]);
  if constexpr (Ftz) {
    constexpr auto of_flushed = [](T x, T y) {
      return Comparison(flushed<true>(x), flushed<true>(y));
    };
    return compare<of_flushed>(a, b);
  } else {
    return compare<Comparison>(a, b);
  }
}

template <auto Comparison, class T>
void declare(OperationTable& table, std::string_view name, std::string_view type_of) {
  declare_comparison<compare_lanes<Comparison, T, false>, sizeof(T)>(table, {name, "", type_of});
}

template <class T>
void declare_order(OperationTable& table, std::string_view type_of) {
  declare<std::less<>{}, T>(table, "lt", type_of);
  declare<std::less_equal<>{}, T>(table, "le", type_of);
  declare<std::greater<>{}, T>(table, "gt", type_of);
  declare<std::greater_equal<>{}, T>(table, "ge", type_of);
}

template <class T>
void declare_equality(OperationTable& table, std::string_view type_of) {
  declare<std::equal_to<>{}, T>(table, "eq", type_of);
  declare<not_equal, T>(table, "ne", type_of);
}

/// testp: tests a property of a number.
template <auto Is, class T>
void test_number(Warp& warp, const Instruction& instruction, lane_mask active) {
  const T* const a = warp.values<const T>(instruction.source[0]);
  lane_mask mask = 0;
  for_lanes(active, [&](int lane) { mask |= lane_mask{Is(a[lane])} << lane; });
  warp.set_predicate(instruction.destination[0], mask, active);
}

constexpr auto is_finite = [](auto a) { return std::isfinite(a); };
constexpr auto is_infinite = [](auto a) { return std::isinf(a); };
constexpr auto is_number = [](auto a) { return a == a; };
constexpr auto is_no_number = [](auto a) { return a != a; };
constexpr auto is_normal = [](auto a) { return std::isnormal(a); };
constexpr auto is_subnormal = [](auto a) { return std::fpclassify(a) == FP_SUBNORMAL; };

template <class T>
void declare_tests(OperationTable& table) {
  const auto declare = [&](std::string_view name, handler function) {
    table.add({"testp.", name, ".", type<T>::name},
              {.execute = function, .results = {predicate_nbytes}, .arguments = {sizeof(T)}});
  };
  declare("finite", test_number<is_finite, T>);
  declare("infinite", test_number<is_infinite, T>);
  declare("number", test_number<is_number, T>);
  declare("notanumber", test_number<is_no_number, T>);
  declare("normal", test_number<is_normal, T>);
  declare("subnormal", test_number<is_subnormal, T>);
}

}  // namespace

void declare_comparisons(OperationTable& table) {
  for_types<u16, u32, u64, s16, s32, s64>([&]<class T>(type<T> type_tag) {
    declare_equality<T>(table, type_tag.name);
    declare_order<T>(table, type_tag.name);
  });
  for_float_comparisons([&]<auto Comparison>(std::string_view name) {
    declare<Comparison, f32>(table, name, "f32");
    declare<Comparison, f64>(table, name, "f64");
    declare_comparison<compare_lanes<Comparison, f32, true>, sizeof(f32)>(table,
                                                                          {name, ".ftz", "f32"});
  });
  declare_equality<u16>(table, "b16");
  declare_equality<u32>(table, "b32");
  declare_equality<u64>(table, "b64");
  for_types<u16, u32, u64>([&]<class T>(type<T> type_tag) {
    declare<std::less<>{}, T>(table, "lo", type_tag.name);
    declare<std::less_equal<>{}, T>(table, "ls", type_tag.name);
    declare<std::greater<>{}, T>(table, "hi", type_tag.name);
    declare<std::greater_equal<>{}, T>(table, "hs", type_tag.name);
  });
  declare_tests<f32>(table);
  declare_tests<f64>(table);
}

}  // namespace skerry::emulation
