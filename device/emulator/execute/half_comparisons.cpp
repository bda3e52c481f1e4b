// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/comparisons.hpp"

// Comparisons of float16, bfloat16 and packed pairs of them.
namespace skerry::emulation {
namespace {

/// Converts a source to float32: each lane's value, or one half of its pair.
template <bool Ftz, class T, class Component>
[[nodiscard]] std::array<f32, warp_size> numbers(Warp& warp, row source_row,
                                                 Component&& component) {
  std::array<f32, warp_size> result;
  const T* const values = warp.values<const T>(source_row);
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    result[lane] = number_of(flushed_half<Ftz>(component(values[lane])));
  }
  return result;
}

constexpr auto whole = [](auto value) { return value; };
constexpr auto low = [](auto pair) { return pair.low; };
constexpr auto high = [](auto pair) { return pair.high; };

template <auto Comparison, class T, auto Component, bool Ftz>
lane_mask compare_lanes(Warp& warp, const Instruction& instruction) {
  const auto a = numbers<Ftz, T>(warp, instruction.source[0], Component);
  const auto b = numbers<Ftz, T>(warp, instruction.source[1], Component);
  return compare<Comparison>(a.data(), b.data());
}

/// The comparisons of the halves of a pair. Operation::immediate points to a PairOfComparisons.
struct PairOfComparisons {
  comparison low;
  comparison high;
};
struct PairOfMasks {
  lane_mask low;
  lane_mask high;
};

template <auto Combined>
[[nodiscard]] PairOfMasks found_by_both(Warp& warp, const Instruction& instruction) {
  const auto& comparisons = *reinterpret_cast<const PairOfComparisons*>(instruction.immediate);
  return {combined<Combined>(warp, instruction, comparisons.low(warp, instruction)),
          combined<Combined>(warp, instruction, comparisons.high(warp, instruction))};
}

/// setp.f16x2 p|q, a, b, c: p compares the lower halves, q the upper ones.
template <auto Combined>
void set_predicates(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto [of_low, of_high] = found_by_both<Combined>(warp, instruction);
  warp.set_predicate(instruction.destination[0], of_low, active);
  warp.set_predicate(instruction.destination[1], of_high, active);
}

template <auto Combined, u16 Value>
void set_halves(Warp& warp, const Instruction& instruction, lane_mask active) {
  const auto [of_low, of_high] = found_by_both<Combined>(warp, instruction);
  u32* const destination = warp.values<u32>(instruction.destination[0]);
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const u32 first = (of_low >> lane & 1) * Value;
    const u32 second = (of_high >> lane & 1) * Value;
    destination[lane] = second << 16 | first;
  }
}

template <auto Combined, u16 One>
void declare_combined(OperationTable& table, const ComparisonName& name,
                      const PairOfComparisons& both, std::string_view combination) {
  const std::vector<std::uint8_t> arguments = compared(4, !combination.empty());
  const auto immediate = reinterpret_cast<std::int64_t>(&both);
  table.add({"setp.", name.comparison, combination, name.ftz, ".", name.type},
            {.execute = set_predicates<Combined>,
             .results = {predicate_nbytes, predicate_nbytes},
             .arguments = arguments,
             .immediate = immediate});
  const auto sets = [&](std::string_view result_type, handler function) {
    table.add(
        {"set.", name.comparison, combination, name.ftz, ".", result_type, ".", name.type},
        {.execute = function, .results = {4}, .arguments = arguments, .immediate = immediate});
  };
  sets(name.type, set_halves<Combined, One>);
  sets("u32", set_halves<Combined, 0xffff>);
  sets("s32", set_halves<Combined, 0xffff>);
}

template <auto Comparison, class Half, bool Ftz>
void declare(OperationTable& table, std::string_view name) {
  using pair = Packed<Half>;
  constexpr u16 one = std::is_same_v<Half, f16> ? half_one : bfloat_one;
  const std::string_view ftz = Ftz ? ".ftz" : "";
  declare_comparison<compare_lanes<Comparison, Half, whole, Ftz>, 2>(table,
                                                                     {name, ftz, type<Half>::name});
  static constexpr PairOfComparisons both{compare_lanes<Comparison, pair, low, Ftz>,
                                          compare_lanes<Comparison, pair, high, Ftz>};
  const ComparisonName pair_name{name, ftz, type<pair>::name};
  declare_combined<keep, one>(table, pair_name, both, "");
  for_combinations([&]<auto Combined>(std::string_view combination) {
    declare_combined<Combined, one>(table, pair_name, both, combination);
  });
}

}  // namespace

void declare_half_comparisons(OperationTable& table) {
  for_float_comparisons([&]<auto Comparison>(std::string_view name) {
    declare<Comparison, f16, false>(table, name);
    declare<Comparison, f16, true>(table, name);
    declare<Comparison, bf16, false>(table, name);
  });
}

}  // namespace skerry::emulation
