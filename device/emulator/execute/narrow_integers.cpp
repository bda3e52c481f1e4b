// SPDX-FileCopyrightText: The skerry developers
// SPDX-License-Identifier: Apache-2.0
#include "device/emulator/execute/elementwise.hpp"

// 24-bit integers, pairs of 16-bit integers, and dot products of packed integers.
namespace skerry::emulation {
namespace {

/// Returns the lower 24 bits of an operand, sign- or zero-extended.
template <class T>
[[nodiscard]] s64 of_24_bits(T a) {
  const u32 bits = static_cast<u32>(a) << 8;
  return std::is_signed_v<T> ? static_cast<s32>(bits) >> 8 : static_cast<s64>(bits >> 8);
}
/// Returns the lower or upper 32 bits of the 48-bit product.
template <bool High>
constexpr auto product_24 = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<u64>(of_24_bits(a) * of_24_bits(b)) >> (High ? 16 : 0));
};
template <bool High>
constexpr auto sum_of_product_24 = []<class T>(T a, T b, T c) {
  return static_cast<T>(static_cast<u32>(product_24<High>(a, b)) + static_cast<u32>(c));
};
template <auto Product>
constexpr auto saturated_sum_of_product = [](s32 a, s32 b, s32 c) {
  return static_cast<s32>(std::clamp(s64{Product(a, b)} + c, s64{INT32_MIN}, s64{INT32_MAX}));
};
constexpr auto high_product = [](s32 a, s32 b) { return static_cast<s32>(s64{a} * b >> 32); };

/// dp2a: adds two products of 16 bits and a byte; the bytes are the lower or the upper two of b.
template <class A, class B, bool High>
u32 dot_product(u32 a, u32 b, u32 c) {
  const u32 bytes = High ? b >> 16 : b;
  for (int k = 0; k < 2; ++k) {
    const auto first = static_cast<A>(a >> (16 * k));
    const auto second = static_cast<B>(bytes >> (8 * k));
    c += static_cast<u32>(static_cast<s32>(first) * static_cast<s32>(second));
  }
  return c;
}

/// Applies F to both halves of a register, which are numbers of type T.
template <class T, auto F>
constexpr auto apply_to_halves = [](auto... operands) {
  const auto low = static_cast<u16>(F(static_cast<T>(operands)...));
  const auto high = static_cast<u16>(F(static_cast<T>(operands >> 16)...));
  return u32{high} << 16 | low;
};
constexpr auto sum = [](auto a, auto b) { return a + b; };
constexpr auto smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };
template <auto Choice>
constexpr auto relu = []<class T>(T a, T b) { return std::max(T{0}, Choice(a, b)); };

template <class T>
void declare_24_bits(OperationTable& table) {
  const std::string_view name = type<T>::name;
  table.add({"mul24.lo.", name}, vector_op<product_24<false>, T, T, T>());
  table.add({"mul24.hi.", name}, vector_op<product_24<true>, T, T, T>());
  table.add({"mad24.lo.", name}, vector_op<sum_of_product_24<false>, T, T, T, T>());
  table.add({"mad24.hi.", name}, vector_op<sum_of_product_24<true>, T, T, T, T>());
}

template <class T>
void declare_pairs(OperationTable& table) {
  const auto declare = [&](std::string_view opcode, Operation operation) {
    table.add({opcode, ".", type<T>::name, "x2"}, std::move(operation));
  };
  declare("add", vector_op<apply_to_halves<T, sum>, u32, u32, u32>());
  declare("min", vector_op<apply_to_halves<T, smaller>, u32, u32, u32>());
  declare("max", vector_op<apply_to_halves<T, larger>, u32, u32, u32>());
}

template <class A, class B>
void declare_dot_products(OperationTable& table) {
  // The names have the 32-bit types of the same signedness.
  const auto sign = []<class T>(type<T> /*type_tag*/) {
    return std::is_signed_v<T> ? std::string_view("s32") : std::string_view("u32");
  };
  const std::string_view a = sign(type<A>());
  const std::string_view b = sign(type<B>());
  table.add({"dp2a.lo.", a, ".", b}, vector_op<dot_product<A, B, false>, u32, u32, u32, u32>());
  table.add({"dp2a.hi.", a, ".", b}, vector_op<dot_product<A, B, true>, u32, u32, u32, u32>());
}

}  // namespace

void declare_narrow_integers(OperationTable& table) {
  declare_24_bits<u32>(table);
  declare_24_bits<s32>(table);
  table.add({"mad24.hi.sat.s32"},
            vector_op<saturated_sum_of_product<product_24<true>>, s32, s32, s32, s32>());
  table.add({"mad.hi.sat.s32"},
            vector_op<saturated_sum_of_product<high_product>, s32, s32, s32, s32>());
  declare_pairs<u16>(table);
  declare_pairs<s16>(table);
  // The PTX ISA puts .relu before the type, CUDA's headers after it.
  const auto declare_relu = [&]<auto Choice>(std::string_view opcode) {
    const Operation pair = vector_op<apply_to_halves<s16, relu<Choice>>, u32, u32, u32>();
    const Operation one = vector_op<relu<Choice>, s32, s32, s32>();
    table.add({opcode, ".relu.s16x2"}, pair);
    table.add({opcode, ".s16x2.relu"}, pair);
    table.add({opcode, ".relu.s32"}, one);
    table.add({opcode, ".s32.relu"}, one);
  };
  declare_relu.template operator()<smaller>("min");
  declare_relu.template operator()<larger>("max");
  declare_dot_products<u16, u8>(table);
  declare_dot_products<u16, s8>(table);
  declare_dot_products<s16, u8>(table);
  declare_dot_products<s16, s8>(table);
}

}  // namespace skerry::emulation
