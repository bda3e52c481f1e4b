// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/emulation/execute/comparisons.hpp"

// Comparisons of float16 and bfloat16, and of two of them in a register.
namespace skerry::emulation {
namespace {

/// The numbers of a source, a half of each lane.
template <bool Ftz, class T, class Part>
[[nodiscard]] std::array<f32, warp_size> numbers(Warp& on, row from, Part&& part) {
  std::array<f32, warp_size> found;
  const T* const values = on.values<const T>(from);
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    found[lane] = number_of(flushed_half<Ftz>(part(values[lane])));
  }
  return found;
}

constexpr auto whole = [](auto value) { return value; };
constexpr auto low = [](auto pair) { return pair.low; };
constexpr auto high = [](auto pair) { return pair.high; };

template <auto Comparison, class T, auto Part, bool Ftz>
lane_mask found(Warp& on, const Instruction& what) {
  const auto a = numbers<Ftz, T>(on, what.source[0], Part);
  const auto b = numbers<Ftz, T>(on, what.source[1], Part);
  return compare<Comparison>(a.data(), b.data());
}

/// Both of a pair; which, an instruction has the address of.
struct PairOfComparisons {
  comparison low;
  comparison high;
};
struct PairOfMasks {
  lane_mask low;
  lane_mask high;
};

template <auto Combined>
[[nodiscard]] PairOfMasks found_by_both(Warp& on, const Instruction& what) {
  const auto& of = *reinterpret_cast<const PairOfComparisons*>(what.immediate);
  return {combined<Combined>(on, what, of.low(on, what)),
          combined<Combined>(on, what, of.high(on, what))};
}

/// setp.f16x2 p|q, a, b, c: p is of the lower halves, q of the upper ones.
template <auto Combined>
void set_predicates(Warp& on, const Instruction& what, lane_mask active) {
  const auto [of_low, of_high] = found_by_both<Combined>(on, what);
  on.set_predicate(what.destination[0], of_low, active);
  on.set_predicate(what.destination[1], of_high, active);
}

template <auto Combined, u16 Value>
void set_halves(Warp& on, const Instruction& what, lane_mask active) {
  const auto [of_low, of_high] = found_by_both<Combined>(on, what);
  u32* const to = on.values<u32>(what.destination[0]);
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const u32 first = (of_low >> lane & 1) * Value;
    const u32 second = (of_high >> lane & 1) * Value;
    to[lane] = second << 16 | first;
  }
}

template <auto Combined, u16 One>
void declare_combined(OperationTable& table, const ComparisonName& of,
                      const PairOfComparisons& both, std::string_view combination) {
  const std::vector<std::uint8_t> arguments = compared(4, !combination.empty());
  const auto immediate = reinterpret_cast<std::int64_t>(&both);
  table.add({"setp.", of.comparison, combination, of.ftz, ".", of.type},
            {.run = set_predicates<Combined>,
             .results = {predicate_size, predicate_size},
             .arguments = arguments,
             .immediate = immediate});
  const auto sets = [&](std::string_view to, handler run) {
    table.add({"set.", of.comparison, combination, of.ftz, ".", to, ".", of.type},
              {.run = run, .results = {4}, .arguments = arguments, .immediate = immediate});
  };
  sets(of.type, set_halves<Combined, One>);
  sets("u32", set_halves<Combined, 0xffff>);
  sets("s32", set_halves<Combined, 0xffff>);
}

template <auto Comparison, class Half, bool Ftz>
void declare(OperationTable& table, std::string_view name) {
  using pair = Packed<Half>;
  constexpr u16 one = std::is_same_v<Half, f16> ? half_one : bfloat_one;
  const std::string_view ftz = Ftz ? ".ftz" : "";
  declare_comparison<found<Comparison, Half, whole, Ftz>, 2>(table, {name, ftz, type<Half>::name});
  static constexpr PairOfComparisons both{found<Comparison, pair, low, Ftz>,
                                          found<Comparison, pair, high, Ftz>};
  const ComparisonName of{name, ftz, type<pair>::name};
  declare_combined<keep, one>(table, of, both, "");
  for_combinations([&]<auto Combined>(std::string_view combination) {
    declare_combined<Combined, one>(table, of, both, combination);
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
