// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/elementwise.hpp"

namespace skerry::emulation {
namespace {

// Signed integers wrap like unsigned ones; u16 is multiplied as u32 so that the promotion to int
// cannot overflow.
template <class T>
using wrapping = std::conditional_t<sizeof(T) < 4, u32, std::make_unsigned_t<T>>;

constexpr auto sum = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
};
constexpr auto difference = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
};
constexpr auto product = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
};
constexpr auto high_product = []<class T>(T a, T b) {
  using full = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  using half = std::conditional_t<std::is_signed_v<T>, s64, u64>;
  using wide = std::conditional_t<sizeof(T) == 8, full, half>;
  return static_cast<T>((static_cast<wide>(a) * b) >> (8 * sizeof(T)));
};
template <class Wide>
constexpr auto wide_product =
    [](auto a, auto b) { return static_cast<Wide>(a) * static_cast<Wide>(b); };
template <auto Product>
constexpr auto added_product = [](auto a, auto b, auto c) { return sum(Product(a, b), c); };
s32 saturated_sum(s32 a, s32 b) {
  return static_cast<s32>(std::clamp(s64{a} + b, s64{INT32_MIN}, s64{INT32_MAX}));
}
s32 saturated_difference(s32 a, s32 b) {
  return static_cast<s32>(std::clamp(s64{a} - b, s64{INT32_MIN}, s64{INT32_MAX}));
}
// Division by zero is undefined in PTX; GPUs return all bits set, and the dividend as the
// remainder.
constexpr auto quotient = []<class T>(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return difference(T{0}, a);
  return static_cast<T>(a / b);
};
constexpr auto remainder = []<class T>(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
  return static_cast<T>(a % b);
};
constexpr auto smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };
constexpr auto negation = []<class T>(T a) { return difference(T{0}, a); };
constexpr auto magnitude = [](auto a) { return a < 0 ? negation(a) : a; };
constexpr auto absolute_difference = [](auto a, auto b, auto c) {
  return sum(c, a < b ? difference(b, a) : difference(a, b));
};
/// dp4a: adds four products of bytes.
template <class A, class B>
u32 dot_product(u32 a, u32 b, u32 c) {
  for (int k = 0; k < 32; k += 8) {
    c += static_cast<u32>(s32{static_cast<A>(a >> k)} * s32{static_cast<B>(b >> k)});
  }
  return c;
}

template <class T>
using double_width = std::conditional_t<sizeof(T) == 8, unsigned __int128, u64>;

/// Runs `exact`, which receives the carry-in (0 unless In), and stores the carry-out if Out.
template <class T, bool In, bool Out, class Exact>
void carry_on(Warp& warp, const Instruction& instruction, lane_mask active, Exact&& exact) {
  T* const destination = warp.values<T>(instruction.destination[0]);
  for_lanes(active, [&](int lane) {
    u32& carry = warp.carry[static_cast<std::size_t>(lane)];
    const double_width<T> wide_result = exact(lane, In ? carry : 0);
    destination[lane] = static_cast<T>(wide_result);
    if (Out) carry = static_cast<u32>(wide_result >> (8 * sizeof(T))) & 1;
  });
}

template <class T, bool Subtracts, bool In, bool Out>
void add_with_carry(Warp& warp, const Instruction& instruction, lane_mask active) {
  const T* const a = warp.values<T>(instruction.source[0]);
  const T* const b = warp.values<T>(instruction.source[1]);
  carry_on<T, In, Out>(warp, instruction, active, [&](int lane, u32 carry) {
    const double_width<T> first = a[lane];
    return Subtracts ? first - b[lane] - carry : first + b[lane] + carry;
  });
}

/// `S` is the type in the opcode: the upper half of a product depends on whether it is signed.
template <class S, bool High, bool In, bool Out>
void multiply_with_carry(Warp& warp, const Instruction& instruction, lane_mask active) {
  using T = std::make_unsigned_t<S>;
  const S* const a = warp.values<S>(instruction.source[0]);
  const S* const b = warp.values<S>(instruction.source[1]);
  const T* const c = warp.values<T>(instruction.source[2]);
  carry_on<T, In, Out>(warp, instruction, active, [&](int lane, u32 carry) {
    const S half = High ? high_product(a[lane], b[lane]) : product(a[lane], b[lane]);
    return double_width<T>{static_cast<T>(half)} + c[lane] + carry;
  });
}

