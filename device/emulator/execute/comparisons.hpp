// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/emulator/execute/halves.hpp"

namespace skerry::emulation {

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

// With a NaN, ordered comparisons are false and unordered ones (suffix u) true.
constexpr auto not_equal = []<class T>(T a, T b) {
  if constexpr (is_real<T>) return a < b || a > b;
  return a != b;
};
template <auto Comparison>
constexpr auto unordered = [](auto a, auto b) { return Comparison(a, b) || a != a || b != b; };
constexpr auto never = [](auto /*a*/, auto /*b*/) { return false; };
constexpr auto both_numbers = [](auto a, auto b) { return a == a && b == b; };

constexpr auto keep = [](lane_mask a, lane_mask /*b*/) { return a; };

/// Calls `declare` with each comparison of floating-point types and its name.
template <class Declare>
void for_float_comparisons(Declare&& declare) {
  declare.template operator()<std::equal_to<>{}>("eq");
  declare.template operator()<not_equal>("ne");
  declare.template operator()<std::less<>{}>("lt");
  declare.template operator()<std::less_equal<>{}>("le");
  declare.template operator()<std::greater<>{}>("gt");
  declare.template operator()<std::greater_equal<>{}>("ge");
  declare.template operator()<unordered<std::equal_to<>{}>>("equ");
  declare.template operator()<unordered<not_equal>>("neu");
  declare.template operator()<unordered<std::less<>{}>>("ltu");
  declare.template operator()<unordered<std::less_equal<>{}>>("leu");
  declare.template operator()<unordered<std::greater<>{}>>("gtu");
  declare.template operator()<unordered<std::greater_equal<>{}>>("geu");
  declare.template operator()<unordered<never>>("nan");
  declare.template operator()<both_numbers>("num");
}

/// Returns the lanes where the comparison is true.
template <auto Comparison, class T>
[[nodiscard]] lane_mask compare(const T* a, const T* b) {
  // In two loops: the compiler vectorizes only the first.
  std::array<u32, warp_size> bits;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    bits[lane] = Comparison(a[lane], b[lane]) ? u32{1} << lane : 0;
  }
  lane_mask mask = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) mask |= bits[lane];
  return mask;
}

/// Returns the lanes where a comparison of an instruction's first two sources is true.
using comparison = lane_mask (*)(Warp& warp, const Instruction& instruction);

/// Calls the comparison whose address is the instruction's immediate, copied from
/// Operation::immediate. So a few handlers, one for each operand size, serve hundreds of
/// comparisons.
[[nodiscard]] inline lane_mask found_by(Warp& warp, const Instruction& instruction) {
  return reinterpret_cast<comparison>(instruction.immediate)(warp, instruction);
}

/// Combines the result with the third source, a predicate.
template <auto Combined>
[[nodiscard]] lane_mask combined(Warp& warp, const Instruction& instruction, lane_mask mask) {
  return Combined(mask, instruction.source[2] == no_row ? 0 : warp.predicate(instruction, 2));
}

/// setp d|q, a, b, c: d is `(a ? b) op c`, and q is `!(a ? b) op c`.
template <auto Combined>
void set_both(Warp& warp, const Instruction& instruction, lane_mask active, lane_mask mask) {
  const lane_mask holds = combined<Combined>(warp, instruction, mask);
  const lane_mask fails = combined<Combined>(warp, instruction, ~mask);
  warp.set_predicate(instruction.destination[0], holds, active);
  warp.set_predicate(instruction.destination[1], fails, active);
}
/// setp without a third source. It precedes most branches, so it has handlers of its own.
template <comparison Found>
void set_predicate(Warp& warp, const Instruction& instruction, lane_mask active) {
  set_both<keep>(warp, instruction, active, Found(warp, instruction));
}
template <auto Combined, std::uint8_t Size>
void set_combined_predicate(Warp& warp, const Instruction& instruction, lane_mask active) {
  set_both<Combined>(warp, instruction, active, found_by(warp, instruction));
}

/// set d, a, b, c: d is Value where `(a ? b) op c` holds, else zero.
template <auto Combined, std::uint8_t Size, class D, D Value>
void set_value(Warp& warp, const Instruction& instruction, lane_mask active) {
  const lane_mask mask = combined<Combined>(warp, instruction, found_by(warp, instruction));
  D* const destination = warp.values<D>(instruction.destination[0]);
  for_lanes(active, [&](int lane) { destination[lane] = (mask >> lane & 1) != 0 ? Value : D{0}; });
}

constexpr u32 float_one = 0x3f800000;
constexpr u16 half_one = 0x3c00;
constexpr u16 bfloat_one = 0x3f80;

/// Calls `declare` with each combination of a result and a predicate, and its name.
template <class Declare>
void for_combinations(Declare&& declare) {
  declare.template operator()<std::bit_and<>{}>(".and");
  declare.template operator()<std::bit_or<>{}>(".or");
  declare.template operator()<std::bit_xor<>{}>(".xor");
}

/// Returns the sizes of two operands and, if `has_predicate`, a predicate.
[[nodiscard]] inline std::vector<std::uint8_t> compared(std::uint8_t size, bool has_predicate) {
  std::vector<std::uint8_t> sizes{size, size};
  if (has_predicate) sizes.push_back(predicate_nbytes);
  return sizes;
}

/// The parts of the names of setp and set for one comparison and type.
struct ComparisonName {
  std::string_view comparison;
  std::string_view ftz;
  std::string_view type;
};

/// Declares set, with or without a predicate.
template <auto Combined, std::uint8_t Size>
void declare_set(OperationTable& table, const ComparisonName& name, comparison comparison_function,
                 std::string_view combination) {
  const auto sets = [&](std::string_view result_type, std::uint8_t nbytes, handler function) {
    table.add({"set.", name.comparison, combination, name.ftz, ".", result_type, ".", name.type},
              {.execute = function,
               .results = {nbytes},
               .arguments = compared(Size, !combination.empty()),
               .immediate = reinterpret_cast<std::int64_t>(comparison_function)});
  };
  sets("u32", 4, set_value<Combined, Size, u32, ~u32{0}>);
  sets("s32", 4, set_value<Combined, Size, u32, ~u32{0}>);
  sets("f32", 4, set_value<Combined, Size, u32, float_one>);
  sets("f16", 2, set_value<Combined, Size, u16, half_one>);
  sets("bf16", 2, set_value<Combined, Size, u16, bfloat_one>);
  if (name.type == "f16" || name.type == "bf16") {
    sets("u16", 2, set_value<Combined, Size, u16, 0xffff>);
    sets("s16", 2, set_value<Combined, Size, u16, 0xffff>);
  }
}

template <comparison Found, std::uint8_t Size>
void declare_comparison(OperationTable& table, const ComparisonName& name) {
  table.add({"setp.", name.comparison, name.ftz, ".", name.type},
            {.execute = set_predicate<Found>,
             .results = {predicate_nbytes, predicate_nbytes},
             .arguments = compared(Size, false),
             .optional_results = 1});
  declare_set<keep, Size>(table, name, Found, "");
  for_combinations([&]<auto Combined>(std::string_view combination) {
    table.add({"setp.", name.comparison, combination, name.ftz, ".", name.type},
              {.execute = set_combined_predicate<Combined, Size>,
               .results = {predicate_nbytes, predicate_nbytes},
               .arguments = compared(Size, true),
               .optional_results = 1,
               .immediate = reinterpret_cast<std::int64_t>(Found)});
    declare_set<Combined, Size>(table, name, Found, combination);
  });
}

}  // namespace skerry::emulation