/// Declares the operation that writes the carry (.cc), the one that reads it (c), and the one that
/// does both.
template <class T, std::size_t Sources>
void declare_carry(OperationTable& table, std::string_view opcode, std::string_view modifier,
                   handler writes, handler reads, handler both) {
  const Operation one{.results = {sizeof(T)},
                      .arguments = std::vector<std::uint8_t>(Sources, sizeof(T))};
  const auto declare = [&](std::string_view c, std::string_view cc, handler function) {
    Operation named = one;
    named.execute = function;
    table.add({opcode, c, modifier, cc, ".", type<T>::name}, named);
  };
  declare("", ".cc", writes);
  declare("c", "", reads);
  declare("c", ".cc", both);
}

void declare_carries(OperationTable& table) {
  for_types<u32, s32, u64, s64>([&]<class T>(type<T> /*type_tag*/) {
    using U = std::make_unsigned_t<T>;
    declare_carry<T, 2>(table, "add", "", add_with_carry<U, false, false, true>,
                        add_with_carry<U, false, true, false>,
                        add_with_carry<U, false, true, true>);
    declare_carry<T, 2>(table, "sub", "", add_with_carry<U, true, false, true>,
                        add_with_carry<U, true, true, false>, add_with_carry<U, true, true, true>);
    declare_carry<T, 3>(table, "mad", ".lo", multiply_with_carry<T, false, false, true>,
                        multiply_with_carry<T, false, true, false>,
                        multiply_with_carry<T, false, true, true>);
    declare_carry<T, 3>(table, "mad", ".hi", multiply_with_carry<T, true, false, true>,
                        multiply_with_carry<T, true, true, false>,
                        multiply_with_carry<T, true, true, true>);
  });
}

template <class T, class Wide>
void declare_wide(OperationTable& table) {
  table.add({"mul.wide.", type<T>::name}, vector_op<wide_product<Wide>, Wide, T, T>());
  table.add({"mad.wide.", type<T>::name},
            vector_op<added_product<wide_product<Wide>>, Wide, T, T, Wide>());
}

}  // namespace

void declare_integer_arithmetic(OperationTable& table) {
  for_types<u16, u32, u64, s16, s32, s64>([&]<class T>(type<T> type_tag) {
    table.add({"add.", type_tag.name}, vector_op<sum, T, T, T>());
    table.add({"sub.", type_tag.name}, vector_op<difference, T, T, T>());
    table.add({"mul.lo.", type_tag.name}, vector_op<product, T, T, T>());
    table.add({"mul.hi.", type_tag.name}, vector_op<high_product, T, T, T>());
    table.add({"mad.lo.", type_tag.name}, vector_op<added_product<product>, T, T, T, T>());
    table.add({"mad.hi.", type_tag.name}, vector_op<added_product<high_product>, T, T, T, T>());
    table.add({"sad.", type_tag.name}, vector_op<absolute_difference, T, T, T, T>());
    table.add({"div.", type_tag.name}, lane_op<quotient, T, T, T>());
    table.add({"rem.", type_tag.name}, lane_op<remainder, T, T, T>());
    table.add({"min.", type_tag.name}, vector_op<smaller, T, T, T>());
    table.add({"max.", type_tag.name}, vector_op<larger, T, T, T>());
  });
  for_types<s16, s32, s64>([&]<class T>(type<T> type_tag) {
    table.add({"neg.", type_tag.name}, vector_op<negation, T, T>());
    table.add({"abs.", type_tag.name}, vector_op<magnitude, T, T>());
  });
  declare_carries(table);
  declare_wide<u16, u32>(table);
  declare_wide<s16, s32>(table);
  declare_wide<u32, u64>(table);
  declare_wide<s32, s64>(table);
  table.add({"add.sat.s32"}, vector_op<saturated_sum, s32, s32, s32>());
  table.add({"sub.sat.s32"}, vector_op<saturated_difference, s32, s32, s32>());
  table.add({"dp4a.u32.u32"}, vector_op<dot_product<u8, u8>, u32, u32, u32, u32>());
  table.add({"dp4a.u32.s32"}, vector_op<dot_product<u8, s8>, u32, u32, u32, u32>());
  table.add({"dp4a.s32.u32"}, vector_op<dot_product<s8, u8>, u32, u32, u32, u32>());
  table.add({"dp4a.s32.s32"}, vector_op<dot_product<s8, s8>, u32, u32, u32, u32>());
}

}  // namespace skerry::emulation
